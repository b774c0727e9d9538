import SyncModel
import Testing

@Suite struct AccountIDServerTests {
    private static let ids: [(AccountID, Bool)] = [
        ("7@https://lab.test:443", true), ("ann@lab.test@http://127.0.0.1:80/api/@v1", true), ("7", false), ("ann@http.lab.test", false),
        ("\"ann@http://\"@lab.test", false), ("ann@https://x@lab.test", false), ("https://lab.test:443", false),
    ]
    @Test(arguments: ids) func tellsTheServerInAnIdFromAnEmailAddress(id: AccountID, namesServer: Bool) {
        #expect(id.namesItsServer == namesServer)
    }
}
