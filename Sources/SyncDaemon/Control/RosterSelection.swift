import ControlAPI
import Outbox
import SyncModel
import Synchronization

/// Finds one page of a stored list in a scan: of the rows that match, the first ones in order. Memory is bounded by the page, not by the list.
final class RosterSelection: Sendable {
    private let find, label: String?
    private let beginning: String
    private let ids: Set<RosterID>
    private let limit: Int
    private let found: Mutex<Found>

    private struct Found {
        /// The page begins after this row; nil for the first page.
        var start: SyncModel.RosterRow?
        var rows: [SyncModel.RosterRow] = []
        var matching = 0
        /// Matching rows after `start`.
        var later = 0
    }

    init(_ query: RosterQuery) {
        beginning = query.find ?? ""
        (find, label) = (query.find?.folded, query.label?.folded)
        ids = Set(query.ids.map { RosterID($0) })
        limit = query.limit
        found = Mutex(Found())
    }

    /// Begins the page after `row`.
    func start(after row: SyncModel.RosterRow) { found.withLock { $0.start = row } }

    var hasStart: Bool { found.withLock { $0.start != nil } }
    var rows: [SyncModel.RosterRow] { found.withLock { $0.rows } }
    /// On all pages.
    var matching: Int { found.withLock { $0.matching } }
    /// The id to continue after; nil at the end.
    var next: RosterID? { found.withLock { $0.later > $0.rows.count ? $0.rows.last?.id : nil } }

    func take(_ row: SyncModel.RosterRow) {
        guard matches(row) else { return }
        found.withLock { found in
            found.matching += 1
            if let start = found.start, !Self.precedes(start, row) { return }
            found.later += 1
            var (low, high) = (0, found.rows.count)
            while low < high {
                let middle = (low + high) / 2
                if Self.precedes(found.rows[middle], row) { low = middle + 1 } else { high = middle }
            }
            guard low < limit else { return }
            found.rows.insert(row, at: low)
            if found.rows.count > limit { found.rows.removeLast() }
        }
    }

    func matches(_ row: SyncModel.RosterRow) -> Bool {
        if !ids.isEmpty && !ids.contains(row.id) { return false }
        if let label, row.folded != label { return false }
        guard let find, !find.isEmpty else { return true }
        return row.folded.contains(find) || row.id.rawValue.hasPrefix(beginning)
    }

    private static func precedes(_ a: SyncModel.RosterRow, _ b: SyncModel.RosterRow) -> Bool { (a.folded, a.id) < (b.folded, b.id) }
}
