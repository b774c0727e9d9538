/// The client’s side of handing over one mail (RFC 5321), one command at a time. Pure.
struct SMTPConversation: Sendable {
    enum Step: Equatable, Sendable {
        case send(String)
        /// Send the whole mail. The server may take long to reply.
        case deliver(String)
        case end(MailOutcome)

        var isEnd: Bool { if case .end = self { true } else { false } }
    }

    private enum State: Equatable {
        case greeting, hello, oldHello, sender
        /// By its index.
        case recipient(Int)
        case data, mail
    }

    private let message: MailMessage
    private let client: String
    private var state = State.greeting
    /// Recipients that the server refused, each with its reply.
    private var missed: [String] = []

    /// - Parameter client: the name of this computer.
    init(_ message: MailMessage, client: String) { (self.message, self.client) = (message, client) }

    /// The step after a reply. The first reply is the server’s greeting.
    mutating func received(_ reply: SMTPReply) -> Step {
        switch (state, reply.kind) {
        case (.greeting, .success): return say("EHLO \(client)", then: .hello)
        // A server without extensions.
        case (.hello, .refusedForGood): return say("HELO \(client)", then: .oldHello)
        case (.hello, .success), (.oldHello, .success): return say("MAIL FROM:<\(message.from)>", then: .sender)
        case (.sender, .success): return nextRecipient(0)
        case (.recipient(let index), _):
            note(reply, for: message.to[index])
            return nextRecipient(index + 1)
        case (.data, .goAhead):
            state = .mail
            return .deliver(content)
        case (.mail, .success): return .end(.accepted(missed: missed))
        case (.mail, .refusedForGood): return .end(.refused(reply.words))
        // Earlier refusals are about the server's configuration, which an administrator can correct.
        default: return .end(.failed(reply.words))
        }
    }

    private mutating func say(_ command: String, then next: State) -> Step {
        state = next
        return .send(command + "\r\n")
    }

    private mutating func nextRecipient(_ index: Int) -> Step {
        if index < message.to.count { return say("RCPT TO:<\(message.to[index])>", then: .recipient(index)) }
        if missed.count < message.to.count { return say("DATA", then: .data) }
        return .end(.failed(missed.joined(separator: "; ")))
    }

    private mutating func note(_ reply: SMTPReply, for recipient: MailAddress) {
        if reply.kind != .success { missed.append("\(recipient): \(reply.words)") }
    }

    private var content: String { message.lines.map { Self.stuffed($0) + "\r\n" }.joined() + ".\r\n" }

    /// A line that begins with a dot gets another one, because a lone dot ends the mail (RFC 5321 4.5.2).
    private static func stuffed(_ line: String) -> String { line.utf8.first == UInt8(ascii: ".") ? "." + line : line }
}
