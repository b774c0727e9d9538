import Foundation
import Outbox
import Roster
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct HousekeepingTests {
    private static func housekeeping(_ store: Store, _ clock: any SyncClock) -> Housekeeping {
        let rosters = RosterKeeper(outbox: store.outbox, keepers: [], clock: clock, seed: 1, log: .silent)
        return Housekeeping(outbox: store.outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: .silent)
    }

    private static func logSize(_ store: Store) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite-wal"))).count
    }

    /// Runs until the entry is discarded; returns then.
    private func discards(_ store: Store, by clock: any SyncClock, _ work: () async throws -> Void) async throws {
        let housekeeping = Self.housekeeping(store, clock)
        let run = Task { try await housekeeping.run() }
        try await work()
        try await until { try await store.state(1) == .discarded }
        run.cancel()
        try await run.value
    }

    private func discard(_ store: Store, at now: Date) async throws {
        try await store.outbox.discard(Samples.id(1), later: now.addingTimeInterval(600), reason: nil, by: "ann", named: nil, at: now)
    }

    @Test func discardWakesTheTimerThatDestroysTheContent() async throws {
        let store = try Store()
        let clock = store.clock
        try await store.enqueue(Samples.mutation(1))
        try await discards(store, by: clock) {
            await clock.sleeps(after: 0)
            try await discard(store, at: clock.now)
            // The daily work, the log and this timer.
            await clock.sleeps(after: 2)
            clock.advance(by: 599)
            #expect(try await store.state(1) == .held)
            clock.advance(by: 1)
        }
    }

    @Test func discardOfAnEarlierRunIsDestroyedInTime() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await discard(store, at: store.clock.now)
        store.clock.advance(by: 601)
        try await discards(store, by: store.clock) {}
    }

    /// A clock that is set back by two hours while the timer sleeps, for ten minutes by any other clock.
    private final class ClockThatIsSetBack: SyncClock {
        private let time = Mutex(Date(timeIntervalSince1970: 1_765_000_000))

        var now: Date { time.withLock { $0 } }

        func sleep(from begin: Date, until deadline: Date) async throws {
            if deadline.timeIntervalSince(begin) == 600 { return time.withLock { $0 -= 7200 } }
            #expect([Housekeeping.logKept, 86_400].contains(deadline.timeIntervalSince(begin)))
            try await Task.sleep(for: .seconds(86_400), clock: .continuous)
        }
    }

    @Test func clockThatIsSetBackDoesNotKeepTheContent() async throws {
        let store = try Store()
        let clock = ClockThatIsSetBack()
        _ = try await store.outbox.enqueue(Samples.mutation(1), at: clock.now)
        try await discard(store, at: clock.now)
        try await discards(store, by: clock) {}
    }

    /// After the WAL is emptied, no timer remains.
    @Test func emptiesWALSoonAfterWork() async throws {
        let store = try Store()
        let clock = store.clock
        let housekeeping = Self.housekeeping(store, clock)
        let run = Task { try await housekeeping.run() }
        await clock.sleeps(after: 0)

        for number in 1...2 {
            let slept = clock.slept
            try await store.enqueue(Samples.mutation(number))
            await clock.sleeps(after: slept)
            #expect(try Self.logSize(store) > 0)
            clock.advance(by: Housekeeping.logKept)
            try await until { try Self.logSize(store) == 0 }
        }
        #expect(clock.slept == 3)
        run.cancel()
        try await run.value
    }

    /// The clock stands still.
    @Test func emptiesWALAtOnceAfterSignOut() async throws {
        let store = try Store()
        let housekeeping = Self.housekeeping(store, store.clock)
        let run = Task { try await housekeeping.run() }
        await store.clock.sleeps(after: 0)
        try await until { try Self.logSize(store) == 0 }
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("secret".utf8), account: "1"))
        #expect(try Self.logSize(store) > 0)
        // Again, because the first one may come before housekeeping listens.
        while try Self.logSize(store) > 0 {
            try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("secret".utf8), account: "1"))
            try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("none".utf8)))
            await pauseBriefly()
        }
        run.cancel()
        try await run.value
    }

    @Test func deletesKeptListAfterAMonth() async throws {
        let store = try Store()
        let (outbox, clock) = (store.outbox, store.clock)
        try outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: "1"))
        _ = try await outbox.store(RosterRead([[.sample(1)]], at: clock.now), at: clock.now)
        try outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), rosters: .kept))
        let housekeeping = Self.housekeeping(store, clock)
        let run = Task { try await housekeeping.run() }
        await clock.sleeps(after: 0)
        #expect(try await outbox.rosterHeads(of: Samples.destination).count == 1)
        clock.advance(by: Housekeeping.listsKept + 1)
        try await until { try await outbox.rosterHeads(of: Samples.destination).isEmpty }
        run.cancel()
        try await run.value
    }
}
