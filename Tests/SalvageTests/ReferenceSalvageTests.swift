import Foundation
import GRDB
import Outbox
import Salvage
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// Entries that need others, and discards that can be undone.
@Suite struct ReferenceSalvageTests {
    private func salvage(_ store: inout Store) throws -> SalvageReport {
        try store.outbox.close()
        try Data("a test".utf8).write(to: URL(fileURLWithPath: store.directory("outbox.sqlite.damaged")))
        let report = try store.examine()
        return try #require(report)
    }

    private func prune(_ store: Store) async throws {
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
    }

    /// Entry 1 was delivered, entry 2 needs its row, entry 4 that of entry 3, and entry 5 that of entry 4.
    private func references() async throws -> Store {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.deliver(try await store.claim()[0])
        for mutation in [Samples.capture(2, of: 1), Samples.create(3), Samples.create(4, needs: 3), Samples.capture(5, of: 4)] {
            try await store.enqueue(mutation)
        }
        return store
    }

    @Test(arguments: [false, true]) func referencesSurviveSalvage(isPruned: Bool) async throws {
        var store = try await references()
        if isPruned { try await prune(store) }
        let report = try salvage(&store)
        #expect(report.saved == 4 && report.unreadable == 0 && report.missing == 0)
        #expect(try await store.outbox.receipts(limit: 5).map(\.creates) == ["people"])
        try await store.outbox.verify()
        for ids in [[2, 3], [4], [5]] {
            let claimed = try await store.claim(5)
            #expect(claimed.map(\.id) == ids.map(Samples.id) && claimed.allSatisfy { $0.id == Samples.id(3) || $0.bound == "7" })
            for entry in claimed { try await store.deliver(entry) }
        }
    }

    @Test func holdsEntriesThatNeedAnUnreadableOne() async throws {
        var store = try await references()
        try store.raw { try $0.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence = 3") }
        let report = try salvage(&store)
        #expect(report.saved == 3 && report.unreadable == 1)
        let entries = try await store.outbox.entries(limit: 10)
        #expect(entries.map(\.holdReason) == [nil, nil, .unreadable, .dependency, .dependency])
        #expect(entries[3].lastError == "It refers to a row that entry \(Samples.id(3)) was to create, but that entry is on hold.")
        let events = try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .held }
        #expect(events.map(\.entry) == [3, 4, 5].map(Samples.id))
        #expect(events.map { $0.detail["reason"] } == ["unreadable", "dependency", "dependency"])
        try await store.outbox.verify()
        #expect(try await store.claim(5).map(\.id) == [Samples.id(2)])
    }

    /// Another id would be a guess, perhaps of another person.
    @Test func neverSendsReferencesToALostEntry() async throws {
        var store = try await references()
        try await prune(store)
        try store.raw { try $0.execute(sql: "DELETE FROM receipt") }
        _ = try salvage(&store)
        #expect(try await store.claim(5).map(\.id) == [Samples.id(3)])
        let entry = try #require(try await store.outbox.entry(Samples.id(2))?.entry)
        #expect(entry.holdReason == .dependency && entry.lastError?.hasSuffix("but Homing no longer knows that entry.") == true)
        await #expect(throws: OutboxError.noSuchCreate(Samples.id(1))) {
            try await store.outbox.retry(Samples.id(2), forgetsDoubt: false, by: "test", at: store.clock.now)
        }
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test func discardsWithGraceSurviveSalvage() async throws {
        var store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try store.raw { db in
            try db.execute(
                sql: """
                    UPDATE entry SET state = 'held', holdReason = 'discarding', discardAt = 5000, discardBy = 'ann', restoreTo = 'dead'
                    WHERE sequence = 1
                    """)
        }
        #expect(try salvage(&store).saved == 2)
        let entry = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(entry.holdReason == .discarding && entry.discardAt == Date(timeIntervalSince1970: 5) && entry.discardBy == "ann")
        #expect(try store.raw { try String.fetchAll($0, sql: "SELECT restoreTo FROM entry WHERE restoreTo IS NOT NULL") } == ["dead"])
        try await store.outbox.verify()
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
    }

    /// Entry 1 was replaced, entry 3 was delivered by a person's word, and entry 4 was not. Only an index still has their ids.
    @Test func doesNotAskForEntriesThatAPersonSettled() async throws {
        var store = try Store()
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.enqueue(Samples.mutation(1))
        var replacement = Samples.mutation(2)
        replacement.supersedes = Samples.id(1)
        try await store.enqueue(replacement)
        for number in 3...4 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        for entry in try await store.claim(5) where entry.id != Samples.id(2) {
            try await store.settle(entry, .held(.unknownOutcome, lost), .unknown(lost))
        }
        for (number, word) in [(3, .delivered(remoteID: nil)), (4, .notDelivered)] as [(Int, Outbox.Resolution)] {
            try await store.outbox.resolve(Samples.id(number), as: word, by: "ann", named: nil, at: store.clock.now)
        }
        try store.raw { db in
            try db.execute(
                sql: """
                    DROP TABLE quiet; CREATE TABLE quiet (id TEXT PRIMARY KEY, rest INTEGER);
                    INSERT INTO quiet (rowid, id) SELECT sequence, id FROM entry WHERE sequence <> 2;
                    DROP TRIGGER entryStays; DROP TRIGGER contentStays;
                    DELETE FROM content WHERE sequence = 4; DELETE FROM entry WHERE sequence <> 2; DELETE FROM receipt;
                    """)
        }
        let report = try salvage(&store)
        #expect(report.unreadable == 1 && report.lostReceipts == 2 && report.missing == 0)
        #expect(try await store.outbox.entry(Samples.id(4))?.entry.holdReason == .unreadable)
        for number in [1, 3] { #expect(try await store.state(number) == nil) }
    }
}
