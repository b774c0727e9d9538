import ControlServer
import Outbox
import SyncModel

extension ControlHandler {
    func denied(_ call: String, by peer: Peer) async {
        // `try?`: also in the journal; a full disk must not turn the refusal into a daemon failure.
        try? await outbox.record([SyncEvent(at: clock.now, .denied, detail: ["by": peer.description, "call": call])])
    }
}
