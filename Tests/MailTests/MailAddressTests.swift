import Testing

@testable import Mail

@Suite struct MailAddressTests {
    @Test(arguments: ["anna@clinic.example", "root@localhost", "a.b+c=d@x-1.example", "-x@a.test"])
    func takesPlainAddresses(text: String) { #expect(MailAddress(text)?.description == text) }

    @Test(arguments: [
        "", "anna", "@clinic.example", "anna@", "anna@a@b.test", "Anna <anna@a.test>", "<anna@a.test>", "anna@a.test>", "an na@a.test",
        "anna@a.test ", "anna@a.test\r\nBcc: eve@a.test", "anna@a.test\n", "anna\u{0}@a.test", "\"anna\"@a.test", "anna@[127.0.0.1]",
        "änna@a.test", "anna@ä.test", "anna@-a.test", "anna@a-.test", ".anna@a.test", "an..na@a.test", "anna@a..test", "anna@a.test.",
        "anna,eve@a.test", "anna@a_b.test", String(repeating: "a", count: 65) + "@a.test", "a@" + String(repeating: "a.", count: 130) + "a",
    ]) func refusesEverythingElse(text: String) { #expect(MailAddress(text) == nil) }
}
