import Backends
import Foundation
import Logging
import Mail
import MailSupport
import Notifying
import Outbox
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(5))) struct MailReceiverTests {
    /// A webhook that answers so; nil for no connection.
    private struct Answer: Transport {
        let status: Int?

        func connect(to url: String) async throws(TransportError) {}

        func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
            guard let status else { throw .unreachable(Failure(.offline, "There is no connection.")) }
            return InboundResponse(status: status)
        }
    }

    private let lines = LoggedLines()

    private func mail(_ port: Int, from: String? = nil, station: String = "front-desk") throws -> MailReceiver {
        let settings = NotifyConfiguration.Mail(
            to: [try #require(MailAddress("it@a.test")), try #require(MailAddress("ben@b.test"))], from: from.flatMap { MailAddress($0) },
            server: try #require(MailServer("127.0.0.1:\(port)")))
        return MailReceiver(settings, station: station, log: lines.logger)
    }

    private func webhook(in store: Store, status: Int?) throws -> WebhookReceiver {
        try store.directory.write(WebhookSecretTests.text, to: "secret")
        #expect(chmod(store.directory("secret"), 0o600) == 0)
        let webhook = NotifyConfiguration.Webhook(url: "https://alerts.test/x", secretFile: store.directory("secret"))
        return WebhookReceiver(webhook: webhook, environment: [:], transport: Answer(status: status), log: lines.logger)
    }

    private func keep(
        _ titles: [String], at station: String = "front-desk", in store: Store, for receivers: [StoredNotification.Receiver] = [.mail]
    ) async throws {
        let now = store.clock.now
        let payloads = titles.map { title in
            StationMessage(NotifyMessage(title: title, body: "Run: homing status"), station: station, at: now).encoded
        }
        let notifications = Notifications(payloads: payloads, memory: Data("{}".utf8), rule: "a", receivers: receivers)
        try await store.outbox.keep(notifications, at: now)
    }

    private func run(_ receivers: [any NotificationReceiver], in store: Store, until work: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for receiver in receivers {
                let sender = NotificationSender(outbox: store.outbox, receiver: receiver, clock: store.clock, log: lines.logger)
                group.addTask { try await sender.run() }
            }
            try await work()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func isDelivered(_ store: Store, _ receiver: StoredNotification.Receiver = .mail) async throws {
        try await until { try await store.outbox.nextNotification(for: receiver) == nil }
    }

    @Test func mailHasTheMessageAndTheStation() async throws {
        let (store, server) = (try Store(), try await ScriptedMailServer())
        try await keep(["Sign-in required"], in: store)
        let stored = try #require(try await store.outbox.nextNotification(for: .mail))
        try await run([mail(server.port)], in: store) { try await isDelivered(store) }
        let sent = try #require(server.mails.first)
        #expect(sent.header("Subject") == "Homing on front-desk: Sign-in required" && sent.header("To") == "it@a.test, ben@b.test")
        #expect(sent.header("From") == "Homing <homing@front-desk>" && sent.header("Message-ID") == "<\(stored.id)@front-desk>")
        #expect(sent.header("Date") == "Sat, 6 Dec 2025 05:46:40 +0000" && server.mails.count == 1)
        #expect(
            sent.text == """
                Sign-in required.

                Run: homing status

                This message is from the station front-desk. Run commands there.

                """)
        await server.stop()
    }

    /// Texts of a message never end a header field, and a host name may be no name for addresses.
    @Test func hostileTextsStayInTheirPlace() async throws {
        let (store, server) = (try Store(), try await ScriptedMailServer())
        try await keep(["x\r\nBcc: eve@a.test\r\n\r\n.\r\nQUIT"], at: "my_desk\r\nx", in: store)
        try await run([mail(server.port, station: "my_desk\r\nx")], in: store) { try await isDelivered(store) }
        let sent = try #require(server.mails.first)
        #expect(sent.header("Bcc") == nil && sent.header("From") == "Homing <homing@localhost>")
        #expect(sent.header("Message-ID")?.hasSuffix("@localhost>") == true)
        #expect(sent.text.contains("\n.\nQUIT.") && server.mails.count == 1)
        await server.stop()
    }

    @Test func mailsArriveInOrderFromTheConfiguredAddress() async throws {
        let (store, server) = (try Store(), try await ScriptedMailServer())
        try await keep(["1", "2", "3"], in: store)
        try await run([mail(server.port, from: "homing@a.test")], in: store) { try await isDelivered(store) }
        #expect(server.mails.compactMap { $0.header("Subject") } == (1...3).map { "Homing on front-desk: \($0)" })
        #expect(server.mails.allSatisfy { $0.sender == "MAIL FROM:<homing@a.test>" })
        await server.stop()
    }

    /// What the server answers to a command, and what becomes of the message.
    @Test(
        arguments: [
            ("RCPT", "451 later", .failed()), ("RCPT", "550 unknown", .failed()), (".", "452 full", .failed()), (".", "554 spam", .refused),
            ("", "421 later", .failed()), ("RCPT TO:<it@a.test>", "550 unknown", .delivered),
        ] as [(String, String, NotificationRetry.Outcome)])
    func serverDecides(command: String, reply: String, outcome: NotificationRetry.Outcome) async throws {
        let store = try Store()
        let server = try await ScriptedMailServer { said in
            (command.isEmpty ? said.isEmpty : said.hasPrefix(command)) ? .text(reply + "\r\n") : ScriptedMailServer.usual(said)
        }
        try await keep(["1"], in: store)
        let stored = try #require(try await store.outbox.nextNotification(for: .mail))
        #expect(try await mail(server.port).send(stored, at: store.clock.now) == outcome)
        #expect(lines.all.count == 1 && lines.all.first?.facts["reason"]?.contains(reply) == true)
        await server.stop()
    }

    @Test func refusedMailGivesWayToTheNext() async throws {
        let store = try Store()
        let mailsSeen = Mutex(0)
        let server = try await ScriptedMailServer { said in
            guard said == "." else { return ScriptedMailServer.usual(said) }
            let count = mailsSeen.withLock { count in
                count += 1
                return count
            }
            return count == 1 ? .text("554 spam\r\n") : ScriptedMailServer.usual(said)
        }
        try await keep(["1", "2"], in: store)
        try await run([mail(server.port)], in: store) { try await isDelivered(store) }
        #expect(server.mails.compactMap { $0.header("Subject") } == ["Homing on front-desk: 2"])
        #expect(lines.all.contains { $0.level == .error && $0.message.hasPrefix("A notification was given up") })
        await server.stop()
    }

    @Test func payloadThatIsNoMessageIsGivenUp() async throws {
        let (store, server) = (try Store(), try await ScriptedMailServer())
        let notifications = Notifications(payloads: [Data("{}".utf8)], memory: Data("{}".utf8), rule: "a", receivers: [.mail])
        try await store.outbox.keep(notifications, at: store.clock.now)
        try await run([mail(server.port)], in: store) { try await isDelivered(store) }
        #expect(server.commands.isEmpty)
        await server.stop()
    }

    @Test func outageAndRestartLoseNothingAndKeepTheId() async throws {
        var store = try Store()
        try await keep(["1"], in: store)
        let id = try #require(try await store.outbox.nextNotification(for: .mail)).id
        let port = try await ScriptedMailServer.freePort()
        try await run([mail(port)], in: store) { await store.clock.sleeps(after: 0) }
        try store.restart()
        #expect(try await store.outbox.nextNotification(for: .mail)?.attempts == 0)
        let (restarted, server) = (store, try await ScriptedMailServer())
        try await run([mail(server.port)], in: restarted) { try await isDelivered(restarted) }
        #expect(server.mails.compactMap { $0.header("Message-ID") } == ["<\(id)@front-desk>"])
        await server.stop()
    }

    @Test(arguments: [StoredNotification.Receiver.webhook, .mail])
    func receiverThatIsDownDoesNotDelayTheOther(down: StoredNotification.Receiver) async throws {
        let (store, server) = (try Store(), try await ScriptedMailServer())
        let freePort = try await ScriptedMailServer.freePort()
        try await keep(["1", "2"], in: store, for: [.webhook, .mail])
        let receivers: [any NotificationReceiver] = [
            try webhook(in: store, status: down == .webhook ? nil : 204), try mail(down == .mail ? freePort : server.port),
        ]
        try await run(receivers, in: store) {
            try await isDelivered(store, down == .mail ? .webhook : .mail)
            await store.clock.sleeps(after: 0)
        }
        #expect(server.mails.count == (down == .mail ? 0 : 2))
        let waiting = try #require(try await store.outbox.nextNotification(for: down))
        #expect(waiting.attempts == 0 && StationMessage(encoded: waiting.payload)?.title == "1")
        await server.stop()
    }

    @Test func eachReceiverKeepsAtMostAHundred() async throws {
        let store = try Store()
        try await keep((1...101).map(String.init), in: store, for: [.webhook, .mail])
        for receiver in StoredNotification.Receiver.allCases {
            let oldest = try #require(try await store.outbox.nextNotification(for: receiver))
            #expect(StationMessage(encoded: oldest.payload)?.title == "2")
        }
    }
}
