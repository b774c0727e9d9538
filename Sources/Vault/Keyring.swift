import Crypto
import Foundation

/// The keys of a station's data, which its master key seals (Decisions/MasterKeyAndDataKeys.md). Prints no key.
package struct Keyring: Sendable, Equatable {
    /// When the current data key was made; to the millisecond.
    package let madeAt: Date
    /// The key of all digests. It never changes, so that the same submission is recognised.
    let digest: VaultKey
    /// Seals all data.
    let current: VaultKey
    /// Open data that is not sealed again yet.
    let earlier: [VaultKey]

    /// Random keys.
    package init(at now: Date) { self.init(madeAt: now, digest: VaultKey(), current: VaultKey(), earlier: []) }

    /// Derived from one key, for a vault without a state directory.
    package init(from key: VaultKey) {
        let digest = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.bytes), info: Data("homing.digest".utf8), outputByteCount: VaultKey.size)
        self.init(
            madeAt: Date(timeIntervalSince1970: 0), digest: VaultKey(bytes: digest.withUnsafeBytes { Data($0) }), current: key, earlier: [])
    }

    private init(madeAt: Date, digest: VaultKey, current: VaultKey, earlier: [VaultKey]) {
        self.madeAt = Date(timeIntervalSince1970: (madeAt.timeIntervalSince1970 * 1000).rounded() / 1000)
        (self.digest, self.current, self.earlier) = (digest, current, earlier)
    }

    /// True until all data is sealed with the current data key.
    package var hasEarlier: Bool { !earlier.isEmpty }
    var earlierCount: Int { earlier.count }

    /// With a new data key.
    package func rotated(at now: Date) -> Keyring {
        Keyring(madeAt: now, digest: digest, current: VaultKey(), earlier: [current] + earlier)
    }

    /// With the data keys of `other` that it lacks, as earlier ones.
    func adding(_ other: Keyring) -> Keyring {
        let known = [current] + earlier
        let unknown = ([other.current] + other.earlier).filter { !known.contains($0) }
        return Keyring(madeAt: madeAt, digest: digest, current: current, earlier: earlier + unknown)
    }

    /// With the current data key alone.
    package var withoutEarlier: Keyring { Keyring(madeAt: madeAt, digest: digest, current: current, earlier: []) }

    // MARK: Plain form: the time in milliseconds (8 bytes, big-endian), the digest key, the current data key, the earlier ones.

    var plain: Data {
        let time = withUnsafeBytes(of: UInt64(max(0, madeAt.timeIntervalSince1970 * 1000).rounded()).bigEndian) { Data($0) }
        return ([digest, current] + earlier).reduce(time) { $0 + $1.bytes }
    }

    init?(plain: Data) {
        let keys = plain.count - 8
        guard keys >= 2 * VaultKey.size, keys.isMultiple(of: VaultKey.size) else { return nil }
        let ms = plain.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let all = stride(from: 8, to: plain.count, by: VaultKey.size).map {
            VaultKey(bytes: Data(plain.dropFirst($0).prefix(VaultKey.size)))
        }
        self.init(madeAt: Date(timeIntervalSince1970: Double(ms) / 1000), digest: all[0], current: all[1], earlier: Array(all[2...]))
    }
}
