import SyncModel

/// A reply of an SMTP server (RFC 5321 4.2), which may have several lines.
struct SMTPReply: Equatable, Sendable {
    let code: Int
    let text: String

    /// The bytes of a server that are no single reply.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    enum Kind: Equatable { case success, goAhead, refusedForNow, refusedForGood }

    /// By the first digit of the code.
    var kind: Kind {
        switch code / 100 {
        case 2: .success
        case 3: .goAhead
        case 4: .refusedForNow
        default: .refusedForGood
        }
    }

    /// For the journal: on one line, and short.
    var words: String { "\(code) \(text.prefix(200))".legible }
}

/// Assembles replies from the bytes of a server.
struct SMTPReplyReader: Sendable {
    /// The size limit of a whole reply, in bytes.
    static let longest = 16 << 10

    private var count = 0
    private var line: [UInt8] = []
    private var code: Int?
    private var texts: [String] = []
    /// Bytes followed the last reply, although a client that sends one command at a time gets one reply at a time.
    private(set) var hasSurplus = false

    /// Nil while the reply is incomplete.
    mutating func read(_ bytes: some Collection<UInt8>) throws(SMTPReply.Malformed) -> SMTPReply? {
        for (index, byte) in bytes.enumerated() {
            count += 1
            guard count <= Self.longest else { throw SMTPReply.Malformed(reason: "The server’s reply is too long.") }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            guard let reply = try endLine() else { continue }
            hasSurplus = index + 1 < bytes.count
            return reply
        }
        return nil
    }

    private mutating func endLine() throws(SMTPReply.Malformed) -> SMTPReply? {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let digits = line.prefix(3)
        let separator = line.count > 3 ? line[3] : UInt8(ascii: " ")
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), (200..<600).contains(number), code == nil || code == number,
            separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-")
        else { throw SMTPReply.Malformed(reason: "The server’s reply is not SMTP.") }
        texts.append(String(decoding: line.dropFirst(4), as: UTF8.self))
        (code, line) = (number, [])
        guard separator == UInt8(ascii: " ") else { return nil }
        defer { self = Self() }
        return SMTPReply(code: number, text: texts.joined(separator: " "))
    }
}
