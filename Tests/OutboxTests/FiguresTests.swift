import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// Each event is counted once, whenever the process ends and whenever events are pruned.
@Suite struct FiguresTests {
    private func today(_ store: Store) -> Int64 { FigureKey.day(ofMs: store.clock.now.ms) }

    private func key(_ store: Store) -> FigureKey { FigureKey(day: today(store), backend: "breathesafe", account: "1") }

    private func all(_ store: Store) async throws -> Figures { try await store.outbox.figures(ofDays: 0...100_000, at: store.clock.now) }

    @Test func countsCapturesDeliveriesAndDelays() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, at: store.clock.now.addingTimeInterval(-100)))
        try await store.enqueue(Samples.mutation(2, lane: "users/6"))
        try await store.deliver(try await store.claim()[0])
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        let figure = try #require(try await all(store).byKey[key(store)])
        #expect(figure.captured == 2 && figure.delivered == 1 && figure.refused == ["serverError": 1])
        let median = try #require(figure.delays.quantile(0.5))
        #expect((95_000...105_000).contains(median))
    }

    /// Otherwise captures would look lost.
    @Test func entryAndItsReplacementsCountAsOneCapture() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        for (new, old) in [(3, 1), (4, 3), (5, nil)] as [(Int, Int?)] {
            var replacement = Samples.mutation(new)
            replacement.supersedes = old.map(Samples.id)
            try await store.enqueue(replacement)
        }
        for _ in 1...2 { try await store.deliver(try await store.claim()[0]) }
        let figure = try #require(try await all(store).byKey[key(store)])
        #expect(figure.captured == 3 && figure.delivered == 2 && figure.discarded == 1)
    }

    @Test func passesAndReopeningCountNothingTwice() async throws {
        var store = try Store()
        for number in 1...3 {
            try await store.enqueue(Samples.mutation(number, lane: "\(number)"))
            try await store.outbox.countFigures(at: store.clock.now)
            // As after a kill: the old instance never closes.
            try store.restart(crashed: true)
            try await store.outbox.countFigures(at: store.clock.now)
        }
        #expect(try await all(store).byKey[key(store)]?.captured == 3)
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT captured FROM dailyFigure WHERE account = '1'") } == 3)
    }

    @Test func eventsBetweenPassesAreInTheAnswer() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, lane: "1"))
        try await store.outbox.countFigures(at: store.clock.now)
        try await store.enqueue(Samples.mutation(2, lane: "2"))
        #expect(try await all(store).byKey[key(store)]?.captured == 2)
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT captured FROM dailyFigure WHERE account = '1'") } == 1)
    }

    @Test func figuresOutliveTheirEventsAndEndAfterFourHundredDays() async throws {
        let store = try Store()
        let events = (0..<1200).map { _ in SyncEvent(at: store.clock.now, .signedOut, backend: "breathesafe", account: "1") }
        try await store.outbox.record(events)
        let first = key(store)
        func prune(after days: Double) async throws {
            store.clock.advance(by: days * 86_400)
            try await store.outbox.prune(before: store.clock.now.addingTimeInterval(-30 * 86_400), at: store.clock.now)
        }
        try await prune(after: 40)
        #expect(try await store.outbox.oldestCursor() == 1199)
        #expect(try await all(store).byKey[first]?.signedOut == 1200)
        try await prune(after: 360)
        #expect(try await all(store).byKey[first]?.signedOut == 1200)
        try await prune(after: 1)
        #expect(try await all(store).byKey[first] == nil)
    }

    @Test func eventDatedInTheFutureCountsToday() async throws {
        let store = try Store()
        try await store.outbox.record([
            SyncEvent(at: store.clock.now.addingTimeInterval(9e8), .signedIn, backend: "breathesafe", account: "1")
        ])
        #expect(try await all(store).byKey[key(store)]?.signedIn == 1)
    }

    @Test func currentOutageIsCountedUpToNowAndKeptAcrossPasses() async throws {
        let store = try Store()
        let cooling = ["gate": "cooling", "reason": "offline"]
        try await store.outbox.record([SyncEvent(at: store.clock.now, .gateChanged, backend: "breathesafe", detail: cooling)])
        let begin = store.clock.now
        try await store.outbox.countFigures(at: begin)
        store.clock.advance(by: 60)
        for _ in 1...2 {
            let figures = try await all(store)
            #expect(figures.outages["breathesafe"]?.ms == begin.ms)
            #expect(figures.byKey.values.reduce(0) { $0 + $1.outageTime } == 60_000)
        }
        try await store.outbox.record([SyncEvent(at: store.clock.now, .gateChanged, backend: "breathesafe", detail: ["gate": "open"])])
        store.clock.advance(by: 60)
        let figures = try await all(store)
        #expect(figures.outages.isEmpty && figures.byKey.values.reduce(0) { $0 + $1.outageTime } == 60_000)
    }

    @Test(arguments: [false, true]) func outageThatAKillInterruptsIsOneOutage(passesBetween: Bool) async throws {
        var store = try Store()
        let begin = store.clock.now
        let cooling = ["gate": "cooling", "reason": "offline"]
        let events: [(SyncEvent.Kind, [String: String])] = [
            (.gateChanged, cooling), (.started, [:]), (.gateChanged, ["gate": "open"]), (.gateChanged, cooling),
        ]
        for (kind, detail) in events {
            let backend: String? = kind == .started ? nil : "breathesafe"
            try await store.outbox.record([SyncEvent(at: store.clock.now, kind, backend: backend, detail: detail)])
            store.clock.advance(by: 60)
            guard passesBetween else { continue }
            try await store.outbox.countFigures(at: store.clock.now)
            try store.restart(crashed: true)
        }
        let figures = try await all(store)
        #expect(figures.outages["breathesafe"]?.ms == begin.ms)
        #expect(figures.byKey.values.reduce(0) { $0 + $1.outages } == 1)
        #expect(figures.byKey.values.reduce(0) { $0 + $1.outageTime } == 240_000)
    }
}
