import Testing

@testable import Mail

@Suite struct SMTPConversationTests {
    private static let commands = [
        "EHLO front-desk", "MAIL FROM:<homing@front-desk>", "RCPT TO:<anna@a.test>", "RCPT TO:<ben@b.test>", "DATA",
    ]

    /// The commands after each reply, and how the dialogue ends; nil if it does not.
    private func dialogue(_ codes: [Int]) throws -> (commands: [String], outcome: MailOutcome?) {
        var conversation = SMTPConversation(try .sample(text: ".\ntext"), client: "front-desk")
        var commands: [String] = []
        for code in codes {
            switch conversation.received(SMTPReply(code: code, text: "said")) {
            case .send(let text), .deliver(let text): commands.append(text)
            case .end(let outcome): return (commands, outcome)
            }
        }
        return (commands, nil)
    }

    @Test func handsOverAMail() throws {
        let (commands, outcome) = try dialogue([220, 250, 250, 250, 250, 354, 250])
        #expect(outcome == .accepted(missed: []))
        #expect(Array(commands.dropLast()) == Self.commands.map { $0 + "\r\n" })
        let mail = try #require(commands.last)
        // In Swift, CR LF is one character and equal to neither.
        #expect(mail.hasPrefix("Date: ") && !mail.contains(Character("\n")) && !mail.contains(Character("\r")))
        #expect(mail.hasSuffix("\r\n\r\n..\r\ntext\r\n.\r\n"))
    }

    @Test func greetsAnOldServerWithoutExtensions() throws {
        let (commands, outcome) = try dialogue([220, 502, 250, 250, 250, 251, 354, 250])
        #expect(outcome == .accepted(missed: []) && commands[1] == "HELO front-desk\r\n")
    }

    /// A refusal at each step.
    @Test(
        arguments: [
            // Only a refusal of the mail itself is for good.
            ([421], .failed("421 said")), ([554], .failed("554 said")), ([220, 421], .failed("421 said")),
            ([220, 500, 500], .failed("500 said")), ([220, 500, 421], .failed("421 said")),
            ([220, 250, 451], .failed("451 said")), ([220, 250, 553], .failed("553 said")),
            ([220, 250, 250, 450, 450], .failed("anna@a.test: 450 said; ben@b.test: 450 said")),
            ([220, 250, 250, 550, 450], .failed("anna@a.test: 550 said; ben@b.test: 450 said")),
            ([220, 250, 250, 450, 550], .failed("anna@a.test: 450 said; ben@b.test: 550 said")),
            ([220, 250, 250, 550, 550], .failed("anna@a.test: 550 said; ben@b.test: 550 said")),
            ([220, 250, 250, 250, 250, 451], .failed("451 said")), ([220, 250, 250, 250, 250, 554], .failed("554 said")),
            ([220, 250, 250, 250, 250, 354, 452], .failed("452 said")), ([220, 250, 250, 250, 250, 354, 554], .refused("554 said")),
        ] as [([Int], MailOutcome)]) func refusalEndsIt(codes: [Int], outcome: MailOutcome) throws
    {
        #expect(try dialogue(codes).outcome == outcome)
    }

    /// Valid replies, at the wrong step.
    @Test(arguments: [[354], [220, 354], [220, 250, 354], [220, 250, 250, 250, 250, 250], [220, 250, 250, 250, 250, 354, 354]])
    func unexpectedReplyIsAFailure(codes: [Int]) throws {
        let last = try #require(codes.last)
        #expect(try dialogue(codes).outcome == .failed("\(last) said"))
    }

    @Test(arguments: [[550, 250], [250, 450]]) func oneRecipientIsEnough(answers: [Int]) throws {
        let (commands, outcome) = try dialogue([220, 250, 250] + answers + [354, 250])
        let missed = answers[0] == 250 ? "ben@b.test: 450 said" : "anna@a.test: 550 said"
        #expect(outcome == .accepted(missed: [missed]) && commands.contains("DATA\r\n"))
    }
}
