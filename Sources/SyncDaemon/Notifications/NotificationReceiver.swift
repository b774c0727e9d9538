import Foundation
import Outbox

/// Where a `NotificationSender` sends its messages.
protocol NotificationReceiver: Sendable {
    var kind: StoredNotification.Receiver { get }

    /// Tries once, and logs a failure.
    func send(_ notification: StoredNotification, at now: Date) async -> NotificationRetry.Outcome
}
