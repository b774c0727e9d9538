import Backends
import Foundation
import Logging
import Outbox
import SyncModel

/// Sends messages as JSON to an address, signed by the Standard Webhooks specification.
struct WebhookReceiver: NotificationReceiver {
    let webhook: NotifyConfiguration.Webhook
    let environment: [String: String]
    let transport: any Transport
    let log: Logger

    var kind: StoredNotification.Receiver { .webhook }

    func send(_ notification: StoredNotification, at now: Date) async -> NotificationRetry.Outcome {
        let secret: WebhookSecret
        // Read for each try, so that it can be replaced without a restart.
        do throws(StartError) { secret = try WebhookSecret(for: webhook, environment: environment) } catch {
            log.error("Notifications cannot be sent", metadata: ["reason": "\(error)"])
            return .unreachable
        }
        do throws(TransportError) {
            let response = try await transport.send(request(notification, with: secret, at: now))
            if response.isSuccess { return .delivered }
            log.warning("The webhook refused a notification", metadata: ["id": "\(notification.id)", "status": "\(response.status)"])
            return .failed(retryAfter: RetryAfter.wait(response, now: now))
        } catch {
            switch error {
            case .unreachable(let failure):
                log.log(
                    level: failure.reason == .offline ? .info : .warning, "The webhook cannot be reached; will retry",
                    metadata: ["reason": "\(failure.reason.rawValue)"])
                return .unreachable
            case .lost(let failure) where failure.status != nil:
                // Only the body of a success is missing.
                return .delivered
            case .lost(let failure):
                log.warning("The webhook did not answer a notification", metadata: ["reason": "\(failure.reason.rawValue)"])
                return .failed()
            }
        }
    }

    private func request(_ notification: StoredNotification, with secret: WebhookSecret, at now: Date) -> OutboundRequest {
        let (id, body, timestamp) = (notification.id, notification.payload, Int(now.timeIntervalSince1970))
        var request = OutboundRequest(
            method: "POST", url: webhook.url,
            headers: [
                HeaderField("Content-Type", "application/json"), HeaderField("webhook-id", id),
                HeaderField("webhook-timestamp", String(timestamp)),
                HeaderField("webhook-signature", secret.signature(id: id, timestamp: timestamp, body: body)),
            ], body: body, timeout: .seconds(30))
        request.isBrief = true
        return request
    }
}
