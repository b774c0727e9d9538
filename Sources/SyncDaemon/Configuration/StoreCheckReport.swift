import ControlAPI
import Foundation
import Glibc
import Outbox
import Salvage
import Vault

/// The result of `homingd check --store`.
package struct StoreCheckReport: Sendable {
    package let isGood: Bool
    package let text: String

    /// Reads the whole configured store. Read-only.
    package static func run(file: String?, environment: [String: String]) -> StoreCheckReport {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else {
            return StoreCheckReport(
                isGood: false, text: "The store was not checked: the configuration has mistakes, so the location of the store is unknown.")
        }
        let state = configuration.stateDirectory
        let store = Daemon.store(in: state)
        let damages = SalvageReport.all(in: state).map { "\($0.sentence) The damaged files are in \($0.folder)." }
        guard StoreUse(of: store).isThere else {
            return StoreCheckReport(
                isGood: damages.isEmpty, text: (damages + ["There is no store yet at \(store)."]).joined(separator: "\n"))
        }
        if StoreUse(of: store).isLost {
            let lost = "The store \(store) is missing: only its marker \(store).use is left. Nothing was changed."
            let next = "If you have a backup, run: sudo homingd restore FILE"
            return StoreCheckReport(isGood: false, text: (damages + [lost, next]).joined(separator: "\n"))
        }
        var (ofKey, ofStore) = ([String](), [String]())
        var vault: Vault?
        do {
            vault = try Daemon.findKeys(for: state, environment: environment)?.vault()
            if vault == nil {
                ofKey.append("The key is missing, so the stored captures cannot be decrypted. Restore homing.key from your backup.")
            }
        } catch {
            ofKey.append("\(error)")
        }
        do {
            let wasInUse = isInUse(state)
            var check = try StoreCheck(file: store, vault: vault, isInUse: wasInUse)
            // A daemon that started meanwhile may have written during the check.
            if !wasInUse, !check.faults.isEmpty, isInUse(state) { check = try StoreCheck(file: store, vault: vault, isInUse: true) }
            ofStore = check.faults.map(\.withShortIDs)
            guard !ofKey.isEmpty || !ofStore.isEmpty || !damages.isEmpty else {
                let held = check.unreadable
                let known =
                    held == 0
                    ? ""
                    : " \(held) of them \(held == 1 ? "is" : "are") on hold and cannot be read. To list \(held == 1 ? "it" : "them"), run: homing list --state held"
                return StoreCheckReport(
                    isGood: true,
                    text: "The store is good: checked \(check.entries) entries and \(check.receipts) receipts in \(store).\(known)")
            }
        } catch .tooNew {
            let sentence = StartError.sentence(for: OutboxError.tooNew)
            return StoreCheckReport(isGood: false, text: (damages + ofKey + [sentence]).joined(separator: "\n"))
        } catch {
            ofStore.append(StartError.sentence(for: error))
        }
        let next: String? =
            if !ofKey.isEmpty {
                "Nothing was changed. The daemon does not start without its key. Restore a missing or damaged key from your backup: without it, the stored captures cannot be decrypted."
            } else if !ofStore.isEmpty {
                "Nothing was changed. Have the disk tested. The daemon saves the readable data at its next start. To restart the daemon, run: systemctl restart homingd"
            } else {
                nil
            }
        return StoreCheckReport(isGood: false, text: (damages + ofKey + ofStore + [next].compactMap(\.self)).joined(separator: "\n"))
    }

    /// True if a daemon holds the lock on `state`.
    static func isInUse(_ state: String) -> Bool {
        let descriptor = open(state + "/lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }
}
