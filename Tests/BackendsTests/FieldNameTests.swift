import Testing

@testable import Backends

@Suite struct FieldNameTests {
    @Test(arguments: [
        ("Set-Cookie", "set-cookie", true), ("ETAG", "ETag", true), ("", "", true), ("Set-Cookie", "Set-Cookie2", false),
        ("a^", "a~", false), ("a-", "a\r", false), ("Date", "Data", false),
    ])
    func ignoresOnlyCase(name: String, other: String, isSame: Bool) {
        #expect(name.isFieldName(other) == isSame)
    }

    @Test(arguments: [("aZ09-._~", "aZ09-._~"), ("a b/é", "a%20b%2F%C3%A9"), ("", ""), ("+%", "%2B%25")])
    func percentEncodesAllButUnreserved(text: String, encoded: String) {
        #expect(text.percentEncoded == encoded)
    }
}
