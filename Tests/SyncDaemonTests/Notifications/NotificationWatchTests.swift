import ControlAPI
import Foundation
import Logging
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

    private func watch(_ store: Store) -> NotificationWatch {
        let clock = store.clock
        return NotificationWatch(
            outbox: store.outbox, settings: NotifySettings(), rule: "a", station: "front-desk", clock: clock,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { Self.status(clock) }
    }

    /// Runs through the time in which problems are gathered.
    private func run(_ store: Store) async throws {
        let watch = watch(store)
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
        let message = try #require(try await store.outbox.nextNotification())
        let text = String(decoding: message.payload, as: UTF8.self)
        #expect(text.contains(#""station":"front-desk""#) && text.contains(#""title":"The station needs a person""#))
        #expect(!text.contains("Anna"))
        try await store.outbox.removeNotification(message.number)
        try store.restart()
        try await run(store)
        #expect(try await store.outbox.nextNotification() == nil)
    }
}
