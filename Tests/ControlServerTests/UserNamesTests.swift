import Testing

@testable import ControlServer

@Suite struct UserNamesTests {
    @Test func looksEachUserUpOnce() {
        var asked: [UInt32] = []
        var names = UserNames { uid in
            asked.append(uid)
            return UserName(uid)
        }
        let uids: [UInt32] = [0, 0, 4_000_000_000, 0, 4_000_000_000]
        let shown = uids.map { names[$0].short }
        #expect(shown == ["root", "root", "user 4000000000", "root", "user 4000000000"])
        #expect(asked == [0, 4_000_000_000])
    }
}
