import Backends
import Foundation
import Mail
import Notifying
import Outbox
import Vault

/// The table `notify`: where notifications of the station go, and what they are about.
package struct NotifyConfiguration: Equatable, Sendable {
    package var rules: NotifySettings
    /// At least one of both is not nil.
    package var webhook: Webhook?
    package var mail: Mail?

    init(rules: NotifySettings, webhook: Webhook? = nil, mail: Mail? = nil) {
        (self.rules, self.webhook, self.mail) = (rules, webhook, mail)
    }

    /// Nil, with a mistake, without a valid receiver. Closes the table.
    ///
    /// - Parameter path: reads a path of the table.
    init?(_ table: StrictTable, path: (String) -> String?) {
        rules = NotifySettings(table)
        webhook = Webhook(table, path: path)
        mail = table.table("mail").flatMap { Mail($0) }
        table.close()
        if !table.keys.contains("webhook") {
            if !table.keys.contains("mail") {
                table.reject("webhook", expected: "\(Webhook.expected), or a table notify.mail", found: "nothing")
            } else if table.keys.contains("webhook_secret") {
                table.reject("webhook_secret", expected: "notify.webhook beside it", found: "no webhook")
            }
        }
        guard webhook != nil || mail != nil else { return nil }
    }

    /// A digest of where messages may go, and of whether they may have names.
    var rule: String {
        let receivers = [webhook?.url].compactMap(\.self) + (mail?.to.map(\.description) ?? [])
        return Vault.digest(Data("\(receivers.joined(separator: " ")) \(rules.names)".utf8)).hex
    }

    var receivers: [StoredNotification.Receiver] {
        (webhook == nil ? [] : [.webhook]) + (mail == nil ? [] : [.mail])
    }

    /// For `homingd check`.
    var places: String {
        let mails = mail.map { "mail to \($0.to.map(\.description).joined(separator: ", ")) through \($0.server)" }
        return [webhook?.origin, mails].compactMap(\.self).joined(separator: "; ")
    }
}
