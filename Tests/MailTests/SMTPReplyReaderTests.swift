import Testing

@testable import Mail

@Suite struct SMTPReplyReaderTests {
    private func read(_ text: String, inPiecesOf size: Int = 1 << 20) throws -> SMTPReply? {
        var reader = SMTPReplyReader()
        var (reply, rest) = (SMTPReply?.none, Array(text.utf8)[...])
        while !rest.isEmpty {
            reply = try reader.read(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return reply
    }

    @Test(arguments: [
        ("250 OK\r\n", 250, "OK"), ("250\r\n", 250, ""), ("250 \r\n", 250, ""), ("250 OK\n", 250, "OK"),
        ("250-mail.test\r\n250-SIZE 10\r\n250 8BITMIME\r\n", 250, "mail.test SIZE 10 8BITMIME"), ("550-a\r\n550 b\r\n", 550, "a b"),
        ("599 \u{1B}[31m\r\n", 599, "\u{1B}[31m"),
    ]) func assemblesLines(text: String, code: Int, words: String) throws {
        for size in [1, 3, 1 << 20] {
            #expect(try read(text, inPiecesOf: size) == SMTPReply(code: code, text: words))
        }
    }

    @Test(arguments: ["", "250", "250 OK", "250 OK\r", "250-OK\r\n", "250-OK\r\n250"]) func waitsForTheRest(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test(arguments: [
        "\r\n", "hello\r\n", "25\r\n", "25x OK\r\n", "250_OK\r\n", "2500\r\n", "150 OK\r\n", "650 OK\r\n", "+50 OK\r\n",
        "250-a\r\n251 b\r\n",
        "HTTP/1.1 400 Bad Request\r\n", "\u{16}\u{3}\u{1}\n",
        String(repeating: "x", count: SMTPReplyReader.longest + 1), String(repeating: "250-x\r\n", count: 3000),
    ]) func refusesOtherBytes(text: String) {
        #expect(throws: SMTPReply.Malformed.self) { try read(text) }
    }

    @Test func noticesBytesAfterAReply() throws {
        for (text, hasSurplus) in [("250 OK\r\n", false), ("250 OK\r\n421 bye\r\n", true), ("250 OK\r\n2", true)] {
            var reader = SMTPReplyReader()
            #expect(try reader.read(text.utf8) == SMTPReply(code: 250, text: "OK"))
            #expect(reader.hasSurplus == hasSurplus)
        }
    }

    @Test func readsOneReplyAfterAnother() throws {
        var reader = SMTPReplyReader()
        #expect(try reader.read("220 a\r\n".utf8) == SMTPReply(code: 220, text: "a"))
        #expect(try reader.read("250 b\r\n".utf8) == SMTPReply(code: 250, text: "b"))
    }

    @Test func wordsForTheJournalAreOneShortLine() {
        let words = SMTPReply(code: 550, text: "\u{1B}[31m" + String(repeating: "x", count: 999)).words
        #expect(words.hasPrefix("550 \\u{1B}[31m") && words.count < 250)
    }
}
