import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct GatheredReadsTests {
    @Test func concurrentReadsShareASnapshotWithAllEarlierCommits() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let (first, second) = (HeldConnection(), HeldConnection())
        @Sendable func count(behind hold: HeldConnection?) async throws -> Int {
            try await store.outbox.reads.read { db in
                let found = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") ?? 0
                hold?.pass()
                return found
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await count(behind: first) }
            await first.arrival()
            try await store.enqueue(Samples.mutation(2, lane: "2"))
            // Gather while the first reads.
            group.addTask { try await count(behind: second) }
            while store.outbox.reads.waiting < 1 { await Task.yield() }
            for _ in 0..<9 { group.addTask { try await count(behind: nil) } }
            while store.outbox.reads.waiting < 10 { await Task.yield() }
            first.open()
            await second.arrival()
            // The others are in the same transaction, so they do not see this one.
            try await store.enqueue(Samples.mutation(3, lane: "3"))
            second.open()
            var counts: [Int] = []
            for try await found in group { counts.append(found) }
            #expect(counts.sorted() == [1] + Array(repeating: 2, count: 10))
        }
        #expect(store.outbox.reads.waiting == 0)
        #expect(try await count(behind: nil) == 3)
    }

    @Test func errorConcernsOnlyItsRead() async throws {
        let store = try Store()
        let hold = HeldConnection()
        let reads = store.outbox.reads
        let first = Task { try await reads.read { _ in hold.pass() } }
        await hold.arrival()
        let wrong = Task { try await reads.read { db in try db.execute(sql: "SELECT * FROM nowhere") } }
        let right = Task { try await reads.read { db in try Int.fetchOne(db, sql: "SELECT 1") } }
        while reads.waiting < 2 { await Task.yield() }
        hold.open()
        await #expect(throws: DatabaseError.self) { try await wrong.value }
        #expect(try await right.value == 1)
        try await first.value
    }
}
