import Foundation
import Logging
import Outbox
import Roster
import SyncModel
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(60))) struct HousekeepingTests {
    /// After the WAL is emptied, no timer remains.
    @Test func emptiesWALSoonAfterWork() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        func logSize() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: directory("outbox.sqlite-wal"))).count }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: log)
        let housekeeping = Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: 3600, clock: clock, log: log)
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
