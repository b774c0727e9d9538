import Foundation
import Logging
import Outbox
import ServiceLifecycle
import SyncModel

/// Sends the stored notifications for one receiver, in order. It is apart from the delivery of captures and from other receivers, and its failures are
/// only logged.
struct NotificationSender: Service {
    let outbox: Outbox
    let receiver: any NotificationReceiver
    let clock: any SyncClock
    let log: Logger

    func run() async throws { await untilShutdown { try await send() } }

    /// Wakes for the next try, for a new notification, and when the network has changed.
    private func send() async throws {
        var retry = NotificationRetry()
        while true {
            // Before the read, so that nothing is missed.
            let news = outbox.notificationsDue.listen()
            let next: Date?
            do throws(OutboxError) { next = try await sendDue(&retry) } catch {
                log.warning("Notifications cannot be read or written; will retry", metadata: ["error": "\(error)"])
                next = clock.now + 60
            }
            try Task.checkCancellation()
            _ = try await clock.isReached(next, from: clock.now, unless: news)
        }
    }

    /// When to try again; nil if none waits.
    private func sendDue(_ retry: inout NotificationRetry) async throws(OutboxError) -> Date? {
        while !Task.isCancelled, let next = try await outbox.nextNotification(for: receiver.kind) {
            guard next.dueAt.hasCome(at: clock.now, longest: NotificationRetry.longest) else { return next.dueAt }
            let outcome = await receiver.send(next, at: clock.now)
            // A cancelled try says nothing about the receiver.
            if Task.isCancelled, outcome != .delivered { return nil }
            switch retry.step(after: outcome, attempts: next.attempts, at: clock.now) {
            case .remove: try await outbox.removeNotification(next.number)
            case .giveUp:
                log.error(
                    "A notification was given up: its receiver refused it, or accepted none of its tries",
                    metadata: ["id": "\(next.id)", "receiver": "\(receiver.kind.rawValue)"])
                try await outbox.removeNotification(next.number)
            case .countAndWait(let attempts, let until):
                try await outbox.postponeNotification(next.number, attempts: attempts, until: until)
                return until
            case .wait(let until): return until
            }
        }
        return nil
    }
}
