import Foundation
import Logging
import Outbox

extension OlderCopy {
    /// - Parameter path: of the store.
    func log(to log: Logger, path: String) {
        log.critical(
            "\(sentences)",
            metadata: [
                "path": "\(path)", "newestEvent": "\(at.formatted(.iso8601))", "lookedUp": "\(entries.lookedUp)",
                "repeated": "\(entries.repeated)", "held": "\(entries.held)", "dependent": "\(entries.dependent)",
            ])
    }

    /// The effect on the waiting captures, and the next step.
    var sentences: String {
        if entries.lookedUp + entries.repeated > 0 {
            """
            The store is an older copy that was put in its place, so Homing treats it as a restored backup. Its waiting captures may have \
            been delivered since, so sending is paused. To see them, run ‘homing list’. Discard those that must not be sent, and then run \
            ‘homing resume’. Captures that were accepted after the copy was made are not in it. Next time, run: sudo homingd restore FILE
            """
        } else if entries.held + entries.dependent > 0 {
            """
            The store is an older copy that was put in its place, so Homing treats it as a restored backup. Its waiting captures may have \
            been delivered since, and cannot be looked up, so they are on hold. To see them, run ‘homing list --state held’. Captures \
            that were accepted after the copy was made are not in it. For a signed-in account, sending is paused: submit those captures \
            again, and then run ‘homing resume’. Next time, run: sudo homingd restore FILE
            """
        } else {
            """
            The store is an older copy that was put in its place, so Homing treats it as a restored backup. It has no waiting capture. \
            Captures that were accepted after the copy was made are not in it. For a signed-in account, sending is paused: submit those \
            captures again, and then run ‘homing resume’. Next time, run: sudo homingd restore FILE
            """
        }
    }
}
