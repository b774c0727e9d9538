import ControlAPI
import Outbox
import SyncModel
import Synchronization

/// Finds the first matching rows of a stored list in order. Memory is bounded by the page, not by the list.
final class RosterSelection: Sendable {
    private let find, label: String?
    private let beginning: String
    private let ids, hidden: Set<RosterID>
    private let limit: Int
    private let found: Mutex<Found>

    private struct Found {
        /// The page begins after this row; nil for the first page.
        var start: CachedRow?
        var rows: [CachedRow] = []
        var matching = 0
        /// Matching rows after `start`.
        var later = 0
        var hidden: Set<RosterID> = []
    }

    /// - Parameter hidden: rows of the stored list to leave out.
    init(_ query: RosterQuery, except hidden: Set<RosterID> = []) {
        self.hidden = hidden
        beginning = query.find ?? ""
        (find, label) = (query.find?.folded.withoutApostrophes, query.label?.folded)
        ids = Set(query.ids.map { RosterID($0) })
        limit = query.limit
        found = Mutex(Found())
    }

    /// Begins the page after `row`.
    func start(after row: CachedRow) { found.withLock { $0.start = row } }

    var hasStart: Bool { found.withLock { $0.start != nil } }
    var rows: [CachedRow] { found.withLock { $0.rows } }
    /// On all pages.
    var matching: Int { found.withLock { $0.matching } }
    /// The rows that were left out.
    var leftOut: Set<RosterID> { found.withLock { $0.hidden } }
    /// The id to continue after; nil at the end.
    var next: RosterID? { found.withLock { $0.later > $0.rows.count ? $0.rows.last?.id : nil } }

    func take(_ row: CachedRow) {
        if hidden.contains(row.id) {
            found.withLock { _ = $0.hidden.insert(row.id) }
            return
        }
        guard matches(row.id, row.folded) else { return }
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

    /// - Parameter folded: as in `RosterRow`.
    func matches(_ id: RosterID, _ folded: String) -> Bool {
        if !ids.isEmpty && !ids.contains(id) { return false }
        if let label, folded != label { return false }
        guard let find, !find.isEmpty else { return true }
        return folded.withoutApostrophes.holds(find) || id.rawValue.hasPrefix(beginning)
    }

    private static func precedes(_ a: CachedRow, _ b: CachedRow) -> Bool { (a.folded, a.id) < (b.folded, b.id) }
}

extension String {
    /// A folded text without apostrophes, which people leave out: `obrien`.
    fileprivate var withoutApostrophes: String { utf8.contains(UInt8(ascii: "'")) ? replacing("'", with: "") : self }

    /// Same result as `contains`, but several times as fast for ASCII.
    fileprivate func holds(_ part: String) -> Bool {
        guard utf8.allSatisfy({ $0 < 0x80 }), part.utf8.allSatisfy({ $0 < 0x80 }) else { return contains(part) }
        guard utf8.count >= part.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { bytes in
            (0...bytes.count - part.utf8.count).contains { bytes[$0...].starts(with: part.utf8) }
        } ?? contains(part)
    }
}
