import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// A server may repeat the payload in its messages, so these are destroyed with it.
@Suite struct DestroyedWordsTests {
    enum Ending: CaseIterable {
        case delivered, resolved, discarded, discardedLater, discardedAtSignOut, superseded
    }

    private static let secret = Data("Canary-payload".utf8)

    private static func words(_ number: Int) -> Failure {
        Failure(.refused, status: 422, "breathesafe answered: Canary-payload \(number).", outcomeUnknown: true)
    }

    /// Entries 1 and 2 were sent twice, and got an answer with their payload each time.
    private func store() async throws -> Store {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, lane: "\(number)", account: AccountID("\(number)"))) }
        for number in 1...2 {
            let words = Self.words(number)
            for settlement in [.retry(at: .distantPast, words), .dead(words)] as [Settlement] {
                let entry = try #require(try await store.claim(account: AccountID("\(number)")).first)
                try await store.settle(entry, settlement, .unknown(words))
            }
        }
        return store
    }

    private func end(_ store: Store, _ ending: Ending) async throws {
        let (id, now) = (Samples.id(1), store.clock.now)
        switch ending {
        case .delivered:
            try await store.outbox.retry(id, forgetsDoubt: true, by: "ann", at: now)
            try await store.deliver(try #require(try await store.claim().first))
        case .resolved: try await store.outbox.resolve(id, as: .delivered(remoteID: nil), by: "ann", named: nil, at: now)
        case .discarded: try await store.outbox.discard(id, by: "ann", at: now)
        case .discardedLater:
            try await store.outbox.discard(id, later: now, reason: nil, by: "ann", named: nil, at: now)
            #expect(try await store.outbox.entry(id)?.entry.lastError == Self.words(1).message, "undo brings it back as it was")
            #expect(try await store.outbox.discardDue(at: now) == nil)
        case .discardedAtSignOut: _ = try await store.outbox.discardAll(of: Samples.destination, by: "ann", named: nil, at: now)
        case .superseded:
            try await store.outbox.retry(id, forgetsDoubt: true, by: "ann", at: now)
            var new = Samples.mutation(3)
            new.supersedes = id
            #expect(try await store.enqueue(new) == .new(sequence: 3))
        }
    }

    @Test(arguments: Ending.allCases) func serversWordsGoWithThePayload(ending: Ending) async throws {
        let store = try await store()
        try await end(store, ending)
        let (entry, attempts) = try #require(try await store.outbox.entry(Samples.id(1)))
        #expect(entry.settledAt != nil && entry.lastError == nil)
        #expect(attempts.prefix(2).allSatisfy { $0.message == nil && $0.status == 422 && $0.verdict == "unknown" })
        let events = try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .retrying || $0.kind == .dead }
        let own = events.filter { $0.entry == Samples.id(1) }
        #expect(own.map(\.detail) == [["reason": "refused", "status": "422"], ["reason": "refused", "status": "422"]])

        let (other, others) = try #require(try await store.outbox.entry(Samples.id(2)))
        #expect(other.lastError == Self.words(2).message && others.map(\.message) == [Self.words(2).message, Self.words(2).message])
        #expect(events.filter { $0.entry == Samples.id(2) }.allSatisfy { $0.detail["message"] == Self.words(2).message })
    }

    @Test(arguments: Ending.allCases) func noWordStaysInTheFile(ending: Ending) async throws {
        let store = try await store()
        #expect(try await store.outbox.emptyLog())
        func file() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite"))) }
        #expect(try file().holds(Self.secret + Data(" 1".utf8)), "the control")
        try await end(store, ending)
        #expect(try await store.outbox.emptyLog())
        #expect(try !file().holds(Self.secret + Data(" 1".utf8)))
        #expect(try file().holds(Self.secret + Data(" 2".utf8)))
    }

    @Test func manyEventsOfOthersAreNotRead() throws {
        let store = try Store()
        let plan = try store.raw { db in
            try Row.fetchAll(
                db,
                sql: """
                    EXPLAIN QUERY PLAN UPDATE event SET detail = json_remove(detail, '$.message')
                    WHERE entry = ? AND kind IN ('retrying', 'released', 'held', 'dead')
                    """, arguments: ["x"]
            ).map { $0["detail"] as String }
        }
        #expect(plan.count == 1 && plan[0].contains("USING INDEX eventWords (entry=? AND kind=?)"), "\(plan)")
    }
}
