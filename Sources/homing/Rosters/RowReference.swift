import ControlAPI
import SyncModel

/// `@` and the id of the entry that creates the row.
enum RowReference {
    /// The reference with a short id; other ids unchanged.
    static func short(_ id: String) -> String { id.hasPrefix("@") ? "@" + EntryName.short(String(id.dropFirst())) : id }
}

extension ControlAPI.RosterRow {
    /// True for a row that is not delivered yet.
    var isNew: Bool { pending != nil }
    /// The id in a form that the command line accepts.
    var shownID: String { RowReference.short(id) }
    /// `Anna Example (28)`.
    var named: String { "\(label) (\(shownID))".printable }
}
