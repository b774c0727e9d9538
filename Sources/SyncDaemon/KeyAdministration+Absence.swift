import ControlAPI
import ControlServer
import Files
import Foundation
import Glibc
import Vault

extension KeyAdministration {
    /// Why a state directory has no key that seals data, and what to do.
    func absence() -> StartError {
        guard DurableFile(path: state).exists else {
            return StartError(
                """
                The state directory \(state) \(origin) does not exist, so there is no key. The daemon makes both when it starts for the \
                first time. If this station has run before, the directory was deleted, and a start would make an empty store. Before you \
                start the daemon, make the directory, put your copy of the key there, and restore your backup:
                \(StateFiles.creation(of: state))
                sudo homingd key import KEYFILE
                sudo homingd restore FILE\(otherStation)
                """)
        }
        // `try?`: the search for the keys has reported an unusable file.
        if let key = try? source.read() {
            return StartError(
                """
                The key \(key.fingerprint) is in its place, \(source.path), but no data is sealed with it. The daemon makes the keyring \
                and the store when it starts for the first time. If this station has run before, restore a backup: sudo homingd restore FILE
                """)
        }
        return StartError(
            """
            The station has no key yet: its state directory \(state) \(origin) has no data. The daemon makes the key when it starts for \
            the first time.\(otherStation)
            """)
    }

    /// For a key that exists.
    func unreadable() -> StartError {
        StartError("\(UserName(geteuid()).short) may not read the key \(source.path). Repeat the command with sudo.")
    }

    /// The fault of a deleted file of the key that the running daemon still has; nil if the file is there, or if the daemon does not tell.
    func loss(_ client: ControlClient) async -> String? {
        // `try?`: the other checks report the missing key.
        guard !DurableFile(path: source.path).exists, let report = try? await client.call(Endpoints.key, NoInput()) else { return nil }
        // A daemon on another user's socket must not choose the path.
        return report.path == source.path ? fault(of: report) : nil
    }

    /// The fault of the file of the key that the running daemon has; nil if it has none, or if this user cannot read it.
    func fault(of report: KeyReport) -> String? {
        // An interrupted change may have replaced the file.
        if report.isCredential || report.isPending { return nil }
        let content: Data?
        do { content = try DurableFile(path: report.path).readOrNothing(upTo: KeySource.mostBytes) } catch { return nil }
        let what = content == nil ? "is missing" : "does not have this key"
        if content.flatMap(VaultKey.init(parsing:))?.fingerprint == report.fingerprint { return nil }
        guard DurableFile(path: state).exists else {
            let next = "For the next steps, run: homing status"
            return "The state directory \(state) is gone. Only the daemon has the key, so do not stop it. \(next)"
        }
        return """
            \(report.path) \(what). Only the daemon has it, so do not stop the daemon. To put the key back, run:
            \(KeyGone.commands(report.path, in: state))
            """
    }

    /// The configuration that names the state directory, because the caller may mean another one.
    private var origin: String { configuration.files.isEmpty ? "(the default without a configuration)" : "(of \(configuration.file))" }

    private var otherStation: String {
        guard geteuid() != 0, ServiceIdentity.exists, !ServiceIdentity.owns(state) else { return "" }
        return "\nIf you mean the station of the service, repeat the command with sudo, and without --config."
    }
}
