import Logging
import Outbox

/// What the log says of a store that was deleted or replaced.
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

    /// The entries that end with this daemon; nil while the store is in its place. Not after the store was closed.
    func loss() -> StoreLoss? {
        do { return try outbox.loss() } catch {
            context.log.warning("The entries of the lost store could not be counted", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// The last line of a daemon that stopped without its store.
    func tellOfLoss(_ loss: StoreLoss) {
        context.log.critical(
            """
            Homing has stopped, and its store was deleted or replaced. The undelivered captures are lost, unless a backup was made before \
            the stop. To bring them back from that backup, run: sudo homingd restore FILE. If this happens again, do not stop the daemon \
            before you have run: sudo homing backup FILE
            """,
            metadata: ["path": "\(loss.path)", "waiting": "\(loss.waiting)", "undecided": "\(loss.undecided)"])
    }
}
