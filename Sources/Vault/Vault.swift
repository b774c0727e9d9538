import Crypto
import Foundation

extension Data {
    /// In lower case.
    package var hex: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(Self.hexDigits[Int(byte >> 4)])
            text.append(Self.hexDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// Encrypts data at rest: AES-GCM with a fresh nonce, bound to a name.
package struct Vault: Sendable {
    private let key: SymmetricKey
    private let digestKey: SymmetricKey

    package init(key: VaultKey) {
        self.key = SymmetricKey(data: key.bytes)
        digestKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: self.key, info: Data("homing.digest".utf8), outputByteCount: 32)
    }

    /// Encrypts `plain` so that only `open` with the same `id` decrypts it; adds 28 bytes.
    package func seal(_ plain: Data, as id: String) throws(VaultError) -> Data {
        do {
            let box = try AES.GCM.seal(plain, using: key, authenticating: Data(id.utf8))
            guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return sealed
        } catch {
            throw VaultError(.unreadable, "\(id) could not be encrypted (\(error)).")
        }
    }

    /// Decrypts; throws if a byte, the name or the key differs.
    package func open(_ sealed: Data, as id: String) throws(VaultError) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(id.utf8))
        } catch {
            throw VaultError(.unreadable, "\(id) cannot be decrypted: it is damaged, or it was sealed with another key.")
        }
    }

    /// The HMAC-SHA-256 of the parts under a derived key (RFC 5869): useless for guessing them without the key.
    package func keyedDigest(_ parts: Data...) -> Data {
        var code = HMAC<SHA256>(key: digestKey)
        for part in parts { code.update(data: part) }
        return Data(code.finalize())
    }

    /// The SHA-256 of the parts. Not for personal data, which could be guessed from it.
    package static func digest(_ parts: Data...) -> Data {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return Data(hash.finalize())
    }
}
