import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// Events are pruned in cursor order, even if the clock was wrong when they were written.
@Suite struct PruneTests {
    private static let day: TimeInterval = 86_400
    private let begin = Date(timeIntervalSince1970: 1_765_000_000)

    /// Records events at `days`, prunes those older than 30 days, and returns the remaining cursors.
    private func left(of days: [Double], prunedOn day: Double) async throws -> (cursors: [Int64], oldest: Int64) {
        let store = try Store()
        try await store.outbox.record(days.map { SyncEvent(at: begin.addingTimeInterval($0 * Self.day), .synced) })
        let now = begin.addingTimeInterval(day * Self.day)
        try await store.outbox.prune(before: now.addingTimeInterval(-30 * Self.day), at: now)
        return (try await store.outbox.events(since: 0, limit: 100).map(\.cursor), try await store.outbox.oldestCursor())
    }

    @Test func removesOlderEvents() async throws {
        let (cursors, oldest) = try await left(of: [0, 1, 2, 39, 40], prunedOn: 40)
        #expect(cursors == [4, 5] && oldest == 3)
    }

    @Test func leavesNoGapBehindEventDatedTooLate() async throws {
        // The third event is dated 2099.
        let (cursors, oldest) = try await left(of: [0, 1, 27_000, 2, 3, 39], prunedOn: 40)
        #expect(cursors == [3, 4, 5, 6] && oldest == 2)
    }

    @Test func prunesEventsDatedTooLateAfterThirtyDays() async throws {
        let store = try Store()
        try await store.outbox.record((1...600).map { _ in SyncEvent(at: begin.addingTimeInterval(27_000 * Self.day), .synced) })
        func prune(on day: Double) async throws -> Int64 {
            let now = begin.addingTimeInterval(day * Self.day)
            try await store.outbox.prune(before: now.addingTimeInterval(-30 * Self.day), at: now)
            return try await store.outbox.oldestCursor()
        }
        #expect(try await prune(on: 1) == 0)
        #expect(try await prune(on: 30) == 0)
        #expect(try await prune(on: 32) == 599)
    }

    @Test func leavesNoGapBehindEventDatedTooEarly() async throws {
        let (cursors, oldest) = try await left(of: [0, 20, -20_000, 21, 40], prunedOn: 40)
        #expect(cursors == [2, 3, 4, 5] && oldest == 1)
    }

    @Test func keepsNewestEventOfAnyAge() async throws {
        let (cursors, oldest) = try await left(of: [0, 1], prunedOn: 400)
        #expect(cursors == [2] && oldest == 1)
    }

    @Test func removesEntriesWhoseSettlementIsDatedTooLate() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let entry = try await store.claim()[0]
        store.clock.advance(by: 27_000 * Self.day)
        try await store.deliver(entry)
        for day in [1.0, 40] {
            let now = begin.addingTimeInterval(day * Self.day)
            try await store.outbox.prune(before: now.addingTimeInterval(-30 * Self.day), at: now)
        }
        #expect(try await store.outbox.entries(limit: 10).isEmpty)
        #expect(try await store.outbox.receipts(limit: 10).count == 1)
    }
}
