import Backends
import Foundation
import Logging
import Outbox
import ServiceLifecycle
import SyncModel

/// Sends stored notifications to the webhook, in order. It is apart from the delivery of captures, and its failures are only logged.
struct NotificationSender: Service {
    let outbox: Outbox
    let webhook: NotifyConfiguration.Webhook
    let environment: [String: String]
    let transport: any Transport
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
        while !Task.isCancelled, let next = try await outbox.nextNotification() {
            guard next.dueAt.hasCome(at: clock.now, longest: NotificationRetry.longest) else { return next.dueAt }
            let outcome = await attempt(next)
            // A cancelled try says nothing about the receiver.
            if Task.isCancelled, outcome != .delivered { return nil }
            switch retry.step(after: outcome, attempts: next.attempts, at: clock.now) {
            case .remove: try await outbox.removeNotification(next.number)
            case .giveUp:
                log.error("A notification was given up: the webhook accepted none of its tries", metadata: ["id": "\(next.id)"])
                try await outbox.removeNotification(next.number)
            case .countAndWait(let attempts, let until):
                try await outbox.postponeNotification(next.number, attempts: attempts, until: until)
                return until
            case .wait(let until): return until
            }
        }
        return nil
    }

    private func attempt(_ notification: StoredNotification) async -> NotificationRetry.Outcome {
        let secret: WebhookSecret
        // Read for each try, so that it can be replaced without a restart.
        do throws(StartError) { secret = try WebhookSecret(for: webhook, environment: environment) } catch {
            log.error("Notifications cannot be sent", metadata: ["reason": "\(error)"])
            return .unreachable
        }
        let request = WebhookMessage.request(
            notification.payload, id: notification.id, to: webhook.url, with: secret, at: clock.now)
        do throws(TransportError) {
            let response = try await transport.send(request)
            if response.isSuccess { return .delivered }
            log.warning("The webhook refused a notification", metadata: ["id": "\(notification.id)", "status": "\(response.status)"])
            return .failed(retryAfter: RetryAfter.wait(response, now: clock.now))
        } catch {
            switch error {
            case .unreachable(let failure):
                log.log(
                    level: failure.reason == .offline ? .info : .warning, "The webhook cannot be reached; will retry",
                    metadata: ["reason": "\(failure.reason.rawValue)"])
                return .unreachable
            case .lost(let failure):
                log.warning("The webhook did not answer a notification", metadata: ["reason": "\(failure.reason.rawValue)"])
                return .failed()
            }
        }
    }
}
