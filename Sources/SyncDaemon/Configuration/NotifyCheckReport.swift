import Foundation

/// The part of `homingd check` about the secret of the webhook.
package enum NotifyCheckReport {
    /// The reason why notifications cannot be sent; nil if none is known. Never contains the secret. Read-only.
    package static func text(file: String?, environment: [String: String]) -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let webhook = try? Configuration.load(file: file, environment: environment).notify?.webhook else { return nil }
        // Only the service sees its credentials.
        guard webhook.secretFile != nil || environment["CREDENTIALS_DIRECTORY"] != nil else { return nil }
        do throws(StartError) {
            _ = try WebhookSecret(for: webhook, environment: environment)
            return nil
        } catch {
            return "Notifications cannot be sent: \(error)"
        }
    }
}
