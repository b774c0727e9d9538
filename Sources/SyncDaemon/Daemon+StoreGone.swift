import Logging
import Outbox

/// The log lines about a store that was deleted, moved or replaced.
extension Daemon {
    /// Says once that the store's file is gone, and once that it is back.
    @Sendable func tellOfPlace() {
        guard let path = outbox.place.lost else { return context.log.notice("The store is in its place again") }
        context.log.critical(
            """
            The store was deleted or replaced. Do not stop the daemon, which still has the captures and the key. Run now: \
            sudo homingd key export KEYFILE --unencrypted, and then: sudo homing backup FILE
            """,
            metadata: ["path": "\(path)"])
    }

    /// The entries that this daemon cannot keep; nil if there are none. Not after the store was closed.
    func loss() -> StoreLoss? {
        do { return try outbox.loss() } catch {
            context.log.warning("The entries of the lost store could not be counted", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// The last line of a daemon that stopped without its store.
    func tellOfLoss(_ loss: StoreLoss) {
        var facts: Logger.Metadata = [
            "path": "\(loss.path)", "waiting": "\(loss.waiting)", "failedOrOnHold": "\(loss.failedOrOnHold)",
        ]
        if case .moved(let place?) = loss.fate { facts["movedTo"] = "\(place)" }
        context.log.critical(loss.fate.lastLine, metadata: facts)
    }
}

extension StoreLoss.Fate {
    fileprivate var lastLine: Logger.Message {
        switch self {
        case .deleted:
            """
            Homing has stopped, and its store was deleted. The undelivered captures are lost, unless a backup was made before \
            the stop. To bring them back from that backup, run: sudo homingd restore FILE. If this happens again, do not stop the daemon \
            before you have run: sudo homing backup FILE
            """
        case .replaced:
            """
            Homing has stopped, and its store was deleted, but another file is in its place. If a backup was made before the stop, move \
            that file to another folder and run: sudo homingd restore FILE. Otherwise start the daemon: it treats that file as an older \
            copy. Captures that may have been delivered since are looked up first, or wait for your decision
            """
        case .moved:
            """
            Homing has stopped, and its store was moved. The moved file has the undelivered captures, so do not restore a backup. Before \
            you start the daemon, move the file back to the path in this line. If the whole folder was moved, move the whole folder back: \
            the key, the keyring and the store belong together
            """
        case .withoutLog:
            """
            Homing has stopped, and the log of its store was deleted or replaced. The store may have all captures, so do not restore a \
            backup. Start the daemon: it keeps the captures of the store. To see whether any are missing, run: homing status
            """
        }
    }
}
