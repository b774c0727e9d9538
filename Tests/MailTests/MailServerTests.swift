import Testing

@testable import Mail

@Suite struct MailServerTests {
    @Test(arguments: [
        ("127.0.0.1:25", "127.0.0.1:25"), ("127.0.0.1", "127.0.0.1:25"), ("localhost:2525", "127.0.0.1:2525"), ("[::1]:25", "[::1]:25"),
        ("[::1]", "[::1]:25"), ("127.1.2.3:587", "127.1.2.3:587"),
    ]) func takesLoopbackAddresses(text: String, shown: String) { #expect(MailServer(text)?.description == shown) }

    @Test(arguments: [
        "", "mail.clinic.example:25", "192.0.2.1:25", "10.0.0.5", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.256:25",
        "127.0.0.1.evil.example:25", "127.0.0:25", "::1", "[::2]:25", "localhost.evil.example", "127.0.0.1:25\n", "0.0.0.0:25",
        "/run/mail.sock", "127.0.0.1:٢٥",
    ]) func refusesOtherComputersAndForms(text: String) { #expect(MailServer(text) == nil) }

    @Test func usualServerListensOnPort25() { #expect(MailServer.usual == MailServer("127.0.0.1:25")) }
}
