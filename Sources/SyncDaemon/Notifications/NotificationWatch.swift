import ControlAPI
import Foundation
import Logging
import Notifying
import Outbox
import ServiceLifecycle
import SyncModel

/// Applies `NotifyRules` in the daemon. Stores the messages for each receiver, and which problems they report, in one transaction.
struct NotificationWatch: Service {
    let outbox: Outbox
    let notify: NotifyConfiguration
    let station: String
    var timeZone = TimeZone.current
    let clock: any SyncClock
    let log: Logger
    /// The state of the station.
    let look: @Sendable () async throws -> Status

    /// Seconds between two looks, at least and at most: some problems appear without an event.
    private static let pace: TimeInterval = 1
    private static let longestWithoutLook: TimeInterval = 60

    func run() async throws { await untilShutdown { try await follow() } }

    private func follow() async throws {
        // `try?`: without the memory, existing problems are reported once more.
        let stored = try? await outbox.notificationMemory()
        let memory = stored.flatMap { try? JSONDecoder().decode(NotifyRules.Memory.self, from: $0) }
        var rules = NotifyRules(settings: notify.rules, timeZone: timeZone, memory: memory)
        var kept = rules.memory
        while true {
            // Before the look, so that no event is missed.
            let news = outbox.eventsWritten.listen()
            let before = rules
            do {
                try await step(&rules, &kept)
            } catch {
                try Task.checkCancellation()
                // What could not be stored is decided again.
                rules = before
                log.warning("Notifications could not be stored; will retry", metadata: ["error": "\(error)"])
            }
            let now = clock.now
            try await clock.sleep(from: now, until: now + Self.pace)
            let next = min(rules.nextDue(after: now) ?? .distantFuture, now + Self.longestWithoutLook)
            _ = try await clock.isReached(next, from: clock.now, unless: news)
        }
    }

    private func step(_ rules: inout NotifyRules, _ kept: inout NotifyRules.Memory) async throws {
        let status = try await look()
        // The first look says from which event on to count deliveries.
        var hasMore = rules.cursor > 0
        while hasMore {
            let page = try await outbox.events(since: rules.cursor, limit: 500)
            for event in page { rules.saw(Event(event)) }
            hasMore = !page.isEmpty
        }
        let now = clock.now
        let messages = rules.saw(status, at: now)
        let memory = rules.memory
        guard !messages.isEmpty || memory != kept else { return }
        let notifications = Notifications(
            payloads: messages.map { StationMessage($0, station: station, at: now).encoded }, memory: try JSONEncoder().encode(memory),
            rule: notify.rule, receivers: notify.receivers)
        try await outbox.keep(notifications, at: now)
        kept = memory
    }
}
