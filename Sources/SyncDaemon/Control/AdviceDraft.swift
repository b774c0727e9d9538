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
    let question: StandingQuestion?

    init(advice: Advice, owner: Destination, route: String, id: RosterID, list: RosterKey?, deletions: [String]) {
        (self.advice, self.owner, self.route, self.id, self.list, self.deletions) = (advice, owner, route, id, list, deletions)
        question = id.reference == nil ? StandingQuestion(of: id, in: list, deletedBy: deletions, at: owner) : nil
    }

    /// No list has a row that is not created yet.
    func question(of id: RosterID) -> StandingQuestion {
        StandingQuestion(of: id, in: id.reference == nil ? list : nil, deletedBy: deletions, at: owner)
    }
}
