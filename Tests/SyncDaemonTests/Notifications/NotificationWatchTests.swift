import ControlAPI
import Foundation
import Notifying
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(5))) struct NotificationWatchTests {
    /// With one problem that needs a person.
    private static func status(_ clock: TestClock) -> Status {
        let item = Attention(.configurationRejected, "A text with Anna Example.", next: "See it.")
        return Status(
            sentence: "", attention: [item], backends: [], spool: nil, version: "1", startedAt: clock.now, cursor: 0)
    }

    /// With a failed entry.
    private static func failed(_ clock: TestClock) -> Status {
        let backend = BackendReport(
            name: "breathesafe", baseURL: "https://a.test", gate: "open", gateReason: nil,
            session: SessionReport(backend: "breathesafe", state: "active"), queue: QueueReport(dead: 1), oldestWaiting: nil,
            lastDelivered: nil, nextTry: nil, otherAccounts: [])
        let item = Attention(.dead, "A text with Anna Example.", next: "See it.", backend: "breathesafe")
        return Status(
            sentence: "", attention: [item], backends: [backend], spool: nil, version: "1", startedAt: clock.now, cursor: 0)
    }

    private func station(_ store: Store, names: Bool, _ status: @escaping @Sendable (TestClock) -> Status) -> NotificationWatch {
        let clock = store.clock
        var rules = NotifySettings()
        rules.names = names
        let webhook = NotifyConfiguration.Webhook(url: "https://alerts.test/", secretFile: nil)
        return NotificationWatch(
            outbox: store.outbox, notify: NotifyConfiguration(rules: rules, webhook: webhook), station: "front-desk", clock: clock,
            log: .silent
        ) { status(clock) }
    }

    /// Runs through the time in which problems are gathered.
    private func run(
        _ store: Store, names: Bool = false, _ status: @escaping @Sendable (TestClock) -> Status = { NotificationWatchTests.status($0) }
    ) async throws {
        let watch = station(store, names: names, status)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            let before = store.clock.slept
            for step in 0..<4 {
                await store.clock.sleeps(after: before + step)
                store.clock.advance(by: 60)
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func reportsAProblemOnceAcrossARestart() async throws {
        var store = try Store()
        try await run(store)
        let message = try #require(try await store.outbox.nextNotification(for: .webhook))
        let text = String(decoding: message.payload, as: UTF8.self)
        #expect(text.contains(#""station":"front-desk""#) && text.contains(#""title":"The station needs a person""#))
        #expect(!text.contains("Anna"))
        try await store.outbox.removeNotification(message.number)
        try store.restart()
        try await run(store)
        #expect(try await store.outbox.nextNotification(for: .webhook) == nil)
    }

    @Test(arguments: [false, true]) func namesAreStoredOnlyIfChosen(names: Bool) async throws {
        let store = try Store()
        try await run(store, names: names) { Self.failed($0) }
        let message = try #require(try await store.outbox.nextNotification(for: .webhook))
        let text = String(decoding: message.payload, as: UTF8.self)
        #expect(text.contains(#""title":"1 entry needs your decision""#) && text.contains("A text with Anna Example.") == names)
    }
}
