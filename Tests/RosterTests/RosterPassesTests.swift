import Backends
import Foundation
import Outbox
import SyncModel
import Testing

@testable import Roster

struct RosterPassesTests {
    private static func row(_ id: Int) -> RosterRow { RosterRow(id: RosterID("\(id)"), label: "\(id)", folded: "\(id)", kept: []) }

    private static func page(_ ids: [Int], total: Int? = nil, nameless: Int = 0) -> ResourceAnswer {
        .page(ResourcePage(rows: ids.map(row), total: total, nameless: nameless, etag: "a"))
    }

    /// The stored rows of a read of the parents 1, 2, …, for the answers of each of them, and the parents in the order of the requests.
    private func read(_ answers: [[ResourceAnswer]], incomplete: Incompleteness? = nil) throws -> (rows: RosterRows, asked: [String]) {
        var passes = RosterPasses(parents: answers.indices.map { RosterID("\($0 + 1)") }, incomplete: incomplete)
        var (step, asked) = (passes.next, [String]())
        while case .page(let number, _) = step {
            let parent = try #require(passes.parent?.rawValue)
            asked.append(parent)
            step = passes.answered(answers[(Int(parent) ?? 0) - 1][number - 1])
        }
        let rows: RosterRows? = if case .store(let rows) = step { rows } else { nil }
        return (try #require(rows), asked)
    }

    private static func ids(_ rows: RosterRows) -> [String] { rows.pages.flatMap { $0?.rows ?? [] }.map(\.id.rawValue) }

    @Test func rowsOfAllParentsAreOneList() throws {
        let paged = [Self.page([1, 2], total: 3), Self.page([3], total: 3)]
        let (rows, asked) = try read([paged, [Self.page([])], [Self.page([4])]])
        #expect(Self.ids(rows) == ["1", "2", "3", "4"] && rows.total == 4 && rows.incomplete == nil)
        // Page 1 of several is read twice.
        #expect(asked == ["1", "1", "1", "2", "3"])
        #expect(rows.pages.allSatisfy { $0?.etag == nil })
    }

    @Test func parentWithoutRowsNeedsNoRequest() throws {
        let (rows, asked) = try read([])
        #expect(rows == RosterRows(pages: [RosterRows.Page(etag: nil, rows: [])], total: 0, incomplete: nil))
        #expect(asked.isEmpty)
    }

    @Test func isOnlyAsCompleteAsTheParentAndEachRead() throws {
        for why in Incompleteness.allCases { #expect(try read([[Self.page([1])]], incomplete: why).rows.incomplete == why) }
        let nameless = [Self.page([1], nameless: 1)]
        #expect(try read([[Self.page([2])], nameless]).rows.incomplete == .rows)
        #expect(try read([nameless], incomplete: .changing).rows.incomplete == .changing)
        // A contradiction in one of them must be read again soon.
        let contradictory = [Self.page([3, 4], total: 1)]
        #expect(try read([nameless, contradictory]).rows.incomplete == .contradiction)
    }

    @Test func rowThatMovesDuringTheReadIsKeptOnce() throws {
        let (rows, _) = try read([[Self.page([1, 2])], [Self.page([2, 3])]])
        #expect(Self.ids(rows) == ["1", "2", "3"] && rows.incomplete == .changing)
        #expect(rows.isCrossing && rows.listed.map(\.id) == ["1", "2", "2", "3"])
    }

    @Test func rowThatOneParentListsTwiceIsListedTwice() throws {
        let (rows, _) = try read([[Self.page([1, 1], total: 2)], [Self.page([2])]])
        #expect(Self.ids(rows) == ["1", "2"] && rows.incomplete == .contradiction)
        #expect(!rows.isCrossing && rows.listed.map(\.id) == ["1", "1", "2"])
    }

    /// Also if another parent has changed meanwhile.
    @Test func contradictionCountsBeforeAChange() throws {
        let twins = [Self.page([1, 1], total: 2)]
        #expect(try read([[.gone], twins]).rows.incomplete == .contradiction)
        #expect(try read([twins, [.gone]]).rows.incomplete == .contradiction)
    }

    @Test func listOfAParentThatHasGoneIsNotComplete() throws {
        let (rows, asked) = try read([[.gone], [Self.page([1])]])
        #expect(Self.ids(rows) == ["1"] && rows.incomplete == .changing && asked == ["1", "2"])
    }

    @Test func stopsAtTheLimitOfRowsAndOfRequests() throws {
        let many = Self.page(Array(1...RosterPass.mostRows))
        let full = try read([[many], [Self.page([0])]])
        #expect(full.asked == ["1"] && full.rows.incomplete == .limit && Self.ids(full.rows).count == RosterPass.mostRows)
        #expect(try read([[many]]).rows.incomplete == nil)
        let parents = (1...RosterPass.mostRequests + 1).map { [Self.page([$0])] }
        let (rows, asked) = try read(parents)
        #expect(asked.count == RosterPass.mostRequests && rows.incomplete == .limit)
    }

    @Test func requestsOfAllLevelsCountTogether() throws {
        var passes = RosterPasses(levels: 2)
        var (step, requests) = (passes.answered(Self.page(Array(1...RosterPass.mostRequests))), 1)
        while case .page = step {
            step = passes.answered(Self.page([]))
            requests += 1
        }
        let rows: RosterRows? = if case .store(let rows) = step { rows } else { nil }
        #expect(requests == RosterPass.mostRequests && rows?.incomplete == .limit)
    }

    /// Reads two parents. The second has these rows on the page of each request.
    private func readPages(after first: [Int], _ page: (Int) -> [Int]) -> (rows: RosterRows?, requests: Int) {
        var passes = RosterPasses(parents: ["1", "2"], incomplete: nil)
        var (step, requests) = (passes.next, 0)
        while case .page = step {
            let answer = passes.parent == "1" ? Self.page(first) : Self.page(page(requests), total: 5000)
            step = passes.answered(answer)
            requests += 1
        }
        let rows: RosterRows? = if case .store(let rows) = step { rows } else { nil }
        return (rows, requests)
    }

    @Test func limitsHoldAtEveryPage() throws {
        let long = readPages(after: [0]) { [$0] }
        #expect(long.requests == RosterPass.mostRequests && long.rows?.incomplete == .limit)
        #expect(long.rows.map(Self.ids)?.count == RosterPass.mostRequests)
        let wide = readPages(after: Array(1..<RosterPass.mostRows)) { page in (1...100).map { RosterPass.mostRows * page + $0 } }
        #expect(wide.requests == 2 && wide.rows?.incomplete == .limit)
        #expect(wide.rows.map(Self.ids)?.count == RosterPass.mostRows)
    }

    @Test func readsTheParentsFirst() {
        var passes = RosterPasses(levels: 3)
        #expect(passes.level == 0 && passes.parent == nil)
        #expect(passes.answered(Self.page([1, 2])) == .page(1, unless: nil))
        #expect(passes.level == 1 && passes.parent == "1")
        _ = passes.answered(Self.page([11]))
        #expect(passes.level == 1 && passes.parent == "2")
        _ = passes.answered(Self.page([21], nameless: 1))
        #expect(passes.level == 2 && passes.parent == "11")
        _ = passes.answered(Self.page([111]))
        let last = passes.answered(Self.page([]))
        #expect(last == .store(RosterRows(pages: [RosterRows.Page(etag: nil, rows: [Self.row(111)])], total: 1, incomplete: .rows)))
        // Without parents, there is nothing to read.
        var none = RosterPasses(levels: 3)
        #expect(
            none.answered(Self.page([])) == .store(RosterRows(pages: [RosterRows.Page(etag: nil, rows: [])], total: 0, incomplete: nil)))
    }

    @Test func failureOfOneReadEndsAll() {
        let failure = Failure(.serverError, status: 500, "x")
        var passes = RosterPasses(parents: ["1", "2"], incomplete: nil)
        _ = passes.answered(Self.page([1]))
        #expect(passes.parent == "2")
        #expect(passes.answered(.failed(failure)) == .end(.failed(failure)))
    }

    @Test func listWithoutParentIsReadAsBefore() {
        var passes = RosterPasses(RosterPass(etags: [1: "a"], total: 3))
        #expect(passes.parent == nil && passes.next == .page(1, unless: "a"))
        #expect(passes.answered(.unchanged) == .store(RosterRows(pages: [nil], total: 3, incomplete: nil)))
    }
}
