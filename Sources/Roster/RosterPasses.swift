import Backends
import Outbox
import SyncModel

/// The passes of one read: one, or one for each row of the parent, whose rows together are the list. A parent that is not stored is read before. Pure,
/// as each `RosterPass` is.
package struct RosterPasses: Sendable {
    private var pass: RosterPass
    /// Which list is read: 0 for the first of `levels`, whose rows are the parents of the next one.
    package private(set) var level = 0
    private var levels = 1
    /// The rows of the parent from the one that is read now on; nil for a list without a parent.
    private var parents: ArraySlice<RosterID>?
    private var rows: [RosterRow] = []
    private var ids: Set<RosterID> = []
    /// At the server.
    private var total = 0
    private var requests = 0
    private var incomplete: Incompleteness?

    private static let rowsOfAPage = 100

    package init(_ pass: RosterPass) { (self.pass, parents) = (pass, nil) }

    /// - Parameter levels: the number of lists to read, each of them the parent of the next one.
    package init(levels: Int) {
        self.init(RosterPass())
        self.levels = levels
    }

    /// - Parameter incomplete: why rows of the parent are missing; then rows of the list are missing too.
    package init(parents: [RosterID], incomplete: Incompleteness?) {
        (pass, self.parents, self.incomplete) = (RosterPass(), parents[...], incomplete)
    }

    /// The row of the parent that the next request is for; nil for a list without a parent.
    package var parent: RosterID? { parents?.first }

    package var next: RosterPass.Step { parents?.isEmpty == true ? .store(all) : pass.next }

    package mutating func answered(_ answer: ResourceAnswer) -> RosterPass.Step {
        requests += 1
        let step = pass.answered(answer)
        guard case .store(let found) = step else { return step }
        if parents != nil { add(found) }
        guard parents?.isEmpty ?? true else { return next }
        return descended(from: parents == nil ? found : all)
    }

    /// Reads the next list for each of these rows, if there is one.
    private mutating func descended(from rows: RosterRows) -> RosterPass.Step {
        guard level + 1 < levels else { return .store(rows) }
        let (level, levels) = (level, levels)
        self = RosterPasses(parents: rows.pages.flatMap { $0?.rows ?? [] }.map(\.id), incomplete: rows.incomplete)
        (self.level, self.levels) = (level + 1, levels)
        return parents?.isEmpty == true ? descended(from: all) : next
    }

    private mutating func add(_ found: RosterRows) {
        parents?.removeFirst()
        pass = RosterPass()
        total += found.total
        note(found.incomplete)
        for row in found.pages.flatMap({ $0?.rows ?? [] }) {
            // A row may move from one parent to another during the read.
            if ids.insert(row.id).inserted { rows.append(row) } else { note(.changing) }
        }
        let isEnough = rows.count >= RosterPass.mostRows || requests >= RosterPass.mostRequests
        if rows.count > RosterPass.mostRows || isEnough && parents?.isEmpty == false {
            note(.limit)
            parents = []
        }
    }

    /// The list must be read again soon for one reason, so it counts before others.
    private mutating func note(_ why: Incompleteness?) {
        if incomplete == nil || why?.isUnsettled == true && incomplete?.isUnsettled != true { incomplete = why ?? incomplete }
    }

    /// Without ETags: a page of the store is none of the server's.
    private var all: RosterRows {
        let kept = rows.prefix(RosterPass.mostRows)
        let pages = stride(from: 0, to: max(kept.count, 1), by: Self.rowsOfAPage).map { start in
            RosterRows.Page(etag: nil, rows: Array(kept[start..<min(start + Self.rowsOfAPage, kept.count)]))
        }
        return RosterRows(pages: pages, total: max(total, kept.count), incomplete: incomplete)
    }
}
