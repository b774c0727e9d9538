import ControlAPI
import Sessions
import SyncModel

extension Reasons {
    /// The changes to offer. A waiting entry is not retried, and is resolved only after several failed look-ups, because Homing continues
    /// without a person.
    func changes(of entry: Entry) -> [Explanation.Change] {
        guard entry.holdReason != .discarding else { return mayDestroy ? [.restore] : [] }
        switch entry.state {
        case .delivered, .discarded, .inflight: return []
        case .pending, .dead, .held: break
        }
        var changes: [Explanation.Change] = []
        if entry.state != .pending, !retryMayDuplicate, isCreateViable { changes.append(.retry) }
        if entry.mayHaveTakenEffect, entry.state != .pending || isStuck(entry) { changes.append(.resolve) }
        let isOwn = obstacles.session?.account?.id == entry.destination.account
        if isOwn, !entry.mayHaveTakenEffect, mayMove(entry), dependents == 0 { changes.append(.fix) }
        if mayDestroy { changes.append(.discard) }
        return changes
    }

    /// False for a deletion, for the values of a new row, and after a newer change that it would overwrite for any row.
    var canTakeAnotherRow: Bool { !route.deletes && !isFollower && overwritesNothing(with: subjectReport?.field) }

    /// True if no newer change follows, or another value of this field moves the entry to another lane.
    func overwritesNothing(with field: String?) -> Bool { newer == nil || field.map { route.laneFields.contains($0) } == true }

    /// The values of a change belong to its row, unless that was refused or is not created.
    private func mayMove(_ entry: Entry) -> Bool {
        let lacksRow = entry.holdReason == .dependency && entry.mutation.subject?.reference != nil && !isRowKnown
        return canTakeAnotherRow && (!route.changes || meaning?.rowTitle != nil || lacksRow)
    }

    /// False if the entry waits for a create that needs a person.
    private var isCreateViable: Bool {
        switch create?.state {
        case nil, .pending, .inflight, .delivered: true
        case .dead, .held, .discarded: false
        }
    }
}
