import Backends
import Foundation
import Notifying
import Vault

/// The table `notify`: where notifications of the station go, and what they are about.
package struct NotifyConfiguration: Equatable, Sendable {
    package var rules: NotifySettings
    package var webhook: Webhook

    package struct Webhook: Equatable, Sendable {
        /// May contain a token in its path.
        package let url: String
        /// The file with the secret; nil for the credential.
        package let secretFile: String?

        /// Without the path.
        package var origin: String { Origin(url)?.description ?? "" }

        /// For messages: the origin, with a digest that tells two paths apart.
        package var name: String { "\(origin) (\(Vault.digest(Data(url.utf8)).hex.prefix(8)))" }
    }

    /// A digest of where messages may go, and of whether they may have names.
    var rule: String { Vault.digest(Data("\(webhook.url) \(rules.names)".utf8)).hex }

    /// Nil, with a mistake, without a valid webhook. Closes the table.
    ///
    /// - Parameter path: reads a path of the table.
    init?(_ table: StrictTable, path: (String) -> String?) {
        rules = NotifySettings(table)
        let expected = "the address of the receiver: https://host/path, or http:// to a loopback address"
        let url = table.read("webhook", isSecret: true, expected: expected) { node in node.text.flatMap { Self.isUsable($0) ? $0 : nil } }
        let file = path("webhook_secret")
        table.close()
        if let file, file.split(separator: "/").last?.hasPrefix("whsec_") == true {
            table.reject("webhook_secret", expected: "the name of the file with the secret", found: "the secret itself")
        }
        guard let url else {
            if !table.keys.contains("webhook") { table.reject("webhook", expected: expected, found: "nothing") }
            return nil
        }
        webhook = Webhook(url: url, secretFile: file)
    }

    private static func isUsable(_ url: String) -> Bool {
        Origin(url)?.isPrivate == true && url.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
