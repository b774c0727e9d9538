import Backends
import Foundation
import Vault

extension NotifyConfiguration {
    package struct Webhook: Equatable, Sendable {
        /// May contain a token in its path.
        package let url: String
        /// The file with the secret; nil for the credential.
        package let secretFile: String?

        static let expected = "the address of the receiver: https://host/path, or http:// to a loopback address"

        /// Without the path.
        package var origin: String { Origin(url)?.description ?? "" }

        /// For messages: the origin, with a digest that tells two paths apart.
        package var name: String { "\(origin) (\(Vault.digest(Data(url.utf8)).hex.prefix(8)))" }
    }
}

extension NotifyConfiguration.Webhook {
    /// Nil without a valid address. The caller closes the table, which has other keys too.
    ///
    /// - Parameter path: reads a path of the table.
    init?(_ table: StrictTable, path: (String) -> String?) {
        let url = table.read("webhook", isSecret: true, expected: Self.expected) { node in
            node.text.flatMap { Self.isUsable($0) ? $0 : nil }
        }
        let file = path("webhook_secret")
        if let file, file.split(separator: "/").last?.hasPrefix("whsec_") == true {
            table.reject("webhook_secret", expected: "the name of the file with the secret", found: "the secret itself")
        }
        guard let url else { return nil }
        self.init(url: url, secretFile: file)
    }

    private static func isUsable(_ url: String) -> Bool {
        Origin(url)?.isPrivate == true && url.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
