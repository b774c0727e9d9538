import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

@Suite struct ListUpkeepTests {
    private static let others = Destination(backend: "breathesafe", account: "2")

    private func change(_ store: Store, _ account: AccountID?, _ fate: RosterFate = .follows) throws {
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: account, rosters: fate))
    }

    private func save(_ store: Store, rows: Int = 1) async throws {
        _ = try await store.outbox.store(
            RosterRead([(1...rows).map { RosterRow.sample($0) }], at: store.clock.now), at: store.clock.now)
    }

    private func count(_ store: Store) throws -> [Int] {
        try ["roster", "rosterPage"].map { table in try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? -1 }
    }

    @Test func findsDeliveriesOfRoutesSinceATime() async throws {
        let store = try Store()
        let begin = store.clock.now
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, lane: "users/\(number)")) }
        func isFound(_ routes: [String], _ destination: Destination = Samples.destination, since date: Date) async throws -> Bool {
            try await store.outbox.hasTouched(routes, at: destination, since: date)
        }
        #expect(try await !isFound(["measurement"], since: begin))
        store.clock.advance(by: 60)
        let entries = try await store.claim(2)
        try await store.deliver(entries[0])
        try await store.settle(entries[1], .dead(Samples.failure))
        let end = store.clock.now
        #expect(try await isFound(["profile", "measurement"], since: begin))
        #expect(try await isFound(["measurement"], since: end))
        #expect(try await !isFound(["measurement"], since: end.addingTimeInterval(1)))
        #expect(try await !isFound(["profile"], since: begin))
        #expect(try await !isFound([], since: begin))
        #expect(try await !isFound(["measurement"], Self.others, since: begin))
        try await store.outbox.discard(Samples.id(2), by: "bob", named: nil, at: store.clock.now.addingTimeInterval(5))
        #expect(try await !isFound(["measurement"], since: end.addingTimeInterval(1)), "a discarded entry changed nothing")
    }

    @Test func findsHoldsWithUnknownOutcomeSinceATime() async throws {
        let store = try Store()
        let begin = store.clock.now
        try await store.enqueue(Samples.mutation(1))
        store.clock.advance(by: 60)
        let lost = Samples.failure
        for entry in try await store.claim(1) { try await store.settle(entry, .held(.unknownOutcome, lost), .unknown(lost)) }
        func isFound(since date: Date, _ route: String = "measurement") async throws -> Bool {
            try await store.outbox.hasTouched([route], at: Samples.destination, since: date)
        }
        #expect(try await isFound(since: begin))
        #expect(try await !isFound(since: begin, "profile"))
        #expect(try await !isFound(since: store.clock.now.addingTimeInterval(60)))
    }

    @Test func forgetsOldListOfAnAccountThatDoesNotReturn() async throws {
        let store = try Store()
        try change(store, "1")
        try await save(store)
        let readAt = store.clock.now
        func forget(before date: Date) async throws { try await store.outbox.forgetKeptRosters(readBefore: date, at: store.clock.now) }
        try await forget(before: readAt.addingTimeInterval(1))
        #expect(try count(store) == [1, 1], "its account is signed in")
        try change(store, nil, .kept)
        try await forget(before: readAt)
        #expect(try count(store) == [1, 1])
        // Another account does not save it.
        try change(store, "2")
        try await forget(before: readAt.addingTimeInterval(1))
        #expect(try count(store) == [0, 0])
    }

    @Test func keptListFromTheFutureAgesFromNow() async throws {
        let store = try Store()
        try change(store, "1")
        store.clock.advance(by: 86_400 * 365)
        try await save(store)
        try change(store, nil, .kept)
        let now = store.clock.now.addingTimeInterval(-86_400 * 365)
        try await store.outbox.forgetKeptRosters(readBefore: now.addingTimeInterval(-1), at: now)
        #expect(try count(store) == [1, 1])
        let later = now.addingTimeInterval(60)
        try await store.outbox.forgetKeptRosters(readBefore: now.addingTimeInterval(1), at: later)
        #expect(try count(store) == [0, 0])
    }

    @Test func listsTakeNoRoomFromEntries() async throws {
        let store = try Store()
        try change(store, "1")
        try await save(store, rows: 1000)
        let used = try await store.outbox.pool.read { try Outbox.usedBytes($0) }
        let limited = try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, maxBytes: used, now: store.clock.now)
        _ = try await limited.enqueue(Samples.mutation(1), at: store.clock.now)
        #expect(try await limited.room() == .enough)
        // Less than the limit, but more than the lists.
        let size = min(1 << 19, Int(used) - 10_000)
        let large = Samples.mutation(2, payload: #"{"average_measurements":"\#(Samples.noise(size))"}"#)
        let error = await #expect(throws: OutboxError.self) { _ = try await limited.enqueue(large, at: store.clock.now) }
        guard case .tooLarge(_, used) = error else { throw OutboxError.storage("\(String(describing: error))") }
        #expect(try await limited.room() == .enough)
    }

    @Test(
        arguments: [(nil, .follows, true), (nil, .kept, true), ("2", .follows, true), ("1", .dropped, true), ("1", .follows, false)]
            as [(AccountID?, RosterFate, Bool)])
    func tellsWhenAnAccountHasLeft(next: AccountID?, fate: RosterFate, isTold: Bool) async throws {
        let store = try Store()
        let news = store.outbox.secretsDeleted.listen()
        try change(store, nil)
        try change(store, "1")
        try change(store, next, fate)
        // Ends the wait if nothing was told before.
        let told = Task {
            for await _ in news { return true }
            return false
        }
        if !isTold { told.cancel() }
        #expect(await told.value == isTold)
    }
}
