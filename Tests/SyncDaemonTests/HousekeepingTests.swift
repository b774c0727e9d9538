import Foundation
import Logging
import Outbox
import Roster
import SyncModel
import Synchronization
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite struct HousekeepingTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs until the entry is discarded; returns then.
    private func discards(_ outbox: Outbox, by clock: some SyncClock, _ work: () async throws -> Void) async throws {
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: Self.log)
        let housekeeping = Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: Self.log)
        let run = Task { try await housekeeping.run() }
        try await work()
        while try await outbox.entry(Samples.id(1))?.entry.state != .discarded { await pauseBriefly() }
        run.cancel()
        try await run.value
    }

    private func discard(_ outbox: Outbox, at now: Date) async throws {
        try await outbox.discard(Samples.id(1), later: now.addingTimeInterval(600), reason: nil, by: "ann", named: nil, at: now)
    }

    @Test func discardWakesTheTimerThatDestroysTheContent() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        _ = try await outbox.enqueue(Samples.mutation(1), at: clock.now)
        try await discards(outbox, by: clock) {
            await clock.sleeps(after: 0)
            try await discard(outbox, at: clock.now)
            // The daily work, the log and this timer.
            await clock.sleeps(after: 2)
            clock.advance(by: 599)
            #expect(try await outbox.entry(Samples.id(1))?.entry.state == .held)
            clock.advance(by: 1)
        }
    }

    @Test func discardOfAnEarlierRunIsDestroyedInTime() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        _ = try await outbox.enqueue(Samples.mutation(1), at: clock.now)
        try await discard(outbox, at: clock.now)
        clock.advance(by: 601)
        try await discards(outbox, by: clock) {}
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
        let directory = try TemporaryDirectory()
        let clock = ClockThatIsSetBack()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        _ = try await outbox.enqueue(Samples.mutation(1), at: clock.now)
        try await discard(outbox, at: clock.now)
        try await discards(outbox, by: clock) {}
    }

    /// After the WAL is emptied, no timer remains.
    @Test func emptiesWALSoonAfterWork() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        func logSize() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: directory("outbox.sqlite-wal"))).count }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: Self.log)
        let housekeeping = Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: Self.log)
        let run = Task { try await housekeeping.run() }
        await clock.sleeps(after: 0)

        for number in 1...2 {
            let slept = clock.slept
            _ = try await outbox.enqueue(Samples.mutation(number), at: clock.now)
            await clock.sleeps(after: slept)
            #expect(try logSize() > 0)
            clock.advance(by: Housekeeping.logKept)
            while try logSize() > 0 { await pauseBriefly() }
        }
        #expect(clock.slept == 3)
        run.cancel()
        try await run.value
    }

    /// The clock stands still.
    @Test func emptiesWALAtOnceAfterSignOut() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        func logSize() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: directory("outbox.sqlite-wal"))).count }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: log)
        let housekeeping = Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: log)
        let run = Task { try await housekeeping.run() }
        await clock.sleeps(after: 0)
        while try logSize() > 0 { await pauseBriefly() }
        try outbox.apply(SessionChange(backend: "breathesafe", record: Data("secret".utf8), account: "1"))
        #expect(try logSize() > 0)
        // Again, because the first one may come before housekeeping listens.
        while try logSize() > 0 {
            try outbox.apply(SessionChange(backend: "breathesafe", record: Data("secret".utf8), account: "1"))
            try outbox.apply(SessionChange(backend: "breathesafe", record: Data("none".utf8)))
            await pauseBriefly()
        }
        run.cancel()
        try await run.value
    }

    @Test func deletesKeptListAfterAMonth() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        try outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: "1"))
        let key = RosterKey(destination: Samples.destination, resource: "people")
        let row = RosterRow(id: "1", label: "Anna", folded: "anna", kept: [])
        let read = RosterRead(
            key: key, rule: Data("rule".utf8), beganAt: clock.now, readAt: clock.now, pages: [(etag: nil, rows: [row])], total: 1)
        _ = try await outbox.store(read, at: clock.now)
        try outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), rosters: .kept))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: log)
        let housekeeping = Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: log)
        let run = Task { try await housekeeping.run() }
        await clock.sleeps(after: 0)
        #expect(try await outbox.rosterHeads(of: Samples.destination).count == 1)
        clock.advance(by: Housekeeping.listsKept + 1)
        while try await !outbox.rosterHeads(of: Samples.destination).isEmpty { await pauseBriefly() }
        run.cancel()
        try await run.value
    }
}
