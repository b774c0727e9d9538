import ControlAPI
import Foundation

extension ServiceCredential {
    private static let name = "homing.key"
    /// In the order in which systemd looks, also for a credential that may be encrypted.
    private static let stores = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { "\($0)/credstore/" }
    private static let encryptedStores = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { "\($0)/credstore.encrypted/" }

    /// Each file that may be the credential, for a unit whose settings are unknown.
    package static let possibleSources = (encryptedStores + stores).map { $0 + name }

    /// The credential that a start of the service would load now. Without an answer from systemd, each file counts that may be it.
    package static func current() async -> ServiceCredential {
        // ‘systemctl show’ calls these properties unprintable.
        let arguments = [
            "--system", "--json=short", "get-property", "org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit/homingd_2eservice",
            "org.freedesktop.systemd1.Service", "LoadCredential", "LoadCredentialEncrypted",
        ]
        guard let outcome = await SystemProgram.run("/usr/bin/busctl", arguments), outcome.code == 0,
            let sources = sources(in: outcome.text)
        else { return ServiceCredential() }
        return ServiceCredential(sources: sources)
    }

    /// The files that systemd tries for the key, the first one first: none if the unit does not load it; nil for another text than two
    /// properties in JSON, LoadCredential and LoadCredentialEncrypted, a line each.
    static func sources(in text: String) -> [String]? {
        // `try?`: another text is no answer.
        let properties = text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Property.self, from: Data($0.utf8)) }
        guard properties.count == 2 else { return nil }
        // A name is in one of the two.
        for (property, folders) in zip(properties, [stores, encryptedStores + stores]) {
            guard let file = property.data.first(where: { $0.count == 2 && $0[0] == name })?[1] else { continue }
            return file.hasPrefix("/") ? [file] : folders.map { $0 + file }
        }
        return []
    }

    private struct Property: Decodable {
        /// The name of a credential, and its path or its name in a store.
        let data: [[String]]
    }
}
