import Testing

@testable import Sessions

struct MailboxTests {
    @Test func distinguishesMailboxesThatDifferInOneByte() {
        #expect("Jos\u{e9}@lab.test ".isSameEmail(as: "jos\u{e9}@LAB.test"))
        #expect(!"jos\u{e9}@lab.test".isSameEmail(as: "jose\u{301}@lab.test"))
    }
}
