import Backends
import Foundation
import Glibc
import Notifying

/// The body of a webhook request, which stays the same for every try.
struct WebhookMessage: Codable, Equatable, Sendable {
    let at: Date
    /// The host name, because one receiver may serve many stations.
    let station: String
    let title: String
    let text: String

    init(_ message: NotifyMessage, station: String, at now: Date) {
        (at, self.station, title, text) = (now, station, message.title, message.body)
    }

    var encoded: Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(self) } catch { preconditionFailure("a message always encodes: \(error)") }
    }

    /// Signed by the Standard Webhooks specification.
    static func request(_ body: Data, id: String, to url: String, with secret: WebhookSecret, at now: Date) -> OutboundRequest {
        let timestamp = Int(now.timeIntervalSince1970)
        var request = OutboundRequest(
            method: "POST", url: url,
            headers: [
                HeaderField("Content-Type", "application/json"), HeaderField("webhook-id", id),
                HeaderField("webhook-timestamp", String(timestamp)),
                HeaderField("webhook-signature", secret.signature(id: id, timestamp: timestamp, body: body)),
            ], body: body, timeout: .seconds(30))
        request.isBrief = true
        return request
    }

    /// The name of this machine, without asking the network for it.
    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
