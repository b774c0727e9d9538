import Backends
import Foundation
import Mail
import Vault

extension NotifyConfiguration {
    /// The table `notify.mail`.
    package struct Mail: Equatable, Sendable {
        let to: [MailAddress]
        /// Nil for `homing` at the host name.
        let from: MailAddress?
        let server: MailServer

        /// For messages: how many addresses, with a digest that tells two lists apart.
        var name: String {
            let digest = Vault.digest(Data(to.map(\.description).joined(separator: " ").utf8)).hex.prefix(8)
            return "\(to.count) \(to.count == 1 ? "address" : "addresses") (\(digest))"
        }
    }
}

extension NotifyConfiguration.Mail {
    private static let address = "an email address in ASCII, such as anna@clinic.example"

    private static let localServer = """
        the mail server of this computer, such as 127.0.0.1:25, because Homing sends mail without a password or encryption; let a local Postfix, \
        Exim or OpenSMTPD relay it
        """

    /// RFC 5321 4.5.3.1.8: a server need not take more at once.
    private static let mostRecipients = 100

    /// Nil, with a mistake, without valid addresses. Closes the table.
    init?(_ table: StrictTable) {
        let to = table.list("to", expected: Self.address) { node in node.text.flatMap { MailAddress($0) } } ?? []
        let from = table.read("from", expected: Self.address) { node in node.text.flatMap { MailAddress($0) } }
        let server = table.read("server", expected: Self.localServer) { node in node.text.flatMap { MailServer($0) } }
        table.close()
        let isRight = table.keys.contains("to") && (1...Self.mostRecipients).contains(table.value("to")?.count ?? 0)
        if !isRight {
            table.reject("to", expected: "1 to \(Self.mostRecipients) email addresses", found: table.keys.contains("to") ? nil : "nothing")
        }
        guard !to.isEmpty else { return nil }
        self.init(to: to, from: from, server: server ?? .usual)
    }
}

extension YAMLNode {
    /// The number of items in a list; 1 for any other value.
    fileprivate var count: Int { if case .list(let items) = content { items.count } else { 1 } }
}
