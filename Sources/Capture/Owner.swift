import Crypto
import Foundation
import JSON
import SyncModel

/// A short account key for file names: account ids can have any length.
struct OwnerKey: Hashable {
    /// 32 hexadecimal digits.
    let text: String

    init(_ owner: Destination) {
        let digest = SHA256.hash(data: Data("\(owner.backend)\u{0}\(owner.account)".utf8))
        text = digest.prefix(16).map { String(format: "%02x", $0) }.joined()
    }

    init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else { return nil }
        self.text = text
    }
}

extension Destination {
    /// Stored under the owner's key.
    var written: Data {
        JSONValue.object(["backend": .string(backend), "account": .string(account.rawValue)]).serialized
    }

    /// Nil if the record does not match `key`.
    init?(written content: Data, for key: OwnerKey) {
        guard let root = JSONDocument(content)?.root, let backend = root.element(at: JSONPointer(tokens: ["backend"]))?.scalar?.string,
            let account = root.element(at: JSONPointer(tokens: ["account"]))?.scalar?.string
        else { return nil }
        self.init(backend: backend, account: AccountID(account))
        guard OwnerKey(self) == key else { return nil }
    }
}
