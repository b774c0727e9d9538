import Crypto
import Foundation
import JSON
import SyncModel

/// Whose dropped files are, as short as a file's name needs it: an account's id may have any length.
struct OwnerKey: Hashable {
    /// 32 hexadecimal digits.
    let text: String

    /// The same for the same account of the same backend, whenever it is asked.
    init(_ owner: Destination) {
        let digest = SHA256.hash(data: Data("\(owner.backend)\u{0}\(owner.account)".utf8))
        text = digest.prefix(16).map { String(format: "%02x", $0) }.joined()
    }

    /// Nil for what is no key.
    init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else { return nil }
        self.text = text
    }
}

extension Destination {
    /// As it is written down beside the files, by its key.
    var written: Data {
        JSONValue.object(["backend": .string(backend), "account": .string(account.rawValue)]).serialized
    }

    /// Nil for what was not written for `key`.
    init?(written content: Data, for key: OwnerKey) {
        guard let root = JSONDocument(content)?.root, let backend = root.element(at: JSONPointer(tokens: ["backend"]))?.scalar?.string,
            let account = root.element(at: JSONPointer(tokens: ["account"]))?.scalar?.string
        else { return nil }
        self.init(backend: backend, account: AccountID(account))
        guard OwnerKey(self) == key else { return nil }
    }
}
