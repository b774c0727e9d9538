import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// The test clock begins 2,800 s after the full hour.
@Suite struct HourFiguresTests {
    private func hour(_ store: Store) -> Int64 { HourFigure.hour(ofMs: store.clock.now.ms) }

    private func figures(_ store: Store, _ hours: ClosedRange<Int64>, backend: String? = nil) async throws -> [HourFigure] {
        try await store.outbox.hourFigures(of: hours, backend: backend, at: store.clock.now)
    }

    @Test func countsEachHourAndTheWaitsInIt() async throws {
        let store = try Store()
        let first = hour(store)
        try await store.enqueue(Samples.mutation(1))
        store.clock.advance(by: 7200)
        #expect(try await figures(store, first...hour(store)).map(\.longestWait) == [800_000, 4_400_000, 7_200_000])
        try await store.deliver(try await store.claim()[0])
        #expect(
            try await figures(store, (first - 1)...(first + 2)) == [
                HourFigure(hour: first - 1), HourFigure(hour: first, captured: 1, longestWait: 800_000),
                HourFigure(hour: first + 1, longestWait: 4_400_000), HourFigure(hour: first + 2, delivered: 1, longestWait: 7_200_000),
            ])
        // Delivered after these hours.
        #expect(try await figures(store, first...first) == [HourFigure(hour: first, captured: 1, longestWait: 800_000)])
    }

    @Test func oldestOfTheWaitingEntriesCounts() async throws {
        let store = try Store()
        for number in 1...3 {
            try await store.enqueue(Samples.mutation(number, lane: "\(number)"))
            store.clock.advance(by: 100)
        }
        let claimed = try await store.claim()
        #expect(claimed.count == 1)
        // One in flight, which is the oldest.
        #expect(try await figures(store, hour(store)...hour(store)).map(\.longestWait) == [300_000])
        try await store.deliver(claimed[0])
        store.clock.advance(by: 3600)
        #expect(try await figures(store, hour(store)...hour(store)).map(\.longestWait) == [3_800_000])
    }

    @Test func failedEntryWaitsAgainFromTheRetry() async throws {
        let store = try Store()
        let first = hour(store)
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        store.clock.advance(by: 10_800)
        #expect(try await figures(store, first...hour(store)).allSatisfy { $0.longestWait == nil })
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "uid 1", at: store.clock.now)
        store.clock.advance(by: 60)
        try await store.deliver(try await store.claim()[0])
        #expect(try await figures(store, first...hour(store)).map(\.longestWait) == [nil, nil, nil, 60_000])
    }

    @Test func discardedEntryDoesNotCountAsWaiting() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.outbox.discard(Samples.id(1), by: "uid 1", at: store.clock.now)
        #expect(try await figures(store, hour(store)...hour(store)) == [HourFigure(hour: hour(store), captured: 1)])
    }

    @Test func entryAndItsReplacementCountAsOneCapture() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        var replacement = Samples.mutation(2)
        replacement.supersedes = Samples.id(1)
        try await store.enqueue(replacement)
        #expect(try await figures(store, hour(store)...hour(store)).map(\.captured) == [1])
    }

    /// More than two batches. A few wrong times hide nothing.
    @Test func countsAllEventsOfTheHours() async throws {
        let store = try Store()
        let (first, begin) = (hour(store), store.clock.now)
        var events = (0..<1200).map { number in
            SyncEvent(at: begin.addingTimeInterval(Double(number) * 10), .captured, backend: "breathesafe", account: "1")
        }
        let expected = Dictionary(grouping: events) { HourFigure.hour(ofMs: $0.at.ms) }.mapValues(\.count)
        for place in [1199, 700, 699, 2] {
            events.insert(SyncEvent(at: Date(timeIntervalSince1970: 5), .captured, backend: "breathesafe", account: "1"), at: place)
        }
        try await store.outbox.record(events)
        store.clock.advance(by: 12_000)
        let figures = try await figures(store, first...hour(store))
        #expect(figures.reduce(0) { $0 + $1.captured } == 1200)
        for figure in figures { #expect(figure.captured == expected[figure.hour] ?? 0) }
    }

    @Test func eventDatedInTheFutureCountsInThisHour() async throws {
        let store = try Store()
        try await store.outbox.record([
            SyncEvent(at: store.clock.now.addingTimeInterval(9e8), .captured, backend: "breathesafe", account: "1")
        ])
        #expect(try await figures(store, hour(store)...hour(store)).map(\.captured) == [1])
    }

    @Test func countsOneBackendAlone() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.outbox.record([SyncEvent(at: store.clock.now, .captured, backend: "other", account: "1")])
        store.clock.advance(by: 5)
        let now = hour(store)
        #expect(try await figures(store, now...now) == [HourFigure(hour: now, captured: 2, longestWait: 5000)])
        #expect(try await figures(store, now...now, backend: "other") == [HourFigure(hour: now, captured: 1)])
        let named = try await figures(store, now...now, backend: "breathesafe")
        #expect(named == [HourFigure(hour: now, captured: 1, longestWait: 5000)])
        try await store.deliver(try await store.claim()[0])
        #expect(try await figures(store, now...now, backend: "other") == [HourFigure(hour: now, captured: 1)])
    }
}
