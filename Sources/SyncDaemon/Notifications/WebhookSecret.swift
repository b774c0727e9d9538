import Crypto
import Files
import Foundation

/// The secret that a webhook's receiver shares with this station (Standard Webhooks: `whsec_` and base64). Prints as `[secret]`.
struct WebhookSecret: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey

    /// The name of the systemd credential.
    static let credential = "homing.webhook"

    /// Reads the configured file, or else the credential. The errors do not repeat what was read.
    init(for webhook: NotifyConfiguration.Webhook, environment: [String: String]) throws(StartError) {
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(Self.credential)" }
        guard let path = webhook.secretFile ?? credential else {
            throw StartError("The secret of the webhook is missing. Name its file in notify.webhook_secret.")
        }
        let file = DurableFile(path: path)
        guard file.owner == nil || file.isPlain(upTo: 4096) else {
            throw StartError("The secret of the webhook is not a file of at most 4096 bytes: \(path).")
        }
        let found: Data?
        do { found = try file.read() } catch { throw StartError("The secret of the webhook cannot be read: \(error)") }
        guard let content = found else { throw StartError("The secret of the webhook is missing: there is no file \(path).") }
        if webhook.secretFile != nil, let mode = file.mode, mode & 0o077 != 0 {
            throw StartError("Other users can read the secret \(path) (mode \(String(mode, radix: 8))). Run: chmod 600 \(path)")
        }
        // Root checks the files of a daemon that runs as another user.
        if webhook.secretFile != nil, geteuid() != 0, !file.isOwned() {
            throw StartError("The secret \(path) belongs to another user, who can replace it. Run: sudo chown \(geteuid()) \(path)")
        }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let secret = WebhookSecret(text) else {
            throw StartError("\(path) holds no secret for a webhook; expected whsec_ and 24 to 64 random bytes in base64.")
        }
        self = secret
    }

    /// Nil for another form.
    init?(_ text: String) {
        guard text.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(text.dropFirst(6))), (24...64).contains(bytes.count) else {
            return nil
        }
        key = SymmetricKey(data: bytes)
    }

    /// The value of `webhook-signature`.
    func signature(id: String, timestamp: Int, body: Data) -> String {
        var code = HMAC<SHA256>(key: key)
        code.update(data: Data("\(id).\(timestamp).".utf8))
        code.update(data: body)
        return "v1,\(Data(code.finalize()).base64EncodedString())"
    }

    var description: String { "[secret]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
