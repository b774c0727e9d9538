import Foundation
import MailSupport
import Testing

@testable import Mail

@Suite struct MailMessageTests {
    private func received(_ message: MailMessage) -> ReceivedMail { ReceivedMail(lines: message.lines) }

    @Test func hasTheFieldsOfAMail() throws {
        #expect(
            try MailMessage.sample(text: "Sign in.\n\n.hidden = 1").lines == [
                "Date: Sat, 6 Dec 2025 05:46:40 +0000", "From: Homing <homing@front-desk>",
                "To: anna@a.test,", " ben@b.test", "Subject: Homing on front-desk: Sign-in required",
                "Message-ID: <41e6c2de-0000-4000-8000-000000000001@front-desk>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "", "Sign in.", "",
                ".hidden =3D 1",
            ])
    }

    @Test(arguments: [
        "", "Grüße aus Hà Nội", "a = b", "ends with a space ", "a tab\tand \u{1B}[31m", String(repeating: "x", count: 2000),
        String(repeating: "ề", count: 500), "one\ntwo\r\nthree\rfour", ".", "..\n.", "From anna",
    ]) func textArrivesWholeInShortLines(text: String) throws {
        let message = try MailMessage.sample(text: text)
        #expect(message.lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
        let sent = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n")
        #expect(received(message).text == sent + "\n")
    }

    @Test func shortASCIISubjectStaysReadable() throws {
        let message = try MailMessage.sample(subject: "Homing on front-desk: No deliveries")
        #expect(received(message).header("Subject") == "Homing on front-desk: No deliveries")
    }

    @Test(arguments: [
        "Grüße", "x\r\nBcc: eve@a.test", "=?utf-8?Q?x?=", String(repeating: "a long subject ", count: 20),
        String(repeating: "ề", count: 99),
    ]) func otherSubjectsAreEncodedWords(subject: String) throws {
        let message = try MailMessage.sample(subject: subject)
        #expect(message.lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasPrefix("Bcc") })
        let words = try #require(received(message).header("Subject")).split(separator: " ")
        let parts = try words.map { word in
            #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?=") && word.utf8.count <= 75)
            return String(decoding: try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2)))), as: UTF8.self)
        }
        #expect(parts.joined() == subject)
    }
}
