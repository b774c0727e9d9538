import Backends
import Foundation
import Outbox
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(5))) struct NotificationSenderTests {
    /// Answers with the statuses in turn, then 204; 0 for no connection.
    private final class Receiver: Transport {
        private let statuses: Mutex<[Int]>
        private let seen = Mutex<[OutboundRequest]>([])
        let arrivals = Signal()

        init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

        var requests: [OutboundRequest] { seen.withLock { $0 } }

        func connect(to url: String) async throws(TransportError) {}

        func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
            seen.withLock { $0.append(request) }
            arrivals.send()
            let status = statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
            if status == 0 { throw .unreachable(Failure(.offline, "There is no connection.")) }
            return InboundResponse(status: status)
        }
    }

    private func run(_ store: Store, _ receiver: Receiver, until work: () async throws -> Void) async throws {
        try store.directory.write(WebhookSecretTests.text, to: "secret")
        #expect(chmod(store.directory("secret"), 0o600) == 0)
        let webhook = WebhookReceiver(
            webhook: NotifyConfiguration.Webhook(url: "https://alerts.test/x", secretFile: store.directory("secret")), environment: [:],
            transport: receiver, log: .silent)
        let sender = NotificationSender(outbox: store.outbox, receiver: webhook, clock: store.clock, log: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sender.run() }
            try await work()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func keep(_ count: Int, in store: Store) async throws {
        let payloads = (1...count).map { Data(#"{"title":"\#($0)"}"#.utf8) }
        let notifications = Notifications(payloads: payloads, memory: Data("{}".utf8), rule: "a", receivers: [.webhook])
        try await store.outbox.keep(notifications, at: store.clock.now)
    }

    @Test func sendsInOrderOnceAndSigned() async throws {
        let (store, receiver) = (try Store(), Receiver([]))
        try await keep(2, in: store)
        let arrivals = receiver.arrivals.listen()
        try await run(store, receiver) {
            for await _ in arrivals where receiver.requests.count == 2 { break }
            try await until { try await store.outbox.nextNotification(for: .webhook) == nil }
        }
        let bodies = receiver.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
        #expect(bodies == [#"{"title":"1"}"#, #"{"title":"2"}"#])
        let first = try #require(receiver.requests.first)
        #expect(first[header: "webhook-signature"]?.hasPrefix("v1,") == true && first[header: "webhook-id"]?.count == 36)
    }

    @Test func outageAndRestartLoseNothingAndKeepTheId() async throws {
        var store = try Store()
        try await keep(1, in: store)
        let offline = Receiver([0])
        try await run(store, offline) { await store.clock.sleeps(after: 0) }
        try store.restart()
        #expect(try await store.outbox.nextNotification(for: .webhook)?.attempts == 0)
        let online = Receiver([])
        let restarted = store
        try await run(restarted, online) {
            try await until { try await restarted.outbox.nextNotification(for: .webhook) == nil }
        }
        #expect(online.requests.map { $0[header: "webhook-id"] } == offline.requests.map { $0[header: "webhook-id"] })
    }

    @Test func refusedNotificationGivesWayAfterADay() async throws {
        let (store, receiver) = (try Store(), Receiver(Array(repeating: 500, count: NotificationRetry.delays.count + 1)))
        try await keep(2, in: store)
        try await run(store, receiver) {
            for (count, delay) in NotificationRetry.delays.enumerated() {
                await store.clock.sleeps(after: count)
                store.clock.advance(by: delay)
            }
            try await until { try await store.outbox.nextNotification(for: .webhook) == nil }
        }
        #expect(receiver.requests.count == NotificationRetry.delays.count + 2)
        #expect(receiver.requests.last?.body == Data(#"{"title":"2"}"#.utf8))
    }

    @Test func keepsAtMostAHundredAndForgetsAll() async throws {
        let store = try Store()
        try await keep(101, in: store)
        #expect(try await store.outbox.nextNotification(for: .webhook)?.payload == Data(#"{"title":"2"}"#.utf8))
        #expect(try await store.outbox.notificationMemory() == Data("{}".utf8))
        try store.outbox.forgetNotifications(except: "a")
        #expect(try await store.outbox.nextNotification(for: .webhook) != nil)
        try store.outbox.forgetNotifications(except: "b")
        #expect(try await store.outbox.nextNotification(for: .webhook) == nil)
        #expect(try await store.outbox.notificationMemory() == nil)
    }
}
