import Crypto
import Foundation

/// A keyring sealed under one master key, or under two while the master key is being changed. The file `homing.keyring` and the store hold
/// the same bytes: for each master key the length (2 bytes, big-endian) and the sealed keyring, then the SHA-256 of all before.
package struct WrappedKeyring: Sendable, Equatable {
    /// In the order of the master keys.
    let wrappings: [Data]
    /// False if its bytes have changed since it was written.
    package let isWhole: Bool

    package init(_ keyring: Keyring, under masters: [VaultKey]) throws(VaultError) {
        var wrappings: [Data] = []
        for master in masters {
            wrappings.append(try Vault.seal(keyring.plain, with: SymmetricKey(data: master.bytes), as: Self.name))
        }
        (self.wrappings, isWhole) = (wrappings, true)
    }

    /// Takes what is readable of `content`.
    package init(parsing content: Data) {
        let body = Data(content.dropLast(Self.checksumSize))
        var (rest, wrappings) = (body, [Data]())
        while rest.count >= 2 {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = Data(rest.dropFirst(2))
            wrappings.append(Data(rest.prefix(length)))
            rest = Data(rest.dropFirst(length))
        }
        self.wrappings = wrappings
        isWhole = !wrappings.isEmpty && Vault.digest(body) == Data(content.suffix(Self.checksumSize))
    }

    package var content: Data {
        let body = wrappings.reduce(Data()) { all, sealed in
            all + withUnsafeBytes(of: UInt16(sealed.count).bigEndian) { Data($0) } + sealed
        }
        return body + Vault.digest(body)
    }

    /// The keyring, and the place of its wrapping; nil if this master key opens none.
    package func opened(by master: VaultKey) -> (keyring: Keyring, place: Int)? {
        for (place, sealed) in wrappings.enumerated() {
            // `try?`: it may be the other master key's.
            let plain = try? Vault.open(sealed, with: SymmetricKey(data: master.bytes), as: Self.name)
            if let keyring = plain.flatMap(Keyring.init(plain:)) { return (keyring, place) }
        }
        return nil
    }

    private static let name = "keyring"
    private static let checksumSize = 32
}
