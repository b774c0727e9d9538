import ControlAPI
import SyncModel

/// The difference between the stored list and the rows to show.
struct ShownRows {
    /// Not created yet, oldest first.
    var new: [ControlAPI.RosterRow]
    /// Created since the list was read.
    var created: [ControlAPI.RosterRow]
    /// Deleted since the list was read.
    let deleted: Set<RosterID>

    /// Those that match.
    func matching(_ selection: RosterSelection) -> ShownRows {
        var found = self
        func isMatch(_ row: ControlAPI.RosterRow) -> Bool { selection.matches(RosterID(row.id), row.label.folded) }
        (found.new, found.created) = (new.filter(isMatch), created.filter(isMatch))
        return found
    }

    /// - Parameter listed: the hidden rows that the stored list has.
    func counts(beside listed: Set<RosterID>) -> RosterSentence.Counts {
        RosterSentence.Counts(
            new: new.count, created: created.count { !listed.contains(RosterID($0.id)) },
            deleted: deleted.count { listed.contains($0) })
    }

    /// Stored rows that are shown differently or not at all.
    var hidden: Set<RosterID> { deleted.union(created.map { RosterID($0.id) }) }
    /// The rows that come before the list.
    var rows: [ControlAPI.RosterRow] { new + created }
}
