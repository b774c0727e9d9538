import Foundation
import GRDB
import Outbox
import Salvage
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Damage that leaves all rows readable, but makes two of them contradict each other.
@Suite struct SalvageTests {
    private func delivered(_ count: Int) async throws -> Store {
        let store = try Store()
        for number in 1...count { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        for entry in try await store.claim(count) { try await store.deliver(entry) }
        return store
    }

    private func prune(_ store: Store) async throws {
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
    }

    @discardableResult
    private func salvage(_ store: inout Store) throws -> SalvageReport {
        try store.outbox.close()
        try Data("a test".utf8).write(to: URL(fileURLWithPath: store.directory("outbox.sqlite.damaged")))
        let report = try store.examine()
        return try #require(report)
    }

    /// Changes a value that a trigger protects.
    private func change(_ store: Store, _ sql: String) throws {
        try store.raw { db in
            let guarding = "SELECT sql FROM sqlite_schema WHERE name = 'entryIdentity'"
            let trigger = try #require(try String.fetchOne(db, sql: guarding))
            try db.execute(sql: "DROP TRIGGER entryIdentity; \(sql); \(trigger)")
        }
    }

    /// An earlier salvage skipped these sequences, and its record of them is lost.
    @Test(arguments: [100_000, 1_000_000]) func doesNotCountSkippedSequencesAsMissing(passed: Int64) async throws {
        var store = try await delivered(3)
        try store.raw { try $0.execute(sql: "UPDATE tally SET count = 5 + ? WHERE state = 'entry'", arguments: [passed]) }
        try await store.enqueue(Samples.mutation(4))
        let report = try salvage(&store)
        #expect(report.missing == 2 && report.mayMissMore && report.saved == 1)
        #expect(try await store.outbox.enqueue(Samples.mutation(5), at: store.clock.now).sequence > 5 + passed)
    }

    /// A lost cursor skips events; without figures there is nothing to count twice.
    @Test(arguments: ["SELECT 1", "DELETE FROM figureCursor", "DELETE FROM dailyFigure"])
    func keepsFiguresAndCountsNoEventTwice(damage: String) async throws {
        var store = try await delivered(3)
        try await store.outbox.countFigures(at: store.clock.now)
        try store.raw { try $0.execute(sql: damage) }
        try salvage(&store)
        try await store.outbox.countFigures(at: store.clock.now)
        let figures = try await store.outbox.figures(ofDays: 0...100_000, at: store.clock.now)
        #expect(figures.byKey.values.reduce(0) { $0 + $1.delivered } == 3)
        #expect(figures.byKey.values.reduce(0) { $0 + $1.delays.count } == 3)
    }

    /// An earlier version of a row may have the words of a server that repeated the payload.
    @Test func serversWordsAboutSettledEntriesAreDestroyed() async throws {
        var store = try await delivered(2)
        try await store.enqueue(Samples.mutation(3))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try store.raw { db in
            try db.execute(
                sql: """
                    UPDATE entry SET lastError = 'Canary';
                    UPDATE attempt SET message = 'Canary';
                    UPDATE event SET kind = 'held', detail = '{"message":"Canary","status":"422"}' WHERE kind = 'delivered';
                    """)
        }
        try salvage(&store)
        for number in 1...3 {
            let (entry, attempts) = try #require(try await store.outbox.entry(Samples.id(number)))
            let words = number < 3 ? nil : "Canary"
            #expect(entry.lastError == words && attempts.map(\.message) == [words], "\(number)")
        }
        let events = try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .held }
        #expect(events.map(\.detail) == [["status": "422"], ["status": "422"]])
    }

    /// Its capture is in the new entry. If a repeated submission were told to use a new id, the measurement could be sent twice.
    @Test(arguments: [false, true]) func replacedEntryStaysReplacedAfterSalvage(losesReceipts: Bool) async throws {
        var store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        var replacement = Samples.mutation(3)
        replacement.supersedes = Samples.id(1)
        try await store.enqueue(replacement)
        let tallies = try await store.outbox.tallies()
        #expect(tallies.first { $0.state == .discarded }?.count == 1)
        if losesReceipts { try store.raw { try $0.execute(sql: "DELETE FROM receipt") } }
        try salvage(&store)
        #expect(try await store.outbox.tallies() == tallies)
        let receipts = try await store.outbox.receipts(limit: 10)
        #expect(receipts.map(\.supersededBy) == [Samples.id(3), nil])
        let ends = [
            OutboxError.replaced(Samples.id(1), by: Samples.id(3), at: receipts[0].settledAt),
            .discarded(Samples.id(2), by: losesReceipts ? nil : "ann", at: receipts[1].settledAt),
        ]
        let (outbox, clock) = (store.outbox, store.clock)
        for (number, end) in zip(1...2, ends) {
            await #expect(throws: end) { try await outbox.enqueue(Samples.mutation(number), at: clock.now) }
        }
    }

    @Test func subjectsSurviveSalvage() async throws {
        var store = try Store()
        for number in 1...2 {
            var mutation = Samples.mutation(number)
            mutation.subject = RosterID("\(number + 4)")
            try await store.enqueue(mutation)
        }
        try await store.deliver(try await store.claim()[0])
        #expect(try salvage(&store).unreadable == 0)
        #expect(try await store.outbox.entries(limit: 10).map(\.mutation.subject) == ["5", "6"])
        #expect(try await store.outbox.receipts(limit: 10).map(\.subject) == ["5"])
    }

    @Test(arguments: [nil, true, false]) func pausesSurviveSalvage(hasEnd: Bool?) async throws {
        var store = try await delivered(1)
        for number in 2...9 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        try await store.settle(
            try await store.claim()[0], .retry(at: store.clock.now.addingTimeInterval(60), Samples.failure), .transient(Samples.failure))
        let pauses =
            hasEnd.map { hasEnd in
                [
                    Pause(
                        backend: "breathesafe", reason: "a test", since: store.clock.now,
                        until: hasEnd ? store.clock.now.addingTimeInterval(7200) : nil, by: "test")
                ]
            } ?? []
        try await store.outbox.pause(pauses, by: "test", at: store.clock.now)
        try salvage(&store)
        #expect(try store.outbox.pauses(at: store.clock.now) == pauses)
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM event WHERE kind = 'resumed'") } == 0)
    }

    /// The server has the rows, but without its account a session could store none.
    @Test func dropsRostersAndKeepsTheAccountOfTheSession() async throws {
        var store = try await delivered(1)
        let record = Data("{}".utf8)
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: record, account: "1"))
        let read = RosterRead([(1...100).map { RosterRow.sample($0) }, [.sample(101)]], at: store.clock.now)
        _ = try await store.outbox.store(read, at: store.clock.now)
        let report = try salvage(&store)
        #expect(report.saved == 0 && report.unreadable == 0 && report.missing == 0)
        #expect(try store.outbox.session(of: "breathesafe") == .record(record))
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).isEmpty)
        #expect(try await store.outbox.store(read, at: store.clock.now) == .changed(RosterDifference(rows: 101, added: 101)))
        try await store.outbox.verify()
    }

    /// A content row is matched by its id as well.
    @Test func matchesMisplacedContentToItsEntry() async throws {
        var store = try await delivered(1)
        for number in 2...5 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        try store.raw { db in
            // One row belongs to a settled entry, two have swapped sequences, and one has an unused sequence.
            try db.execute(
                sql: """
                    DROP TRIGGER contentSame;
                    INSERT INTO content SELECT 1, entry.id, content.sealed FROM entry, content WHERE entry.sequence = 1 LIMIT 1;
                    UPDATE content SET sequence = CASE sequence WHEN 2 THEN 203 WHEN 3 THEN 202 WHEN 4 THEN 99 ELSE sequence END;
                    UPDATE content SET sequence = sequence - 200 WHERE sequence > 200;
                    UPDATE content SET sealed = zeroblob(60) WHERE sequence = 5;
                    CREATE TRIGGER contentSame BEFORE UPDATE ON content BEGIN SELECT 1; END;
                    """)
        }
        try salvage(&store)
        #expect(Set(try await store.claim(5).map(\.mutation)) == Set((2...4).map { Samples.mutation($0, lane: "\($0)") }))
        #expect(try await store.outbox.entry(Samples.id(5))?.entry.holdReason == .unreadable)
        #expect(try store.raw { try Int64.fetchAll($0, sql: "SELECT sequence FROM content ORDER BY 1") } == [2, 3, 4, 5])
    }

    @Test func assignsNewSequenceOnConflictWithReceipt() async throws {
        var store = try await delivered(2)
        try await prune(store)
        for number in 3...4 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        try change(store, "UPDATE entry SET sequence = 2 WHERE sequence = 3")
        try salvage(&store)
        let record = try #require(try await store.outbox.entry(Samples.id(3))).entry
        #expect(record.sequence > 4 && record.holdReason == .unreadable)
        #expect(try await store.outbox.receipt(Samples.id(2))?.sequence == 2)
        // The content is kept, so a retry sends it.
        try await store.outbox.retry(Samples.id(3), forgetsDoubt: false, by: "test", at: store.clock.now)
        let claimed = try await store.claim(2)
        #expect(Set(claimed.map(\.mutation)) == Set([3, 4].map { Samples.mutation($0, lane: "\($0)") }))
        for entry in claimed { try await store.deliver(entry) }
        #expect(try await store.outbox.receipts(limit: 10).count == 4)
        try await store.outbox.verify()
    }

    @Test(arguments: ["UPDATE receipt SET id = replace(id, '3', '7')", "UPDATE entry SET id = replace(id, '3', '7')"])
    func correctsMismatchedIDsOfReceiptAndEntry(damage: String) async throws {
        var store = try await delivered(4)
        try change(store, damage)
        try salvage(&store)
        try await store.outbox.verify()
        #expect(try await store.outbox.receipts(limit: 10).map(\.id) == (1...4).map(Samples.id))
        try await prune(store)
        #expect(try await store.outbox.entries(limit: 10).isEmpty)
    }

    @Test(arguments: ["receipt SET size = -5", "receipt SET size = 1 << 62", "entry SET size = 1 << 62"], [false, true])
    func ignoresImpossibleSizes(damage: String, isPruned: Bool) async throws {
        var store = try await delivered(3)
        if isPruned { try await prune(store) }
        for number in 4...6 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        try change(store, "UPDATE \(damage)")
        try salvage(&store)
        try await store.outbox.verify()
        for entry in try await store.claim(3) { try await store.deliver(entry) }
        try await store.outbox.verify()
        let receipts = try await store.outbox.receipts(limit: 10)
        #expect(receipts.map(\.id) == (1...6).map(Samples.id))
    }

    @Test func entryWithoutReceiptDoesNotBlockPruning() async throws {
        let store = try await delivered(3)
        try store.raw { try $0.execute(sql: "DELETE FROM receipt WHERE sequence = 1") }
        try await prune(store)
        #expect(try await store.outbox.entries(limit: 10).map(\.id) == [Samples.id(1)])
        #expect(try await store.outbox.events(since: 0, limit: 10).count == 1)
    }

    @Test func salvageReportsProgress() async throws {
        var store = try await delivered(3)
        let calls = Mutex(0)
        func open() throws { try store.examine { calls.withLock { $0 += 1 } } }
        try store.outbox.close()
        try open()
        #expect(calls.withLock(\.self) == 0)
        try store.outbox.close()
        try Data().write(to: URL(fileURLWithPath: store.directory("outbox.sqlite.damaged")))
        try open()
        #expect(calls.withLock(\.self) > 3)
    }
}
