import ControlServer
import Outbox
import SyncModel

extension Station {
    func denied(_ call: String, by peer: Peer) async {
        // `try?`: the journal has it; a full disk must not turn the refusal into a failure of the daemon.
        try? await outbox.record([SyncEvent(at: clock.now, .denied, detail: ["by": peer.description, "call": call])])
    }
}
