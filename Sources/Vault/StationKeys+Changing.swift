import Files
import Foundation

extension StationKeys {
    /// Takes another master key, and then a new data key, which only that master key has ever sealed. A crash at any step leaves a master
    /// key that opens the keyring. After an error, the keyring of `self` opens all data. A new key for a credential must be installed; the
    /// next start then completes the change.
    ///
    /// - Parameter store: keeps the copy in the store; called after each write of the file.
    package mutating func rotate(to next: VaultKey = VaultKey(), at now: Date, store: (StationKeys) throws -> Void) throws {
        try requireChangeable()
        if !source.isCredential, let present = try source.read(), let (_, place) = wrapped.opened(by: present) {
            // An earlier change may have failed after it replaced the file.
            master = present
            if place > 0 {
                try become(keyring.rotated(at: now), under: [master], store)
                if next == master { return }
            }
        }
        try become(keyring, under: [master, next], store)
        if source.isCredential { return }
        try DurableFile(path: source.path).replace(with: next.content)
        master = next
        try become(keyring.rotated(at: now), under: [next], store)
    }

    /// True if a change to this master key has failed after it replaced the key file, and must be completed.
    package func awaits(_ next: VaultKey) -> Bool { !source.isCredential && isPending && (wrapped.opened(by: next)?.place ?? 0) > 0 }

    /// Forgets the earlier data keys, with which nothing may be sealed any more. False if a new master key waits for its installation: only
    /// the next start can seal the keyring for it.
    package mutating func forgetEarlier(store: (StationKeys) throws -> Void) throws -> Bool {
        if isPending { return false }
        try become(keyring.withoutEarlier, under: [master], store)
        return true
    }

    /// Takes the store's copy of the keyring if the file is older, which was put back from a backup. Adds the data keys of an older copy,
    /// which belongs to a store that was put back. Durable in the file when it returns. Throws if the master key does not open the copy, of
    /// any age, or finds another digest key: the copy may be the only one, and must stay. False if nothing changed.
    @discardableResult
    package mutating func take(_ stored: WrappedKeyring, at now: Date) throws -> Bool {
        guard stored.isWhole, stored != wrapped else { return false }
        let (found, place) = try opened(stored)
        // The same number: `load` has completed a change in an older file.
        guard stored.number >= wrapped.number else { return try add([found]) }
        let next = try StationKeys(source, master, found, stored, in: state).settled(at: place, now: now)
        try next.write()
        self = next
        return true
    }

    /// Takes the keyring of a damaged store with copies of different age. Adds the data keys of the earlier ones that open. Passes over an
    /// old one that does not open if there are earlier data keys: it may be all that the damage has left of a change.
    package mutating func take(fromDamaged copies: [WrappedKeyring], at now: Date) throws -> Bool {
        let whole = copies.filter(\.isWhole)
        guard let newest = whole.max(by: { $0.number < $1.number }) else { return false }
        let before = wrapped
        let isForeign = newest.opened(by: master).map { $0.keyring.digest != keyring.digest } ?? !keyring.hasEarlier
        if newest.number >= wrapped.number || isForeign { try take(newest, at: now) }
        // A new master key that waits cannot open more keys than before.
        if !isPending { _ = try add(whole.compactMap { $0.opened(by: master)?.keyring }.filter { $0.digest == keyring.digest }) }
        return wrapped != before
    }

    /// The keyring of the store's copy, and the place of its wrapping. Throws if the copy does not belong to these keys.
    func opened(_ stored: WrappedKeyring) throws(VaultError) -> (keyring: Keyring, place: Int) {
        guard let found = stored.opened(by: master) else {
            throw stored.number < wrapped.number ? Self.foreign(source, in: state) : Self.outdated(source, in: state)
        }
        guard found.keyring.digest == keyring.digest else { throw Self.foreign(source, in: state) }
        return found
    }

    /// Throws if `rotate` would refuse a change before its first step.
    package func requireChangeable() throws(VaultError) {
        if !source.isCredential, DurableFile(path: source.path).isLink {
            throw VaultError(
                .unchangeable,
                "\(source.path) is a symbolic link, and Homing would replace the link and leave the key behind it. "
                    + "Put the key itself there.")
        }
        guard keyring.earlierCount < Self.mostEarlier else {
            throw VaultError(
                .unchangeable,
                "The key was changed \(Self.mostEarlier) times before all data was sealed again. Let the daemon run, which does that.")
        }
    }

    /// Each takes 32 bytes of a keyring, and a try for each row that it sealed.
    private static let mostEarlier = 100

    /// False if no data key is new. Throws before it would drop a data key, or a master key that waits for its installation.
    private mutating func add(_ others: [Keyring]) throws -> Bool {
        let merged = others.reduce(keyring) { $0.adding($1) }
        if merged == keyring { return false }
        // Only its holder could seal the merged keyring for the new master key too.
        guard !isPending else { throw Self.pending(in: state) }
        guard merged.earlierCount <= Self.mostEarlier else { throw Self.tooMany(Self.mostEarlier, in: state) }
        try become(merged, under: [master]) { _ in }
        return true
    }

    /// Durable in the file when `store` is called.
    private mutating func become(_ keyring: Keyring, under masters: [VaultKey], _ store: (StationKeys) throws -> Void) throws {
        let next = StationKeys(
            source, master, keyring, try WrappedKeyring(keyring, under: masters, number: wrapped.number + 1), in: state)
        try next.write()
        try store(next)
        self = next
    }
}
