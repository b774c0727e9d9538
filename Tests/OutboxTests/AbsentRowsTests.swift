import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// Creates with unknown outcome that a list settles.
@Suite struct AbsentRowsTests {
    private static let lost = Failure(.serverError, status: 502, "Bad Gateway", outcomeUnknown: true)

    private func signedIn() throws -> Store {
        var store = try Store()
        try open(&store)
        try change(store, "1")
        return store
    }

    /// Like the next run of the daemon.
    private func open(_ store: inout Store) throws {
        store.outbox = try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, lookupAfter: 30, now: store.clock.now)
    }

    private func change(_ store: Store, _ account: AccountID?, _ fate: RosterFate = .follows) throws {
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: account, rosters: fate))
    }

    /// A read that begins after some seconds; nil for a page that the server calls unchanged.
    private func read(
        _ store: Store, _ ids: [Int]?, of resource: String = "people", incomplete: Incompleteness? = nil, parents: [String] = [],
        after seconds: TimeInterval = 60
    ) async throws {
        store.clock.advance(by: seconds + 5)
        let rows = ids.map { $0.map { RosterRow.sample($0) } }
        let settles = RosterRead.SettledCreates(routes: ["measurement"], parents: parents)
        let read = RosterRead([rows], of: resource, incomplete: incomplete, settles: settles, at: store.clock.now)
        _ = try await store.outbox.store(read, at: store.clock.now)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    /// Accepts these creates and sends them at the same time, with unknown outcome.
    private func lose(_ store: Store, _ numbers: Int..., by failure: Failure = AbsentRowsTests.lost) async throws {
        for number in numbers { try await store.enqueue(Samples.create(number)) }
        try await loseAgain(store, by: failure)
    }

    private func loseAgain(_ store: Store, by failure: Failure = AbsentRowsTests.lost) async throws {
        for entry in try await store.claim(9) { try await store.settle(entry, .held(.unknownOutcome, failure), .unknown(failure)) }
    }

    private func states(_ store: Store, _ numbers: Int...) async throws -> [Entry.State?] {
        var states: [Entry.State?] = []
        for number in numbers { states.append(try await store.state(number)) }
        return states
    }

    @Test(arguments: [[1, 2], [2, 1], [2], nil]) func createIsSentAgainIfNoRowIsNew(ids: [Int]?) async throws {
        let store = try signedIn()
        try await read(store, [1, 2])
        try await lose(store, 1)
        try await store.enqueue(Samples.capture(2, of: 1))
        #expect(try await states(store, 1, 2) == [.held, .held])
        try await read(store, ids)
        #expect(try await states(store, 1, 2) == [.pending, .pending])
        let event = try #require(try await store.outbox.events(since: 0, limit: 100).first { $0.kind == .resolved })
        #expect(event.entry == Samples.id(1) && event.detail == ["outcome": "notDelivered", "list": "people"])
        let entry = try #require(try await store.claim(9).first)
        #expect(entry.id == Samples.id(1) && !entry.uncertain && entry.doubts == 1)
    }

    enum Doubt: CaseIterable {
        case newRow, tooEarly, incompleteRead, noListBefore, incompleteBefore, otherValues, success, otherRoute
    }

    @Test(arguments: Doubt.allCases) func createStaysOnHoldInDoubt(doubt: Doubt) async throws {
        let store = try signedIn()
        if doubt != .noListBefore { try await read(store, [1], incomplete: doubt == .incompleteBefore ? .limit : nil) }
        let failure =
            switch doubt {
            case .otherValues: Failure(.misplaced, status: 201, "elsewhere", outcomeUnknown: true)
            case .success: Failure(.refused, status: 201, "no id", outcomeUnknown: true)
            default: Self.lost
            }
        var create = Samples.create(1)
        if doubt == .otherRoute { create.route = "looked_up" }
        try await store.enqueue(create)
        try await loseAgain(store, by: failure)
        switch doubt {
        case .newRow: try await read(store, [1, 2])
        case .tooEarly: try await read(store, [1], after: 29)
        case .incompleteRead: try await read(store, [1], incomplete: .rows)
        case .noListBefore: try await read(store, [])
        case .incompleteBefore, .otherValues, .success, .otherRoute: try await read(store, [1])
        }
        let entry = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(entry.state == .held && entry.holdReason == .unknownOutcome && entry.uncertain)
    }

    @Test func answerFromALoginPageProvesNoEffect() async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1, by: Failure(.intercepted, status: 200, "a page", outcomeUnknown: true))
        try await read(store, [1])
        #expect(try await store.state(1) == .pending)
    }

    /// The row was listed before the answer to the other create arrived.
    @Test func rowOfADeliveredCreateIsNotNew() async throws {
        let store = try signedIn()
        try await read(store, [1])
        for number in 1...2 { try await store.enqueue(Samples.create(number)) }
        let entries = try await store.claim(2)
        try await store.settle(entries[0], .held(.unknownOutcome, Self.lost), .unknown(Self.lost))
        try await read(store, [1, 7])
        #expect(try await store.state(1) == .held)
        try await store.deliver(entries[1])
        try await read(store, [1, 7])
        #expect(try await store.state(1) == .pending)
    }

    @Test(arguments: [false, true]) func oneNewRowSettlesNoneOfSeveralCreates(isThere: Bool) async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1, 2)
        try await read(store, isThere ? [1, 8] : [1])
        #expect(try await states(store, 1, 2) == (isThere ? [.held, .held] : [.pending, .pending]))
        guard isThere else { return }
        // A person says whose row it is.
        try await store.outbox.resolve(Samples.id(2), as: .delivered(remoteID: "8"), by: "ann", named: nil, at: store.clock.now)
        try await read(store, [1, 8])
        #expect(try await states(store, 1, 2) == [.pending, .delivered])
    }

    @Test func rowFromBeforeTheSendIsOfAnEarlierCreate() async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1)
        try await read(store, [1, 8])
        try await lose(store, 2)
        try await read(store, [1, 8])
        #expect(try await states(store, 1, 2) == [.held, .pending])
    }

    @Test(arguments: [false, true]) func newRowIsRememberedAfterARestart(isThere: Bool) async throws {
        var store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1)
        try await read(store, isThere ? [1, 8] : [1], after: 1)
        try open(&store)
        try await read(store, isThere ? [1, 8] : [1])
        #expect(try await store.state(1) == (isThere ? .held : .pending))
    }

    /// The clock shows an earlier time than at the send when the new row is listed.
    @Test func clockSetBackMakesNoRowOlderThanTheSend() async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1)
        store.clock.step(to: store.clock.now.addingTimeInterval(-3600))
        try await read(store, [1, 8])
        try await read(store, [1, 8], after: 7200)
        #expect(try await store.state(1) == .held)
    }

    @Test func thirdSendStaysOnHold() async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1)
        for _ in 1...2 {
            try await read(store, [1])
            #expect(try await store.state(1) == .pending)
            try await loseAgain(store)
        }
        try await read(store, [1])
        #expect(try await store.state(1) == .held)
    }

    @Test(arguments: [([1], .follows, .held), ([], .follows, .held), ([1], .kept, .pending)] as [([Int], RosterFate, Entry.State)])
    func listFromBeforeASignOutCountsOnlyIfItWasKept(ids: [Int], fate: RosterFate, state: Entry.State) async throws {
        let store = try signedIn()
        try await read(store, [1])
        try await lose(store, 1)
        try change(store, nil, fate)
        try await read(store, ids)
        #expect(try await store.state(1) == .held, "signed out")
        try change(store, "1")
        try await read(store, ids)
        #expect(try await store.state(1) == state)
    }

    /// A list that was read for rows from before the send lacks those of a new one.
    @Test func parentIsReadAfterTheSendToo() async throws {
        let store = try signedIn()
        try await read(store, [1], of: "lists")
        try await read(store, [1])
        try await lose(store, 1)
        try await read(store, [1], parents: ["lists"])
        #expect(try await store.state(1) == .held)
        try await read(store, [1], of: "lists")
        try await read(store, [1], parents: ["lists"])
        #expect(try await store.state(1) == .pending)
    }

    @Test func tellsFromWhenAReadSettles() async throws {
        let store = try signedIn()
        let key = RosterKey(destination: Samples.destination, resource: "people")
        try await lose(store, 1)
        let sent = store.clock.now
        #expect(try await store.outbox.settlingTimes(of: key, routes: ["measurement"]) == [sent.addingTimeInterval(30)])
        #expect(try await store.outbox.settlingTimes(of: key, routes: ["looked_up"]).isEmpty)
        #expect(try await store.outbox.settlingTimes(of: key, routes: []).isEmpty)
    }
}
