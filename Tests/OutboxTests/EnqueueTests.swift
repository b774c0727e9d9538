import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

@Suite struct EnqueueTests {
    @Test func everyCommitIsFollowedByAnFsync() throws {
        let store = try Store()
        // 2 is FULL.
        #expect(try store.outbox.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
    }

    @Test func nothingIsWrittenOutsideTheStateDirectory() throws {
        let store = try Store()
        #expect(try store.outbox.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA temp_store") } == 2)
    }

    @Test func acceptedEntrySurvivesRestart() async throws {
        var store = try Store()
        let accepted = try await store.enqueue(Samples.mutation(1))
        try store.restart()
        let entry = try #require(try await store.claim().first)
        #expect(entry.sequence == accepted.sequence)
        #expect(entry.mutation == Samples.mutation(1))
    }

    @Test func repeatedSubmissionIsOneEntry() async throws {
        let store = try Store()
        let first = try await store.enqueue(Samples.mutation(1))
        #expect(
            try await store.enqueue(Samples.mutation(1)) == .duplicate(sequence: first.sequence, of: Samples.destination, Lane("users/5")))
        #expect(try await store.outbox.entries(limit: 10).count == 1)
    }

    @Test func fullOutboxRefusesUntilDeliveriesFreeSpace() async throws {
        let limit: Int64 = 2 << 20
        let store = try Store(maxBytes: limit)
        let (outbox, clock) = (store.outbox, store.clock)
        let document = "{\"a\":\"" + Samples.noise(100_000) + "\"}"
        var accepted = 0
        var refusal: OutboxError?
        while refusal == nil, accepted < 100 {
            do throws(OutboxError) {
                _ = try await outbox.enqueue(Samples.mutation(accepted + 1, lane: "\(accepted)", payload: document), at: clock.now)
                accepted += 1
            } catch {
                refusal = error
            }
        }
        #expect(refusal == .overLimit(limit))
        #expect((10..<21).contains(accepted))
        #expect(try await outbox.room() == .overLimit(limit))
        // A duplicate needs no space.
        #expect(try await outbox.enqueue(Samples.mutation(1, lane: "0", payload: document), at: clock.now).sequence == 1)
        #expect(try await outbox.room() == .overLimit(limit))
        let claimed = try await outbox.claim([Samples.destination: 4], at: clock.now).entries
        let settled = claimed.map { Settled($0, .delivered(Samples.receipt), attempt: nil) }
        _ = try await outbox.settle(settled, thenClaim: [:], at: clock.now)
        #expect(try await outbox.room() == .enough)
        #expect(try await outbox.enqueue(Samples.mutation(101, lane: "new", payload: document), at: clock.now).sequence > 1)
    }

    /// SQLite reports a page limit like a full disk. This disk has space.
    @Test func reportsFullDiskUntilRefusedSubmissionFits() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let pages = try await store.outbox.pool.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA max_page_count = 1") ?? 0
        }
        #expect(pages > 1)
        let large = Samples.mutation(2, payload: "{\"a\":\"" + Samples.noise(100_000) + "\"}")
        await #expect(throws: OutboxError.full) { try await store.enqueue(large) }
        #expect(store.outbox.shortage.now.wasFull && store.outbox.shortage.now.lastNoSpace > 100_000)
        #expect(try await store.outbox.room() == .enough)
        #expect(!store.outbox.shortage.now.wasFull)
        store.outbox.shortage.note { $0.lastNoSpace = 1 << 60 }
        #expect(try await store.outbox.room() == .diskFull)
        // A small commit does not clear the shortage.
        _ = try await store.claim()
        #expect(try await store.outbox.room() == .diskFull)
    }

    private func large(_ number: Int, bytes: Int) -> Mutation {
        Samples.mutation(number, lane: "large/\(number)", payload: "{\"a\":\"" + Samples.noise(bytes) + "\"}")
    }

    private func isTooLarge(_ result: Result<Enqueued, OutboxError>) -> Bool {
        if case .failure(.tooLarge) = result { true } else { false }
    }

    /// Its stored payload is smaller than the limit, but the store without entries needs some of that too.
    @Test(arguments: [nil, "ann"] as [String?]) func acceptsEntriesBehindOneThatNoDeliveryMakesRoomFor(actor: String?) async throws {
        let store = try Store(maxBytes: 2 << 20)
        let (outbox, clock) = (store.outbox, store.clock)
        let large = large(1, bytes: 2_000_000)
        for number in 2...3 {
            let batch = [large, Samples.mutation(number)]
            let results = try await outbox.enqueue(batch, accountLabel: nil, at: clock.now, EnqueueOptions(by: actor)).results
            guard case .failure(.tooLarge(let size, let limit)) = results[0] else { throw OutboxError.storage("\(results[0])") }
            #expect(size < limit && limit == 2 << 20)
            #expect(try results[1].get().sequence == Int64(number - 1))
            #expect(try await outbox.room() == .enough)
        }
    }

    /// Both are accepted, or none, so the delivery of the first cannot make room for the second.
    @Test func pairThatDoesNotFitBesideItselfNeverFits() async throws {
        let store = try Store(maxBytes: 2 << 20)
        let pair = (1...2).map { large($0, bytes: 1_000_000) }
        let error = await #expect(throws: OutboxError.self) {
            _ = try await store.outbox.enqueue(pair, accountLabel: nil, at: store.clock.now, EnqueueOptions(by: "ann", isWhole: true))
        }
        #expect(error.map { isTooLarge(.failure($0)) } == true, "\(String(describing: error))")
        #expect(try await store.outbox.entries(limit: 1).isEmpty)
    }

    /// They keep their payloads until a person decides, so waiting does not help.
    @Test func failedAndHeldEntriesMakeNoRoomByThemselves() async throws {
        let limit: Int64 = 2 << 20
        let store = try Store(maxBytes: limit)
        let (outbox, clock) = (store.outbox, store.clock)
        let last = large(1, bytes: 1_000_000)
        func enqueued() async throws -> Result<Enqueued, OutboxError> {
            try #require(try await outbox.enqueue([last], accountLabel: nil, at: clock.now).results.first)
        }
        for number in 2...3 { _ = try await outbox.enqueue(large(number, bytes: 600_000), at: clock.now) }
        let entries = try await outbox.claim([Samples.destination: 2], at: clock.now).entries
        #expect(entries.count == 2)
        // While they are being sent, their deliveries may make room.
        #expect(try await enqueued() == .failure(.overLimit(limit)))
        let ends = zip(entries, [Settlement.held(.forbidden, Samples.failure), .dead(Samples.failure)])
        _ = try await outbox.settle(ends.map { Settled($0, $1, attempt: nil) }, thenClaim: [:], at: clock.now)
        #expect(isTooLarge(try await enqueued()))
        // The end of a discard destroys the payload.
        let end = clock.now.addingTimeInterval(600)
        try await outbox.discard(Samples.id(2), later: end, reason: nil, by: "ann", named: nil, at: clock.now)
        #expect(try await enqueued() == .failure(.overLimit(limit)))
    }

    /// A page of a long payload holds four bytes less than it takes.
    @Test func countsTheWholePagesOfALongPayload() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.raw { db in
            try db.execute(sql: "DROP TRIGGER contentSame; DROP TRIGGER contentStays; UPDATE content SET sealed = zeroblob(16000000)")
            let used = try Outbox.usedBytes(db)
            var freed: Int64 = 0
            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM content")
                freed = try used - Outbox.usedBytes(db)
                return .rollback
            }
            #expect(freed > 16_000_000 + 4096)
            #expect(try Outbox.willFree(freed, db))
            #expect(try !Outbox.willFree(freed + 2 * 4096, db))
        }
    }

    /// A smaller submission could overtake the refused one.
    @Test func acceptsNoNewEntryBehindRefusedOne() async throws {
        let store = try Store(maxBytes: 2 << 20)
        try await store.enqueue(large(4, bytes: 1_200_000))
        let batch = [Samples.mutation(1), large(2, bytes: 1_200_000), Samples.mutation(3), large(4, bytes: 1_200_000)]
        let results = try await store.outbox.enqueue(batch, accountLabel: nil, at: store.clock.now).results
        // The third alone would fit.
        #expect(results[1] == .failure(.overLimit(2 << 20)) && results[2] == .failure(.overLimit(2 << 20)))
        #expect(try [results[0], results[3]].map { try $0.get().sequence } == [2, 1])
    }

    /// It is never accepted, so no smaller one overtakes it.
    @Test func acceptsEntriesBehindOneThatAloneExceedsTheLimit() async throws {
        let store = try Store(maxBytes: 2 << 20)
        let large = Samples.mutation(1, payload: "{\"a\":\"" + Samples.noise(2 << 20) + "\"}")
        let results = try await store.outbox.enqueue([large, Samples.mutation(2)], accountLabel: nil, at: store.clock.now).results
        guard case .failure(.tooLarge(let size, let limit)) = results[0] else { throw OutboxError.storage("\(results[0])") }
        #expect(size > limit && limit == 2 << 20)
        #expect(try results[1].get().sequence == 1)
        #expect(try await store.outbox.room() == .enough)
    }

    /// Submissions being written count as used space.
    @Test func reservesRoomForSubmissionsInProgress() async throws {
        let store = try Store()
        #expect(store.outbox.shortage.began(1 << 60) == 0)
        await #expect(throws: OutboxError.full) { try await store.enqueue(Samples.mutation(1)) }
        #expect(try await store.outbox.room() == .enough)
        store.outbox.shortage.ended(1 << 60)
        try await store.enqueue(Samples.mutation(1))
        #expect(store.outbox.shortage.began(0) == 0)
    }

    @Test func recognizesDuplicateAfterPruning() async throws {
        let store = try Store()
        let first = try await store.enqueue(Samples.mutation(1))
        try await store.deliver(try await store.claim()[0])
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        #expect(try await store.outbox.entries(limit: 10).isEmpty)
        #expect(
            try await store.enqueue(Samples.mutation(1)) == .duplicate(sequence: first.sequence, of: Samples.destination, Lane("users/5")))
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.remoteID == "7")
    }

    @Test func differentContentWithSameIDIsAnError() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        await #expect(throws: OutboxError.idConflict(Samples.id(1))) {
            try await store.enqueue(Samples.mutation(1, payload: #"{"average_measurements":{"1-2":{}}}"#))
        }
        #expect(try await store.claim()[0].mutation.payload == Samples.mutation(1).payload)
    }

    /// A create whose payload went to a second entry is another submission than one without a payload.
    @Test(arguments: [true, false]) func createWithAndWithoutAFollowerDiffer(hasFollower: Bool) async throws {
        var store = try Store()
        var create = Samples.mutation(1)
        (create.payload, create.creates, create.hasFollower) = (nil, "people", hasFollower)
        try await store.enqueue(create)
        var other = create
        other.hasFollower.toggle()
        await #expect(throws: OutboxError.idConflict(Samples.id(1))) { try await store.enqueue(other) }
        try store.restart()
        #expect(try await store.enqueue(create).sequence == 1)
        let entry = try #require(try await store.claim().first)
        #expect(entry.mutation == create)
        try await store.deliver(entry)
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        await #expect(throws: OutboxError.idConflict(Samples.id(1))) { try await store.enqueue(other) }
        #expect(try await store.enqueue(create).sequence == 1)
    }

    @Test func refusedSubmissionDoesNotAffectOthers() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(2))
        let results = try await store.outbox.enqueue(
            [Samples.mutation(1), Samples.mutation(2, payload: "{}"), Samples.mutation(3)], accountLabel: nil, at: store.clock.now
        ).results
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        #expect(try await store.outbox.entries(limit: 10).map(\.id) == [2, 1, 3].map(Samples.id))
    }

    @Test func concurrentSubmissionsAreAllAcceptedOnce() async throws {
        let store = try Store()
        let sequences = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...200 {
                group.addTask { try await store.enqueue(Samples.mutation(number, lane: "users/\(number % 7)")).sequence }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(sequences == Set(1...200))
        #expect(try await store.outbox.derivedTablesMatch())
    }

    /// Also of a payload that is compressed first.
    @Test(arguments: [1, 200]) func storesNoPersonalDataInPlainText(times: Int) async throws {
        let store = try Store()
        let canary = "canary-7f3a91"
        var mutation = Samples.mutation(1, payload: #"{"note":"\#(String(repeating: canary, count: times))"}"#)
        mutation.fields["name"] = .string(canary)
        let frame = mutation.payload.flatMap(Compression.compressed)?.prefix(16)
        #expect((frame != nil) == (times > 1))
        try await store.enqueue(mutation)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        for file in files {
            let content = try Data(contentsOf: URL(fileURLWithPath: store.directory(file)))
            #expect(!content.holds(Data(canary.utf8)), "\(file)")
            if let frame { #expect(!content.holds(frame), "\(file) has a compressed payload that is not sealed") }
        }
        // The control: the same search finds data that is not encrypted.
        let all = try files.reduce(into: Data()) { $0 += try Data(contentsOf: URL(fileURLWithPath: store.directory($1))) }
        #expect(all.holds(Data("users/5".utf8)))
    }

    @Test func neverReusesASequence() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now)
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        #expect(try await store.enqueue(Samples.mutation(2)).sequence == 2)
    }

    @Test func refusesStoreOfNewerVersion() throws {
        var store = try Store()
        try store.raw { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999')") }
        #expect(throws: OutboxError.tooNew) { try store.restart() }
    }

    /// Such as the creation of a person and the person's data.
    @Test func reportsAPairThatDoesNotFit() async throws {
        let store = try Store()
        let pair = (1...2).map { Samples.mutation($0) }
        #expect(store.outbox.shortage.began(1 << 60) == 0)
        let options = EnqueueOptions(by: "ann", isWhole: true)
        await #expect(throws: OutboxError.full) {
            try await store.outbox.enqueue(pair, accountLabel: nil, at: store.clock.now, options)
        }
        store.outbox.shortage.ended(1 << 60)
        #expect(store.outbox.shortage.now.lastNoSpace > 0)
        // Less than the store without entries needs.
        let limit: Int64 = 64 << 10
        let small = try Outbox(
            file: store.directory("small.sqlite"), vault: Vault(key: store.key), crashed: false, maxBytes: limit, now: store.clock.now)
        await #expect(throws: OutboxError.neverFits(limit)) {
            try await small.enqueue(pair, accountLabel: nil, at: store.clock.now, options)
        }
        #expect(try await small.room() == .overLimit(limit))
    }
}
