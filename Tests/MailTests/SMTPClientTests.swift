import MailSupport
import NIOCore
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(5))) struct SMTPClientTests {
    private func client(_ port: Int, _ limits: SMTPClient.Limits = SMTPClient.Limits()) throws -> SMTPClient {
        SMTPClient(server: try #require(MailServer("127.0.0.1:\(port)")), name: "front-desk", limits: limits)
    }

    /// What becomes of a mail if the server answers one command so, and all others as usual.
    private func outcome(_ reply: ScriptedMailServer.Reply, to command: String, _ limits: SMTPClient.Limits = SMTPClient.Limits())
        async throws -> MailOutcome
    {
        let server = try await ScriptedMailServer { said in
            (command.isEmpty ? said.isEmpty : said.hasPrefix(command)) ? reply : ScriptedMailServer.usual(said)
        }
        let outcome = try await client(server.port, limits).send(.sample())
        await server.stop()
        return outcome
    }

    @Test func handsOverAMail() async throws {
        let server = try await ScriptedMailServer()
        let message = try MailMessage.sample(text: "Grüße\n.\n..")
        #expect(try await client(server.port).send(message) == .accepted(missed: []))
        let mail = try #require(server.mails.first)
        #expect(mail.sender == "MAIL FROM:<homing@front-desk>" && mail.lines == message.lines && mail.text == "Grüße\n.\n..\n")
        #expect(mail.recipients == ["RCPT TO:<anna@a.test>", "RCPT TO:<ben@b.test>"] && server.mails.count == 1)
        await server.stop()
    }

    private static let steps = ["", "EHLO", "MAIL", "RCPT", "DATA", "."]

    @Test(arguments: steps) func connectionThatEndsIsAFailure(step: String) async throws {
        #expect(try await outcome(.close, to: step) == .failed("The server closed the connection."))
    }

    @Test(arguments: steps) func silenceIsAFailure(step: String) async throws {
        var limits = SMTPClient.Limits()
        if step == "." { limits.acceptance = .milliseconds(20) } else { limits.reply = .milliseconds(100) }
        #expect(try await outcome(.silence, to: step, limits) == .failed("The server took too long to reply."))
    }

    @Test(arguments: steps) func replyThatIsNotSMTPIsAFailure(step: String) async throws {
        #expect(try await outcome(.text("<html>\r\n"), to: step) == .failed("The server’s reply is not SMTP."))
        let endless = String(repeating: "x", count: 1 << 20)
        #expect(try await outcome(.text(endless), to: step) == .failed("The server’s reply is too long."))
    }

    @Test(arguments: steps.dropLast()) func surplusReplyIsAFailure(step: String) async throws {
        let code = step.isEmpty ? "220" : step == "DATA" ? "354" : "250"
        #expect(try await outcome(.text("\(code) OK\r\n250 OK\r\n"), to: step) == .failed("The server sent more than one reply."))
    }

    @Test func wordsAfterTheAcceptanceChangeNothing() async throws {
        #expect(try await outcome(.text("250 queued\r\n421 closing\r\n"), to: ".") == .accepted(missed: []))
    }

    @Test(arguments: steps) func temporaryRefusalIsAFailure(step: String) async throws {
        guard case .failed(let words) = try await outcome(.text("451 later\r\n"), to: step) else {
            Issue.record("the mail did not fail at \(step)")
            return
        }
        #expect(words.contains("451 later"))
    }

    @Test func permanentRefusalSaysWhy() async throws {
        #expect(try await outcome(.text("554-no\r\n554 thanks\r\n"), to: ".") == .refused("554 no thanks"))
    }

    @Test func absentServerIsUnreachable() async throws {
        let port = try await ScriptedMailServer.freePort()
        guard case .unreachable = try await client(port).send(.sample()) else {
            Issue.record("the mail found a server")
            return
        }
    }

    @Test func cancellationEndsTheAttempt() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = try await ScriptedMailServer { _ in
            arrival.yield()
            return .silence
        }
        let (sender, message) = (try client(server.port), try MailMessage.sample())
        let outcome = await withTaskGroup(of: MailOutcome.self) { group in
            group.addTask { await sender.send(message) }
            _ = await arrivals.first { _ in true }
            group.cancelAll()
            return await group.next()
        }
        #expect(outcome == .failed("The attempt was cancelled."))
        await server.stop()
    }
}
