import ControlAPI
import SyncModel

/// A reference to a row that an entry creates: `@` and the entry's id.
enum RowReference {
    /// With a short id, which the command line accepts; other ids unchanged.
    static func short(_ id: String) -> String { id.hasPrefix("@") ? "@" + EntryName.short(String(id.dropFirst())) : id }
}

extension ControlAPI.RosterRow {
    /// True for a row that is not delivered yet.
    var isNew: Bool { pending != nil }
    /// As the command line accepts it.
    var shownID: String { RowReference.short(id) }
    /// `Anna Example (28)`.
    var named: String { "\(label) (\(shownID))".printable }
}
