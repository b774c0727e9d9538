import Crypto
import Foundation

/// A keyring sealed under one master key, or under two while the master key is being changed. The file `homing.keyring` and the store hold
/// the same bytes: the number (8 bytes, big-endian), for each master key the length (2 bytes) and the sealed keyring, then the SHA-256 of
/// all bytes before.
package struct WrappedKeyring: Sendable, Equatable {
    /// Grows with each change, so that the newer one of two copies is known without a clock. 0 for a damaged copy that no key has opened.
    package let number: UInt64
    /// The number as it is written. The keyring is sealed under it.
    private let written: UInt64
    /// In the order of the master keys.
    let wrappings: [Data]
    /// False if its bytes have changed since it was written.
    package let isWhole: Bool

    package init(_ keyring: Keyring, under masters: [VaultKey], number: UInt64 = 1) throws(VaultError) {
        var wrappings: [Data] = []
        for master in masters {
            wrappings.append(try Vault.seal(keyring.plain, with: SymmetricKey(data: master.bytes), as: Self.name(number)))
        }
        (self.number, written, self.wrappings, isWhole) = (number, number, wrappings, true)
    }

    private init(number: UInt64, _ wrappings: [Data], isWhole: Bool) {
        (self.number, written, self.wrappings, self.isWhole) = (number, number, wrappings, isWhole)
    }

    /// Takes the readable part of `content`.
    package init(parsing content: Data) {
        let body = Data(content.dropLast(Self.checksumSize))
        written = body.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        var (rest, wrappings) = (Data(body.dropFirst(8)), [Data]())
        while rest.count >= 2 {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = Data(rest.dropFirst(2))
            wrappings.append(Data(rest.prefix(length)))
            rest = Data(rest.dropFirst(length))
        }
        self.wrappings = wrappings
        isWhole = !wrappings.isEmpty && Vault.digest(body) == Data(content.suffix(Self.checksumSize))
        number = isWhole ? written : 0
    }

    /// For a copy that a master key has opened, which proves the number that is written.
    var withProvenNumber: WrappedKeyring { WrappedKeyring(number: written, wrappings, isWhole: isWhole) }

    package var content: Data {
        let start = withUnsafeBytes(of: written.bigEndian) { Data($0) }
        let body = wrappings.reduce(start) { all, sealed in
            all + withUnsafeBytes(of: UInt16(sealed.count).bigEndian) { Data($0) } + sealed
        }
        return body + Vault.digest(body)
    }

    /// The keyring, and the place of its wrapping; nil if this master key opens none.
    package func opened(by master: VaultKey) -> (keyring: Keyring, place: Int)? {
        for (place, sealed) in wrappings.enumerated() {
            // `try?`: it may be the other master key's.
            let plain = try? Vault.open(sealed, with: SymmetricKey(data: master.bytes), as: Self.name(written))
            if let keyring = plain.flatMap(Keyring.init(plain:)) { return (keyring, place) }
        }
        return nil
    }

    /// True if this master key opens it, and no other one does.
    package func isSealed(onlyFor master: VaultKey) -> Bool { wrappings.count == 1 && opened(by: master) != nil }

    private static func name(_ number: UInt64) -> String { "keyring/\(number)" }
    private static let checksumSize = 32
}
