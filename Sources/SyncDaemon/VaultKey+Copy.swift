import Foundation
import Vault

extension VaultKey {
    /// The key in a copy that a person gives to a command.
    ///
    /// - Parameter command: the command that reads the copy from standard input.
    init(copy content: Data, for command: String) throws(StartError) {
        if AgeFile.isEncrypted(content) {
            throw StartError("The copy of the key is still encrypted. To decrypt it, run: age -d -i IDENTITY KEYFILE | sudo \(command)")
        }
        guard let key = VaultKey(parsing: content) else {
            throw StartError(
                "The key has \(content.count) bytes; expected 32 random bytes, raw or in base64. Name your copy of homing.key.")
        }
        self = key
    }
}
