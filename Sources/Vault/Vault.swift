import Crypto
import Foundation
import Synchronization

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

/// Encrypts data at rest with the data keys of a keyring: AES-GCM with a fresh nonce, bound to a name.
package final class Vault: Sendable {
    private let keys: Mutex<Keys>
    private let digestKey: SymmetricKey

    package init(_ keyring: Keyring) {
        keys = Mutex(Keys(keyring))
        digestKey = SymmetricKey(data: keyring.digest.bytes)
    }

    /// Derives the keyring from `key`; see `Keyring.init(from:)`.
    package convenience init(key: VaultKey) { self.init(Keyring(from: key)) }

    /// Encrypts `plain` with the current data key, so that only `open` with the same `id` decrypts it; adds 28 bytes.
    package func seal(_ plain: Data, as id: String) throws(VaultError) -> Data {
        try Self.seal(plain, with: keys.withLock { $0.current }, as: id)
    }

    /// Decrypts; throws if a byte or the name differs, or no key of the keyring has sealed it.
    package func open(_ sealed: Data, as id: String) throws(VaultError) -> Data {
        let keys = keys.withLock { $0 }
        for key in [keys.current] + keys.earlier {
            // `try?`: the next key may open it.
            if let plain = try? Self.open(sealed, with: key, as: id) { return plain }
        }
        throw .unreadable(id)
    }

    /// The HMAC-SHA-256 of the parts under the digest key: useless for guessing them without the key.
    package func keyedDigest(_ parts: Data...) -> Data {
        var code = HMAC<SHA256>(key: digestKey)
        for part in parts { code.update(data: part) }
        return Data(code.finalize())
    }

    /// Proves that a station with this digest key has written the text, as long as only it has the key. Its key is another one for each
    /// purpose, so that no digest is a proof.
    package func proof(of text: String, for purpose: String) -> Data {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: digestKey, info: Data("homing.proof.\(purpose)".utf8), outputByteCount: VaultKey.size)
        return Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    /// The SHA-256 of the parts. Not for personal data, which could be guessed from it.
    package static func digest(_ parts: Data...) -> Data {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return Data(hash.finalize())
    }
}

// MARK: - Another data key

extension Vault {
    /// Seals with this keyring from now on. Its digest key must be the same.
    package func adopt(_ keyring: Keyring) {
        keys.withLock { keys in
            guard keys.keyring != keyring else { return }
            let generation = keys.generation + 1
            keys = Keys(keyring, generation: generation)
        }
    }

    /// Grows when the keyring changes.
    package var generation: Int { keys.withLock { $0.generation } }

    /// The same under the current data key; nil if that has sealed it. Throws if no key opens it.
    package func resealed(_ sealed: Data, as id: String) throws(VaultError) -> Data? {
        let current = keys.withLock { $0.current }
        // `try?`: an earlier key may open it.
        if (try? Self.open(sealed, with: current, as: id)) != nil { return nil }
        return try Self.seal(open(sealed, as: id), with: current, as: id)
    }

    /// For a transaction that stores data sealed before it, in `generation`: sealed again if the data key has changed since, because
    /// the re-sealing of the store may be over.
    package func refreshed(_ sealed: Data, of generation: Int, as id: String) throws(VaultError) -> Data {
        try generation == self.generation ? sealed : resealed(sealed, as: id) ?? sealed
    }

    private struct Keys {
        let keyring: Keyring
        let generation: Int
        let current: SymmetricKey
        let earlier: [SymmetricKey]

        init(_ keyring: Keyring, generation: Int = 0) {
            (self.keyring, self.generation) = (keyring, generation)
            current = SymmetricKey(data: keyring.current.bytes)
            earlier = keyring.earlier.map { SymmetricKey(data: $0.bytes) }
        }
    }
}

// MARK: - One key

extension Vault {
    static func seal(_ plain: Data, with key: SymmetricKey, as id: String) throws(VaultError) -> Data {
        do {
            let box = try AES.GCM.seal(plain, using: key, authenticating: Data(id.utf8))
            guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return sealed
        } catch {
            throw VaultError(.unreadable, "\(id) could not be encrypted (\(error)).")
        }
    }

    static func open(_ sealed: Data, with key: SymmetricKey, as id: String) throws(VaultError) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(id.utf8))
        } catch {
            throw .unreadable(id)
        }
    }
}

extension VaultError {
    fileprivate static func unreadable(_ id: String) -> VaultError {
        VaultError(.unreadable, "\(id) cannot be decrypted: it is damaged, or it was sealed with another key.")
    }
}
