import Files
import Foundation

extension StationKeys {
    /// Takes another master key, and a new data key for what is sealed from now on. A crash at any step leaves a master key that opens the
    /// keyring. After an error, `self` is what the disk holds, except perhaps for a data key that has sealed nothing. A new key for a
    /// credential must be installed; the next start then completes the change.
    ///
    /// - Parameter store: keeps the copy in the store; called after each write of the file.
    package mutating func rotate(to next: VaultKey = VaultKey(), at now: Date, store: (StationKeys) throws -> Void) throws {
        let rotated = keyring.rotated(at: now)
        try become(rotated, under: [master, next], store)
        if source.isCredential { return }
        try DurableFile(path: source.path).replace(with: next.content)
        master = next
        try become(rotated, under: [next], store)
    }

    /// Forgets the earlier data keys, with which nothing may be sealed any more. False if a new master key waits for its installation: only
    /// the next start can seal the keyring for it.
    package mutating func forgetEarlier(store: (StationKeys) throws -> Void) throws -> Bool {
        if isPending { return false }
        try become(keyring.withoutEarlier, under: [master], store)
        return true
    }

    /// Durable in the file when `store` is called.
    private mutating func become(_ keyring: Keyring, under masters: [VaultKey], _ store: (StationKeys) throws -> Void) throws {
        let next = StationKeys(source, master, keyring, try WrappedKeyring(keyring, under: masters), in: state)
        try next.write()
        try store(next)
        self = next
    }
}
