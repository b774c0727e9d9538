import Backends
import ControlAPI
import ControlServer
import Files
import Foundation
import Outbox
import Salvage
import SyncModel
import Vault

/// `homingd restore`: makes a backup the store of a station without entries (Decisions/Backups.md).
package struct StoreRestore {
    private let configuration: Configuration
    private let backends: [Backend]
    private let environment: [String: String]
    /// The configuration file that the command names; nil for the default path.
    private let file: String?
    private let credential: ServiceCredential

    private var state: String { configuration.stateDirectory }
    private var store: String { Daemon.store(in: state) }

    /// - Parameters:
    ///   - file: the configuration; nil for the default path.
    ///   - credential: found by root, because other users do not see its file.
    package init(
        configuration file: String?, environment: [String: String], credential: ServiceCredential = ServiceCredential()
    ) throws {
        (configuration, backends) = try ConfigurationCheck.read(file: file, environment: environment)
        self.environment = environment
        self.file = file
        self.credential = credential
    }

    /// Returns the result in sentences. Until everything is checked and marked, changes nothing but a draft.
    ///
    /// - Parameters:
    ///   - name: of the backup, for messages.
    ///   - key: the content of a key file, which opens the backup; nil for the station's key.
    ///   - stationKey: the content of a copy of the station's key, if only the running service has that.
    ///   - actor: as in events.
    package func run(
        _ backup: FileHandle, named name: String = "-", key: Data? = nil, stationKey: Data? = nil, by actor: String, at now: Date = Date()
    ) throws -> String {
        try checkState()
        let lock = try locked()
        defer { withExtendedLifetime(lock) {} }
        // Of an earlier restore that was interrupted.
        try DeviceID.takeRestored(stateDirectory: state)
        try checkStore()
        let visible = try visibleKey()
        let own = try stationKey.map { try checked($0, against: visible) } ?? visible
        let restored = try copied(backup, named: name, openedBy: try self.key(key, own))
        do {
            let entries = try restored.mark(at: now, by: actor, traits: backends.traits)
            try install(restored, for: own, at: now)
            let which = own == nil ? "this key" : "the key that you named with --station-key"
            let need = visible != nil ? "" : "\nThe daemon needs \(which) too: before you start it, put it where the service finds it."
            return text(restored.backup, entries, Moment(now: now)) + need
        } catch {
            restored.discard()
            throw error
        }
    }

    private func install(_ restored: RestoredStore, for own: VaultKey?, at now: Date) throws {
        let number = try StationKeys.keyring(in: state).number
        let earlier = try StationKeys.keyringContent(in: state)
        let next = try own.map { try restored.reseal(for: $0, at: now, after: number).content }
        do {
            // Before the store, which the keyring of the empty one would not open.
            try StationKeys.replaceKeyring(with: next, in: state)
            try DeviceID.note(restored.backup.station, stateDirectory: state)
            try restored.install()
        } catch {
            // `try?`: the earlier error is the cause, and a start with the wrong keyring is refused.
            if !restored.isInstalled { try? StationKeys.replaceKeyring(with: earlier, in: state) }
            throw error
        }
        try DeviceID.takeRestored(stateDirectory: state)
    }

    private func copied(_ backup: FileHandle, named name: String, openedBy master: VaultKey) throws -> RestoredStore {
        do { return try RestoredStore(copying: backup, beside: store, openedBy: master) } catch BackupError.damaged(let words) {
            let file = name == "-" ? "backup" : "backup \(name)"
            throw StartError("The \(file) is damaged (\(words)), so nothing was restored. \(BackupError.damaged(words).next)")
        }
    }

    /// The station's key; nil if there is none, or only the running service has it. With a credential, `homing.key` is a retired one.
    private func visibleKey() throws -> VaultKey? {
        let source = KeySource(environment: environment, stateDirectory: state)
        return try !source.isCredential && credential.source(for: state) != nil ? nil : source.read()
    }

    private func checked(_ content: Data, against visible: VaultKey?) throws -> VaultKey {
        let key = try VaultKey(copy: content, for: "homingd restore FILE --station-key -")
        guard let visible, visible != key else { return key }
        let path = KeySource(environment: environment, stateDirectory: state).path
        throw StartError("The station’s key is \(path), and the one of --station-key is another. Repeat the command without --station-key.")
    }

    /// The key that opens the backup.
    private func key(_ content: Data?, _ own: VaultKey?) throws -> VaultKey {
        if let content { return try VaultKey(copy: content, for: "homingd restore FILE --key -") }
        if let own { return own }
        if let path = credential.source(for: state) {
            throw StartError(
                """
                The service gets its key as a credential from \(path), which can be read only while the service runs. Repeat the command with a copy of the key: --key KEYFILE
                If the backup was made with an earlier key, name that one with --key, and a copy of the present one with --station-key KEYFILE.
                """)
        }
        let install = isOfService ? "sudo install -o \(ServiceIdentity.user) -g \(ServiceIdentity.user) -m 0600" : "install -m 0600"
        throw StartError(
            """
            The key \(state)/homing.key is missing, and a backup cannot be restored without it. Put your copy of the key there, or name it with --key if the service gets it as a credential, then repeat the command:
            \(install) /media/safe/homing.key \(state)/homing.key
            """)
    }
}

// MARK: - Obstacles

extension StoreRestore {
    private var isOfService: Bool { ServiceIdentity.owns(state) }

    private func checkState() throws {
        let folder = DurableFile(path: state)
        guard let owner = folder.owner else {
            throw StartError(
                """
                The state directory \(state) does not exist. To make it, run: \(StateFiles.creation(of: state))
                Put your copy of homing.key there, then repeat the command.
                """)
        }
        guard owner == geteuid() else {
            throw StartError(
                "\(state) belongs to \(UserName(owner).short), who must own the restored store too. Run the command as that user.")
        }
        if let fault = StateFiles.faults(in: state).first { throw StartError(fault) }
    }

    private func locked() throws -> StateLock {
        do { return try StateLock(directory: state) } catch {
            guard StoreCheckReport.isInUse(state) else { throw error }
            let stop = isOfService ? "To stop it, run: sudo systemctl stop homingd.socket homingd.service" : "Stop it."
            throw StartError("The daemon is running on \(state), so nothing was restored. \(stop)\nThen repeat the command.")
        }
    }

    /// Throws unless the store is missing, or has no entry and no receipt.
    private func checkStore() throws {
        if StoreDoctor.isSalvaging(store) {
            throw StartError(
                "A salvage of this station’s store was interrupted, so nothing was restored. Start the daemon, which completes it.")
        }
        let use = StoreUse(of: store)
        guard use.isThere, !use.isLost else { return }
        let check = try StoreCheck(file: store, vault: nil, isInUse: false)
        let isDamaged = !check.faults.isEmpty
        guard isDamaged || check.entries > 0 || check.receipts > 0 else { return }
        let receipts = Words.count(check.receipts, "receipt", "receipts")
        let found = isDamaged ? "a damaged store" : "a store with \(Words.entries(check.entries)) and \(receipts)"
        throw StartError(
            """
            The station has \(found), so nothing was restored. A backup is restored only into an empty station. To replace the store, move it away first, then repeat the command:
            sudo sh -c 'mkdir -m 700 \(state).old && mv \(store)* \(state).old/'
            """)
    }
}

// MARK: - The result

extension StoreRestore {
    private func text(_ backup: StoreBackup, _ entries: RestoredEntries, _ moment: Moment) -> String {
        let isEmpty = entries == RestoredEntries()
        let doubt = isEmpty ? "No entry is waiting." : "Homing may have sent its waiting entries after that."
        var lines = ["Restored the backup of \(moment.text(backup.at)). \(doubt)"]
        func add(_ count: Int, _ words: String) { if count > 0 { lines.append("  \(Words.entries(count)): \(words)") } }
        add(entries.lookedUp, "looked up at the server, and sent only if missing there")
        add(entries.repeated, "sent again, which the server treats as one")
        add(entries.held, "on hold, because the server may have it and cannot be asked; to list them, run: homing list --state held")
        add(entries.dependent, "on hold, because it needs an entry that is on hold")
        lines.append(
            "Entries that were accepted after the backup are not in it. Entries that were discarded or fixed after it are waiting again.")
        lines.append(
            "The account of the backup is signed in again. Capture nothing before you have seen ‘homing status’. Start the daemon:")
        let option = file.map { " --config \($0.asArgument)" } ?? ""
        lines.append(isOfService ? "sudo systemctl start homingd.socket homingd.service" : "homingd run\(option)")
        if entries.lookedUp + entries.repeated > 0 {
            lines.append("Sending is paused. Discard the entries that must not be sent. To list them, run: homing list")
            lines.append("To resume sending, run: homing resume")
        }
        return lines.joined(separator: "\n")
    }
}
