import Backends
import Outbox
import SyncModel

/// The passes of one read: one, or one for each row of the parent. A parent that is not stored is read before.
package struct RosterPasses: Sendable {
    private var pass: RosterPass
    /// The list being read: 0 for the first of `levels`, whose rows are the parents of the next one.
    package private(set) var level = 0
    private var levels = 1
    /// The parent's rows from the current one on; nil without a parent.
    private var parents: ArraySlice<RosterID>?
    private var rows: [RosterRow] = []
    private var ids: Set<RosterID> = []
    /// The rows that the server listed, with repeated ids.
    private var listed: [RosterRow] = []
    private var isCrossing = false
    /// At the server.
    private var total = 0
    /// Answered so far, for all levels.
    package private(set) var requests = 0
    private var incomplete: Incompleteness?

    private static let rowsOfAPage = 100

    package init(_ pass: RosterPass) { (self.pass, parents) = (pass, nil) }

    /// `levels` is the number of lists to read, each the parent of the next one.
    package init(levels: Int) {
        self.init(RosterPass())
        self.levels = levels
    }

    /// `incomplete` says why rows of the parent are missing; then rows of the list are missing too.
    package init(parents: [RosterID], incomplete: Incompleteness?) {
        (pass, self.parents, self.incomplete) = (RosterPass(), parents[...], incomplete)
    }

    /// The parent's row of the next request; nil without a parent.
    package var parent: RosterID? { parents?.first }

    package var next: RosterPass.Step { parents?.isEmpty == true ? .store(all) : pass.next }

    package mutating func answered(_ answer: ResourceAnswer) -> RosterPass.Step {
        requests += 1
        let found: RosterRows
        switch pass.answered(answer) {
        case .store(let rows): found = rows
        case .page where (parents != nil || levels > 1) && isExhausted: found = pass.stopped
        case let step: return step
        }
        if parents != nil { add(found) }
        guard parents?.isEmpty ?? true else { return next }
        return descended(from: parents == nil ? found : all)
    }

    /// Reads the next list for each of these rows, if there is one.
    private mutating func descended(from rows: RosterRows) -> RosterPass.Step {
        guard level + 1 < levels else { return .store(rows) }
        let (level, levels, requests) = (level, levels, requests)
        self = RosterPasses(parents: rows.pages.flatMap { $0?.rows ?? [] }.map(\.id), incomplete: rows.incomplete)
        (self.level, self.levels, self.requests) = (level + 1, levels, requests)
        if requests >= RosterPass.mostRequests, parents?.isEmpty == false { stop() }
        return parents?.isEmpty == true ? descended(from: all) : next
    }

    private mutating func add(_ found: RosterRows) {
        parents?.removeFirst()
        pass = RosterPass()
        total += found.total
        note(found.incomplete)
        if found.listed.contains(where: { ids.contains($0.id) }) {
            isCrossing = true
            note(.changing)
        }
        listed += found.listed
        for row in found.pages.flatMap({ $0?.rows ?? [] }) where !ids.contains(row.id) {
            ids.insert(row.id)
            rows.append(row)
        }
        let isEnough = rows.count >= RosterPass.mostRows || requests >= RosterPass.mostRequests
        if rows.count > RosterPass.mostRows || isEnough && parents?.isEmpty == false { stop() }
    }

    private mutating func stop() {
        note(.limit)
        parents = []
    }

    /// The limits hold for all reads together.
    private var isExhausted: Bool { requests >= RosterPass.mostRequests || rows.count + pass.count > RosterPass.mostRows }

    /// Reasons to read the list again soon count first, and most of all a contradiction, which no later read may end.
    private mutating func note(_ why: Incompleteness?) {
        guard let why, incomplete == nil || why == .contradiction || why == .changing && incomplete != .contradiction else { return }
        incomplete = why
    }

    /// The rows without ETags: a stored page is not one page of the server.
    private var all: RosterRows {
        let kept = rows.prefix(RosterPass.mostRows)
        let pages = stride(from: 0, to: max(kept.count, 1), by: Self.rowsOfAPage).map { start in
            RosterRows.Page(etag: nil, rows: Array(kept[start..<min(start + Self.rowsOfAPage, kept.count)]))
        }
        return RosterRows(
            pages: pages, total: max(total, kept.count), incomplete: incomplete, repeated: listed.count > rows.count ? listed : [],
            isCrossing: isCrossing)
    }
}
