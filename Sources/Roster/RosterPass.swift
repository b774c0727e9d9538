import Backends
import Foundation
import Outbox
import SyncModel

/// One read of a list, page by page. A list that changes during the read is read again.
package struct RosterPass: Sendable {
    package enum Step: Sendable, Equatable {
        /// Read this page; with the tag, only if it has changed.
        case page(Int, unless: String?)
        /// Renew the refused session, then go on with `next`.
        case renew
        /// Have the signed-in account confirmed, then store the rows.
        case store(RosterRows)
        /// The server refuses the renewed session too.
        case denied(Failure)
        case end(RosterOutcome)
    }

    /// The limits of kept rows, of requests of one pass, and of passes.
    static let mostRows = 10_000
    static let mostRequests = 1000
    static let mostPasses = 3

    /// The stored ETags, while every page so far is as stored.
    private var known: [String]
    /// Rows of the stored list.
    private let knownTotal: Int
    /// The page whose answer comes next; after the last one, page 1 again.
    private var number = 1
    private var isRechecking = false
    /// For this page's request.
    private var hasRenewed = false
    private var passes = 1
    private var requests = 1
    /// The pages that this pass has read.
    private var pages: [ResourcePage] = []
    private var ids: Set<RosterID> = []
    /// The rows that all passes have read.
    private var seen: [RosterID: RosterRow] = [:]
    /// The pages of the last pass whose answers contradicted each other.
    private var contradiction: [ResourcePage]?
    /// All passes so far contradicted themselves in the same way.
    private var isContradictory = true

    /// `etags` are of all pages of the complete stored list, or empty for an unconditional read; `total` is its number of rows.
    package init(etags: [Int: String] = [:], total: Int = 0) {
        known = (1...max(etags.count, 1)).compactMap { etags[$0] }
        if known.count != etags.count { known = [] }
        knownTotal = total
    }

    package var next: Step {
        .page(number, unless: isRechecking ? firstETag : known.indices.contains(number - 1) ? known[number - 1] : nil)
    }

    package mutating func answered(_ answer: ResourceAnswer) -> Step {
        switch answer {
        case .page(let page):
            hasRenewed = false
            return isRechecking ? rechecked(page) : received(page)
        case .unchanged:
            hasRenewed = false
            return unchanged()
        case .gone: return .store(RosterRows(pages: [RosterRows.Page(etag: nil, rows: [])], total: 0, incomplete: .changing))
        case .unauthorized(let failure):
            if hasRenewed { return .denied(failure) }
            hasRenewed = true
            return .renew
        case .throttled(let failure, let until): return .end(.throttled(failure, until: until))
        case .failed(let failure): return .end(.failed(failure))
        }
    }

    private var firstETag: String? { known.first ?? pages.first?.etag }
    /// Different rows of this pass.
    var count: Int { ids.count }
    /// The rows of this pass, for a read that ends here.
    var stopped: RosterRows { rows(total: max(pages.last?.total ?? 0, ids.count), .limit) }
    private var rowsSeen: Int { pages.map { $0.rows.count + $0.nameless }.reduce(0, +) }

    private mutating func unchanged() -> Step {
        if isRechecking { return complete() }
        if number < known.count { return go(to: number + 1) }
        return known.count > 1 ? recheck() : complete()
    }

    private mutating func received(_ page: ResourcePage) -> Step {
        // Earlier pages were as stored, and this one is not: their rows are needed too.
        if number > 1, !known.isEmpty { return restart() }
        known = []
        for row in page.rows { seen[row.id] = row }
        let isRepeating = !ids.isDisjoint(with: page.rows.map(\.id)) || Set(page.rows.map(\.id)).count < page.rows.count
        let hasOtherTotal = pages.last.map { $0.total != page.total } ?? false
        pages.append(page)
        if isRepeating || hasOtherTotal { return contradict() }
        ids.formUnion(page.rows.map(\.id))
        let total = page.total ?? rowsSeen
        let isEnough = ids.count >= Self.mostRows || requests >= Self.mostRequests
        if ids.count > Self.mostRows || isEnough && rowsSeen < total { return .store(rows(total: max(total, ids.count), .limit)) }
        if rowsSeen > total { return contradict() }
        if rowsSeen == total { return pages.count > 1 ? recheck() : complete() }
        return page.rows.isEmpty && page.nameless == 0 ? contradict() : go(to: number + 1)
    }

    /// Checks again after the last page: a row that moved to an earlier page during the read is on none of the pages, but page 1 or the
    /// total has mostly changed.
    private mutating func rechecked(_ page: ResourcePage) -> Step {
        guard known.isEmpty, let first = pages.first else { return restart() }
        if page.isLike(first) { return complete() }
        isContradictory = false
        return restart()
    }

    /// The list has changed, unless the next pass gets the same pages.
    private mutating func contradict() -> Step {
        if let contradiction {
            let isSame = contradiction.count == pages.count && zip(contradiction, pages).allSatisfy { $0.isLike($1) }
            isContradictory = isContradictory && isSame
        }
        contradiction = pages
        return restart()
    }

    private mutating func go(to page: Int) -> Step {
        (number, requests) = (page, requests + 1)
        return next
    }

    private mutating func recheck() -> Step {
        isRechecking = true
        return go(to: 1)
    }

    private mutating func restart() -> Step {
        guard passes < Self.mostPasses else { return unsettled() }
        passes += 1
        (number, requests, isRechecking) = (1, 1, false)
        (known, pages, ids) = ([], [], [])
        return next
    }

    private func complete() -> Step {
        if !known.isEmpty {
            return .store(RosterRows(pages: Array(repeating: nil, count: known.count), total: knownTotal, incomplete: nil))
        }
        let isNamed = pages.allSatisfy { $0.nameless == 0 }
        return .store(rows(total: rowsSeen, isNamed ? nil : .rows))
    }

    private func unsettled() -> Step {
        let rows = Array(seen.values.sorted { $0.id < $1.id }.prefix(Self.mostRows))
        let total = max(pages.last?.total ?? 0, seen.count)
        let why: Incompleteness = isContradictory && contradiction != nil ? .contradiction : .changing
        var all = RosterRows(pages: [RosterRows.Page(etag: nil, rows: rows)], total: total, incomplete: why)
        if why == .contradiction { all.repeated = pages.flatMap(\.rows) }
        return .store(all)
    }

    private func rows(total: Int, _ incomplete: Incompleteness?) -> RosterRows {
        var room = Self.mostRows
        // With an ETag for each page, a list can be read conditionally.
        let isTagged = incomplete == nil && pages.allSatisfy { $0.etag != nil }
        let kept = pages.map { page in
            let rows = page.rows.prefix(room)
            room -= rows.count
            return RosterRows.Page(etag: isTagged ? page.etag : nil, rows: Array(rows))
        }
        return RosterRows(pages: kept, total: total, incomplete: incomplete)
    }
}

/// The rows of a list that was read to its end.
package struct RosterRows: Sendable, Equatable {
    package struct Page: Sendable, Equatable {
        let etag: String?
        package let rows: [RosterRow]
    }

    /// The pages; nil for those that are as stored, all or none.
    package let pages: [Page?]
    /// Rows of the list at the server.
    let total: Int
    /// Nil for a complete list.
    package let incomplete: Incompleteness?
    /// All listings, if the server listed a row more than once or contradicted itself.
    var repeated: [RosterRow] = []
    /// A row is in the lists of two parents. It has moved during the read, unless the next read shows the same.
    package var isCrossing = false

    /// All listed rows, without those of pages that are as stored.
    package var listed: [RosterRow] { repeated.isEmpty ? pages.flatMap { $0?.rows ?? [] } : repeated }
}

extension ResourcePage {
    /// True for the same rows in the same order, and the same total.
    fileprivate func isLike(_ other: ResourcePage) -> Bool {
        rows.map(\.id) == other.rows.map(\.id) && nameless == other.nameless && total == other.total
    }
}
