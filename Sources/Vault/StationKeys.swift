import Files
import Foundation

/// The master key of a state directory, and the keyring that it opens (Decisions/MasterKeyAndDataKeys.md).
package struct StationKeys: Sendable {
    package let source: KeySource
    package internal(set) var master: VaultKey
    package internal(set) var keyring: Keyring
    /// The content of `homing.keyring`.
    package internal(set) var wrapped: WrappedKeyring
    let state: String

    init(_ source: KeySource, _ master: VaultKey, _ keyring: Keyring, _ wrapped: WrappedKeyring, in state: String) {
        (self.source, self.master, self.keyring, self.wrapped, self.state) = (source, master, keyring, wrapped, state)
    }

    /// A vault with this keyring.
    package func vault() -> Vault { Vault(keyring) }

    /// True while a new master key is not installed yet as the service's credential.
    package var isPending: Bool { wrapped.wrappings.count > 1 }

    /// Finds the keys of `stateDirectory`, or creates them in a new directory. Completes an interrupted change of the master key. Never
    /// overwrites a key: a missing, wrong, malformed or exposed one is an error. Throws `VaultError`, or `FileError` if a file cannot be
    /// read or written.
    ///
    /// - Parameter copies: the keyrings in the store, in case the file is missing or damaged.
    package static func load(
        environment: [String: String], stateDirectory state: String, now: Date = Date(), copies: () -> [Data] = { [] }
    ) throws -> StationKeys {
        let source = KeySource(environment: environment, stateDirectory: state)
        let master = if let found = try source.read() { found } else { try create(source, in: state) }
        guard let (found, place, isStored) = try opened(source, master, in: state, copies) else {
            let keyring = Keyring(at: now)
            let keys = StationKeys(source, master, keyring, try WrappedKeyring(keyring, under: [master]), in: state)
            try keys.write()
            return keys
        }
        let keys = try found.settled(at: place, now: now)
        if !isStored || keys.wrapped != found.wrapped { try keys.write() }
        return keys
    }

    /// Finds the keys like `load` and `take`, without writing; nil if `load` would create a key or a keyring.
    package static func find(
        environment: [String: String], stateDirectory state: String, copies: () -> [Data] = { [] }
    ) throws -> StationKeys? {
        let source = KeySource(environment: environment, stateDirectory: state)
        guard let master = try source.read() else {
            if hasState(in: state) { throw missing(source) }
            return nil
        }
        return try compared(source, master, in: state, copies)
    }

    /// The readable part of `homing.keyring`.
    package static func keyring(in state: String) throws(FileError) -> WrappedKeyring {
        WrappedKeyring(parsing: try keyringContent(in: state) ?? Data())
    }

    /// The content of `homing.keyring`, empty if it cannot be read; nil without the file.
    package static func keyringContent(in state: String) throws(FileError) -> Data? {
        try file(in: state).readOrNothing(upTo: mostBytes)
    }

    /// For a store with another keyring that is about to be put in place. Without `content`, the next start takes the store's copy.
    package static func replaceKeyring(with content: Data?, in state: String) throws(FileError) {
        if let content { try file(in: state).replace(with: content) } else { try file(in: state).remove() }
    }

    // MARK: -

    /// Much more than a keyring with two wrappings of `mostEarlier` keys.
    private static let mostBytes = 1 << 16

    private static func file(in state: String) -> DurableFile { DurableFile(path: "\(state)/homing.keyring") }

    func write() throws(FileError) { try Self.file(in: state).replace(with: wrapped.content) }

    /// With a change of the master key completed or called off, unless the new key of a credential may be installed later. A new master key
    /// in the state directory is in its place before the old one is dropped; otherwise it is lost.
    func settled(at place: Int, now: Date) throws(VaultError) -> StationKeys {
        guard isPending, place > 0 || !source.isCredential || !wrapped.isWhole else { return self }
        // The old master key has sealed the data key of until now.
        let keyring = place > 0 ? keyring.rotated(at: now) : keyring
        let next = try WrappedKeyring(keyring, under: [master], number: wrapped.number + 1)
        return StationKeys(source, master, keyring, next, in: state)
    }

    /// For a store whose copy of the keyring is newer than these keys, and does not open.
    static func outdated(_ source: KeySource, in state: String) -> VaultError {
        VaultError(
            .wrongKey,
            "\(source.path) and \(file(in: state).path) are older than the store, which was sealed with another key since. "
                + "Put your newest copy of the key back. Nothing was sent or changed.")
    }

    /// For a store with a copy of a keyring that does not belong to these keys.
    static func foreign(_ source: KeySource, in state: String) -> VaultError {
        VaultError(
            .wrongKey,
            "The store has another keyring than \(file(in: state).path), or one that \(source.path) does not open: a restore was "
                + "interrupted, or a file was put back from an older copy. Nothing was sent or changed. If you put a file back, put back "
                + "the others of the same time too. After an interrupted restore, repeat homingd restore.")
    }

    /// For an older store that was put back while a new credential waits.
    static func pending(in state: String) -> VaultError {
        VaultError(
            .unchangeable,
            "The store has a data key that \(file(in: state).path) does not have, so an older store was put back while a new master key "
                + "waits for its installation. Nothing was sent or changed. To use this store, move \(file(in: state).path) away, which "
                + "calls off the change of the key, and start the daemon again.")
    }

    /// For a store whose data keys do not all fit beside these.
    static func tooMany(_ most: Int, in state: String) -> VaultError {
        VaultError(
            .unchangeable,
            "The store and \(file(in: state).path) together have more than \(most) earlier data keys. Nothing was sent or changed. "
                + "To use this store, move \(file(in: state).path) away, and start the daemon again.")
    }

    /// The keys, the place of the wrapping, and whether the file holds it unchanged; nil without any keyring or data.
    private static func opened(
        _ source: KeySource, _ master: VaultKey, in state: String, _ copies: () -> [Data]
    ) throws -> (keys: StationKeys, place: Int, isStored: Bool)? {
        let file = file(in: state)
        var isOther = false
        func keys(in content: Data) -> (keys: StationKeys, place: Int, isStored: Bool)? {
            let wrapped = WrappedKeyring(parsing: content)
            if wrapped.isWhole { isOther = true }
            guard let (keyring, place) = wrapped.opened(by: master) else { return nil }
            return (StationKeys(source, master, keyring, wrapped.withProvenNumber, in: state), place, wrapped.isWhole)
        }
        if let found = keys(in: try keyringContent(in: state) ?? Data()) { return found }
        let found = copies().compactMap(keys).max { $0.keys.wrapped.number < $1.keys.wrapped.number }
        if let found { return (found.keys, found.place, false) }
        if isOther { throw wrong(source, file) }
        if hasData(in: state) { throw lost(file) }
        return nil
    }

    /// The keys as `take` would leave them. Throws if the newest copy in the store does not belong to them.
    private static func compared(
        _ source: KeySource, _ master: VaultKey, in state: String, _ copies: () -> [Data]
    ) throws -> StationKeys? {
        let copies = copies()
        guard let keys = try opened(source, master, in: state, { copies })?.keys else { return nil }
        let whole = copies.map { WrappedKeyring(parsing: $0) }.filter(\.isWhole)
        guard let newest = whole.max(by: { $0.number < $1.number }), newest != keys.wrapped else { return keys }
        let found = try keys.opened(newest).keyring
        if newest.number >= keys.wrapped.number { return StationKeys(source, master, found, newest, in: state) }
        return StationKeys(source, master, keys.keyring.adding(found), keys.wrapped, in: state)
    }

    private static func hasState(in state: String) -> Bool { file(in: state).exists || hasData(in: state) }

    private static func hasData(in state: String) -> Bool { hasStore(in: state) || DurableFile(path: "\(state)/damaged").exists }

    private static func hasStore(in state: String) -> Bool {
        ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite.use"].contains { DurableFile(path: "\(state)/\($0)").exists }
    }

    private static func create(_ source: KeySource, in state: String) throws -> VaultKey {
        guard !hasState(in: state) else { throw missing(source) }
        let key = VaultKey()
        if try DurableFile(path: source.path).create(with: key.content) { return key }
        // Another process created it meanwhile, so that key counts.
        guard let theirs = try source.read() else { throw VaultError(.keyMissing, "\(source.path) disappeared. Start the daemon again.") }
        return theirs
    }

    private static func missing(_ source: KeySource) -> VaultError {
        VaultError(
            .keyMissing,
            "\(source.path) is missing. Without it, Homing cannot decrypt the stored data. Put your copy of the key back "
                + "with ‘homingd key import’, or move the state directory away to start with a new one.")
    }

    private static func lost(_ file: DurableFile) -> VaultError {
        VaultError(
            .keyMissing,
            "\(file.path) is missing or damaged, and the store has no readable copy of it. Without it, Homing cannot decrypt the stored "
                + "data. Put the file back if you moved it. Otherwise keep homing.key, move the state directory away, and restore a backup."
        )
    }

    private static func wrong(_ source: KeySource, _ file: DurableFile) -> VaultError {
        VaultError(
            .wrongKey,
            "\(source.path) is not the key that this state directory was encrypted with (checked against \(file.path)). "
                + "Put the old key back from your backup. Nothing was sent or changed.")
    }
}

extension StationKeys {
    /// True if this master key opens the keyring of a state directory, and the newest copy in its store; nil if there is no keyring, and no
    /// store. Throws without a readable keyring of the store.
    package static func opens(_ master: VaultKey, in state: String, copies: () -> [Data] = { [] }) throws -> Bool? {
        do {
            return try compared(KeySource(environment: [:], stateDirectory: state), master, in: state, copies).map { _ in true }
        } catch let error as VaultError where error.code == .wrongKey {
            return false
        } catch let error as VaultError where error.code == .keyMissing && !hasStore(in: state) {
            // Only the files of earlier salvages are left. A restore brings a keyring.
            return nil
        }
    }
}
