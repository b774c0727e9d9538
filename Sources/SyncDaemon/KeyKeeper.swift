import ControlAPI
import Files
import Foundation
import Outbox
import SyncModel
import Synchronization
import Vault

/// The station's keys while its store is open. Changes the file of the keyring, its copy in the store and the vault together.
final class KeyKeeper: Sendable {
    let vault: Vault
    /// Sent when data must be sealed again.
    let changed = Signal()
    private let keys: Mutex<StationKeys>
    /// Rows that the present pass of re-sealing has not read yet.
    private let left = Mutex<Int?>(nil)

    init(_ keys: StationKeys) {
        vault = keys.vault()
        self.keys = Mutex(keys)
    }

    var report: KeyReport { KeyReport(keys.withLock { $0 }, left: left.withLock { $0 }) }

    /// Keeps the copy of the keyring in the store up to date. Before the first entry is accepted. Throws if the keys are older than the
    /// store.
    func copy(to outbox: Outbox, at now: Date) throws {
        let stored = try outbox.storedKeyring().map { WrappedKeyring(parsing: $0) }
        let wrapped = try keys.withLock { keys in
            if let stored, try keys.take(stored, at: now) { vault.adopt(keys.keyring) }
            return keys.wrapped
        }
        try outbox.keep(wrapped)
    }

    /// Before a salvage, which would take data of other keys for damaged: takes the keyrings of the damaged store, or throws if they do not
    /// belong to these keys.
    func compare(with copies: [Data], at now: Date) throws {
        let stored = copies.map { WrappedKeyring(parsing: $0) }
        try keys.withLock { keys in
            if try keys.take(fromDamaged: stored, at: now) { vault.adopt(keys.keyring) }
        }
    }

    /// Changes the master key and the data key, and records the event `keyChanged` first, unless the change is refused. Synchronous from
    /// then on, so that no other change comes between its steps.
    ///
    /// - Parameter content: of the file with the new master key; nil for a random one.
    func rotate(to content: Data?, in outbox: Outbox, by actor: String, at now: Date) async throws {
        let next = try master(content)
        do { try keys.withLock { try $0.requireChangeable() } } catch { throw failure(error, next) }
        try await outbox.record([SyncEvent(at: now, .keyChanged, detail: ["by": actor])])
        defer { changed.send() }
        do {
            try keys.withLock { keys in
                try keys.rotate(to: next, at: now) { step in
                    try outbox.keep(step.wrapped)
                    vault.adopt(step.keyring)
                }
            }
        } catch { throw failure(error, next) }
    }

    private func failure(_ error: any Error, _ next: VaultKey) -> Problem {
        let isInPlace = report.fingerprint == next.fingerprint
        return Problem(
            .storageFailed, status: 500, title: isInPlace ? "The change of the key is not complete" : "The key was not changed",
            detail: StartError.sentence(for: error),
            next: isInPlace
                ? "\(report.path) already has the new key, which opens the data. Fix the cause, then repeat the command."
                : "Nothing is lost: the station’s key still opens its data. Fix the cause, then repeat the command.")
    }

    private func master(_ content: Data?) throws(Problem) -> VaultKey {
        let report = report
        guard let content else {
            guard report.isCredential else { return VaultKey() }
            throw .invalid(
                "The key is a credential of the service, which Homing cannot write.",
                next: """
                    Make a new key, and name it:
                    (umask 077; head -c 32 /dev/urandom | base64 > /root/homing.key.new)
                    homingd key rotate --new-key /root/homing.key.new
                    """)
        }
        guard let next = VaultKey(parsing: content) else {
            throw .invalid("The new key has \(content.count) bytes; expected 32 random bytes, raw or in base64.")
        }
        if next.fingerprint == report.fingerprint, !keys.withLock({ $0.awaits(next) }) {
            throw .invalid("The station has this key already. To change it, name another new key.")
        }
        return next
    }
}

// MARK: - A lost key file

extension KeyKeeper {
    /// The path of the key file if it was deleted; nil if the file is there, and for a credential. Looks at the file's name only.
    var deletedFile: String? {
        let source = keys.withLock { $0.source }
        return source.isCredential || DurableFile(path: source.path).exists ? nil : source.path
    }

    /// The content of the key file, if that is missing, damaged or another key. Throws otherwise: a person who may have the key reads the
    /// file.
    func lostKey() throws(Problem) -> Data {
        let (source, master) = keys.withLock { ($0.source, $0.master) }
        if source.isCredential {
            throw .invalid(
                "The key is a credential of the service, which was not deleted with the state directory.",
                next: """
                    While the service runs, copy it to a file that only root can read:
                    sudo install -m 0600 \(source.path) KEYFILE
                    """)
        }
        // `try?`: an unreadable file does not have the key.
        let content = try? DurableFile(path: source.path).readOrNothing(upTo: KeySource.mostBytes)
        guard content.flatMap(VaultKey.init(parsing:)) != master else {
            throw .invalid(
                "The key file \(source.path) is in its place.", next: "To copy it, run: sudo install -m 0600 \(source.path) KEYFILE")
        }
        return master.content
    }
}

// MARK: - Sealing again

extension KeyKeeper {
    var hasEarlier: Bool { keys.withLock { $0.keyring.hasEarlier } }

    /// Notes the progress of a pass; nil at its end.
    func note(left count: Int?) { left.withLock { $0 = count } }

    /// Drops the earlier data keys, unless the data key has changed since `generation` of the vault. False if they stay.
    func forgetEarlier(of generation: Int, in outbox: Outbox) throws -> Bool {
        // The vault keeps them until the daemon ends: a read that began before may hold a row under an earlier key.
        try keys.withLock { keys in
            guard vault.generation == generation else { return false }
            return try keys.forgetEarlier { step in try outbox.keep(step.wrapped) }
        }
    }
}

extension KeyReport {
    init(_ keys: StationKeys, left: Int? = nil) {
        self.init(
            path: keys.source.path, isCredential: keys.source.isCredential, fingerprint: keys.master.fingerprint,
            madeAt: keys.keyring.madeAt, isPending: keys.isPending, isResealing: keys.keyring.hasEarlier, left: left)
    }
}
