import Backends
import Foundation
import Outbox
import SyncModel
import Testing

@testable import Roster

struct RosterPassTests {
    /// A list that changes once, after so many requests of the read.
    private struct Change: Sendable {
        let removed: Int?
        let inserted: Int?
        let requests: Int
    }

    private static func page(_ ids: [Int], _ number: Int = 1, etag: String? = nil) -> ResourcePage {
        ResourcePage(rows: ids.dropFirst(2 * (number - 1)).prefix(2).map(row), total: ids.count, etag: etag)
    }

    private static func row(_ id: Int) -> RosterRow { RosterRow(id: RosterID("\(id)"), label: "\(id)", folded: "\(id)", kept: []) }

    private static func rows(_ step: RosterPass.Step) throws -> RosterRows {
        let rows: RosterRows? = if case .store(let rows) = step { rows } else { nil }
        return try #require(rows)
    }

    private static func ids(_ rows: RosterRows) -> [String] { rows.pages.flatMap { $0?.rows ?? [] }.map(\.id.rawValue).sorted() }

    /// The result, and the list before and after the change.
    private func read(_ count: Int, _ change: Change, rechecks: Bool = true) -> (RosterPass.Step, before: [Int], after: [Int]) {
        let before = Array(0..<count)
        var after = before
        if let removed = change.removed { after.remove(at: removed) }
        if let inserted = change.inserted { after.insert(99, at: inserted) }
        var pass = RosterPass()
        var (step, requests, first) = (pass.next, 0, ResourcePage?.none)
        while case .page(let number, _) = step {
            let isRecheck = number == 1 && requests >= (count + 1) / 2 && first != nil
            var page = Self.page(requests >= change.requests ? after : before, number)
            if isRecheck, !rechecks, let first { page = first }
            if requests == 0 { first = page }
            requests += 1
            step = pass.answered(.page(page))
        }
        return (step, before, after)
    }

    private static func changes(of count: Int) -> [Change] {
        let positions: [Int?] = [nil] + (0..<count).map(Optional.some)
        return positions.flatMap { removed in
            positions.flatMap { inserted in (0...12).map { Change(removed: removed, inserted: inserted, requests: $0) } }
        }.filter { change in
            guard let removed = change.removed, change.inserted != nil else { return true }
            // A deletion behind page 1 that an insertion balances may be missed until the next read.
            return removed < 2
        }
    }

    @Test func storesListAsItWasAtOneMomentOrSaysThatItChanged() throws {
        for count in 1...6 {
            for change in Self.changes(of: count) {
                let (step, before, after) = read(count, change)
                let rows = try Self.rows(step)
                let lists = [before, after].map { $0.map(String.init).sorted() }
                #expect(rows.incomplete == .changing || lists.contains(Self.ids(rows)), "\(count) \(change)")
            }
        }
    }

    /// The negative control.
    @Test func missesBalancedChangeWithoutTheSecondReadOfPageOne() throws {
        let isMissed = try (3...6).contains { count in
            try Self.changes(of: count).contains { change in
                let (step, before, after) = read(count, change, rechecks: false)
                let rows = try Self.rows(step)
                return rows.incomplete == nil && ![before, after].map { $0.map(String.init).sorted() }.contains(Self.ids(rows))
            }
        }
        #expect(isMissed)
    }

    @Test func callsListIncompleteThatChangesInEveryPass() throws {
        var pass = RosterPass()
        var (step, number) = (pass.next, 0)
        while case .page = step {
            number += 1
            step = pass.answered(.page(ResourcePage(rows: [Self.row(number)], total: 9 + number)))
        }
        let rows = try Self.rows(step)
        #expect(rows.incomplete == .changing)
        #expect(Self.ids(rows).count == number)
        #expect(number == 2 * RosterPass.mostPasses)
    }

    /// The same answers in each pass are no change: a total that does not fit the rows, a row on two pages, and two totals.
    @Test(arguments: [
        [ResourcePage(rows: [row(1), row(2)], total: 4), ResourcePage(rows: [], total: 4)],
        [ResourcePage(rows: [row(1), row(2)], total: 1)],
        [ResourcePage(rows: [row(1), row(2)], total: 4), ResourcePage(rows: [row(2), row(3)], total: 4)],
        [ResourcePage(rows: [row(1)], total: 2), ResourcePage(rows: [row(2)], total: 3)],
        [ResourcePage(rows: [row(1), row(1)], total: 2)],
    ])
    func callsContradictoryListByItsName(pages: [ResourcePage]) throws {
        for etags in [[:], [1: "old"]] as [[Int: String]] {
            var pass = RosterPass(etags: etags, total: 9)
            var (step, requests) = (pass.next, 0)
            while case .page(let number, _) = step {
                requests += 1
                step = pass.answered(.page(pages[number - 1]))
            }
            let rows = try Self.rows(step)
            #expect(rows.incomplete == .contradiction)
            #expect(Self.ids(rows) == Set(pages.flatMap(\.rows).map(\.id.rawValue)).sorted())
            #expect(rows.listed == pages.flatMap(\.rows))
            #expect(rows.total == max(pages.last?.total ?? 0, Self.ids(rows).count))
            #expect(requests == RosterPass.mostPasses * pages.count)
        }
    }

    @Test func listThatChangesBetweenContradictionsIsCalledChanging() throws {
        for other in [ResourcePage(rows: [Self.row(1), Self.row(3)], total: 1), ResourcePage(rows: [Self.row(1), Self.row(2)], total: 0)] {
            for place in 0..<RosterPass.mostPasses {
                var pass = RosterPass()
                var step = pass.next
                for number in 0..<RosterPass.mostPasses {
                    let page = number == place ? other : ResourcePage(rows: [Self.row(1), Self.row(2)], total: 1)
                    step = pass.answered(.page(page))
                }
                #expect(try Self.rows(step).incomplete == .changing)
            }
        }
    }

    @Test func takesAnswerWithoutPagesAsTheWholeList() {
        var pass = RosterPass()
        let page = ResourcePage(rows: [Self.row(1), Self.row(2)], total: nil, etag: "\"a\"")
        let rows = RosterRows(pages: [RosterRows.Page(etag: "\"a\"", rows: page.rows)], total: 2, incomplete: nil)
        #expect(pass.answered(.page(page)) == .store(rows))
    }

    @Test func countsRowsWithoutID() throws {
        var pass = RosterPass()
        let rows = try Self.rows(pass.answered(.page(ResourcePage(rows: [Self.row(1)], total: 2, nameless: 1))))
        #expect(rows.incomplete == .rows)
        #expect(rows.total == 2)
    }

    @Test func stopsAtTheLimitOfRows() throws {
        var pass = RosterPass()
        let all = (0..<RosterPass.mostRows + 1).map(Self.row)
        let rows = try Self.rows(pass.answered(.page(ResourcePage(rows: all, total: 12_345))))
        #expect(rows.incomplete == .limit)
        #expect(rows.total == 12_345)
        #expect(Self.ids(rows).count == RosterPass.mostRows)
    }

    @Test func asksForChangedPagesOnlyAndKeepsAnUnchangedList() {
        var pass = RosterPass(etags: [1: "a", 2: "b"], total: 3)
        #expect(pass.next == .page(1, unless: "a"))
        #expect(pass.answered(.unchanged) == .page(2, unless: "b"))
        #expect(pass.answered(.unchanged) == .page(1, unless: "a"))
        #expect(pass.answered(.unchanged) == .store(RosterRows(pages: [nil, nil], total: 3, incomplete: nil)))
    }

    @Test func readsAllPagesAgainWhenALaterOneHasChanged() throws {
        var pass = RosterPass(etags: [1: "a", 2: "b"], total: 3)
        _ = pass.answered(.unchanged)
        #expect(pass.answered(.page(Self.page([1, 2, 4], 2))) == .page(1, unless: nil))
        #expect(pass.answered(.page(Self.page([1, 2, 4], 1, etag: "c"))) == .page(2, unless: nil))
        #expect(pass.answered(.page(Self.page([1, 2, 4], 2))) == .page(1, unless: "c"))
        let rows = try Self.rows(pass.answered(.unchanged))
        #expect(Self.ids(rows) == ["1", "2", "4"])
        // Not all pages have one.
        #expect(rows.pages.allSatisfy { $0?.etag == nil })
    }

    @Test func renewsRefusedSessionOnce() {
        let refused = Failure(.signInRequired, status: 401, "no")
        var pass = RosterPass()
        #expect(pass.answered(.unauthorized(refused)) == .renew)
        #expect(pass.next == .page(1, unless: nil))
        #expect(pass.answered(.unauthorized(refused)) == .denied(refused))
    }

    @Test func renewsSessionOncePerPage() {
        let refused = Failure(.signInRequired, status: 401, "no")
        var pass = RosterPass()
        #expect(pass.answered(.unauthorized(refused)) == .renew)
        #expect(pass.answered(.page(Self.page([1, 2, 3]))) == .page(2, unless: nil))
        #expect(pass.answered(.unauthorized(refused)) == .renew)
        #expect(pass.answered(.unauthorized(refused)) == .denied(refused))
    }

    @Test func endsWithTheFailureOfAnAnswer() {
        let (failure, until) = (Failure(.serverError, status: 500, "x"), Date(timeIntervalSince1970: 9))
        var pass = RosterPass()
        #expect(pass.answered(.failed(failure)) == .end(.failed(failure)))
        #expect(pass.answered(.throttled(failure, until: until)) == .end(.throttled(failure, until: until)))
    }
}
