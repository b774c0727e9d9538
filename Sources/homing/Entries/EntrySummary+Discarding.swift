import ControlAPI
import SyncModel

extension EntrySummary {
    /// Discarded, but its payload is not destroyed yet.
    var isBeingDiscarded: Bool { holdReason == HoldReason.discarding.rawValue }
}
