import Outbox
import SyncModel

/// Advice without the facts of the store.
struct AdviceDraft {
    let advice: Advice
    let owner: Destination
    let route: String
    let id: RosterID
    let list: RosterKey?
    let deletions: [String]

    /// Nil for a reference, whose row may have an id of the server by now.
    var question: StandingQuestion? { id.reference == nil ? question(of: id) : nil }

    /// No list has a row that is not created yet.
    func question(of id: RosterID) -> StandingQuestion {
        StandingQuestion(of: id, in: id.reference == nil ? list : nil, deletedBy: deletions, at: owner)
    }
}
