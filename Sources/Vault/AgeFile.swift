import Crypto
import Foundation

/// A recipient of an age file: `age1…`, an X25519 public key.
package struct AgeRecipient: Sendable {
    let bytes: Data
}

extension AgeRecipient {
    /// Nil unless the text is a whole recipient with the right checksum.
    package init?(_ text: String) {
        guard let bytes = Bech32.decoded(text, prefix: "age"), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// The encrypted file format of age, version 1 (https://age-encryption.org/v1): `age -d -i IDENTITY FILE` decrypts it.
package enum AgeFile {
    package static let intro = "age-encryption.org/v1"
    /// The first line of the text form.
    private static let armor = "-----BEGIN AGE ENCRYPTED FILE-----"

    /// True for a file of `age`, in either form.
    package static func isEncrypted(_ content: Data) -> Bool {
        [intro, armor].contains { content.starts(with: $0.utf8) }
    }

    /// Encrypts `plain`, of at most 64 KiB, for all recipients. Throws for a recipient that is no usable public key.
    package static func encrypted(_ plain: Data, for recipients: [AgeRecipient]) throws -> Data {
        precondition(plain.count <= 64 << 10)
        let fileKey = SymmetricKey(size: .bits128)
        var header = intro + "\n"
        for recipient in recipients { header += try stanza(fileKey, for: recipient) }
        header += "---"
        let headerKey = derived(fileKey, salt: Data(), "header")
        let code = HMAC<SHA256>.authenticationCode(for: Data(header.utf8), using: headerKey)
        header += " \(unpadded(Data(code)))\n"
        let nonce = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        // The payload is one chunk: the number 0 (11 bytes), and 1 for the last one.
        let last = try ChaChaPoly.Nonce(data: Data(count: 11) + [1])
        let box = try ChaChaPoly.seal(plain, using: derived(fileKey, salt: nonce, "payload"), nonce: last)
        return Data(header.utf8) + nonce + box.ciphertext + box.tag
    }

    /// The file key, wrapped with a key that only the recipient's secret key derives.
    private static func stanza(_ fileKey: SymmetricKey, for recipient: AgeRecipient) throws -> String {
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let share = ephemeral.publicKey.rawRepresentation
        let secret = try ephemeral.sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.bytes))
        let key = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: share + recipient.bytes, sharedInfo: Data("\(intro)/X25519".utf8), outputByteCount: 32)
        let plain = fileKey.withUnsafeBytes { Data($0) }
        let box = try ChaChaPoly.seal(plain, using: key, nonce: ChaChaPoly.Nonce(data: Data(count: 12)))
        return "-> X25519 \(unpadded(share))\n\(unpadded(box.ciphertext + box.tag))\n"
    }

    private static func derived(_ key: SymmetricKey, salt: Data, _ info: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: Data(info.utf8), outputByteCount: 32)
    }

    /// Base64 without its padding.
    private static func unpadded(_ bytes: Data) -> String { bytes.base64EncodedString().replacing("=", with: "") }
}
