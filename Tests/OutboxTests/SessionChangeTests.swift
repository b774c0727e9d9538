import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct SessionChangeTests {
    private static let small = Data("{}".utf8)

    private func limit(_ store: Store, toPages count: Int) async throws {
        try await store.outbox.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// SQLite reports a page limit like a full disk.
    @Test func releasesReserveOnAFullDisk() async throws {
        let store = try Store()
        let reserve = store.directory("ballast")
        try store.outbox.apply(SessionChange(backend: "lab", record: Self.small))
        #expect(try await store.outbox.room() == .enough)
        #expect(FileManager.default.fileExists(atPath: reserve))
        try await limit(store, toPages: 1)
        let large = SessionChange(
            backend: "lab", record: Data(count: 100_000), events: [SyncEvent(at: store.clock.now, .signedIn, backend: "lab")])
        #expect(throws: OutboxError.full) { try store.outbox.apply(large) }
        #expect(!FileManager.default.fileExists(atPath: reserve))
        #expect(try store.outbox.session(of: "lab") == .record(Self.small))
        #expect(try await store.outbox.newestCursor() == 0)
        try await limit(store, toPages: 1 << 20)
        try store.outbox.apply(large)
        #expect(try store.outbox.session(of: "lab") == .record(large.record))
        #expect(try await store.outbox.newestCursor() == 1)
    }

    private static let fates: [(AccountID?, RosterFate, Bool)] = [
        ("1", .follows, true), (nil, .follows, false), ("2", .follows, false), (nil, .kept, true), ("1", .dropped, false),
        (nil, .dropped, false),
    ]
    @Test(arguments: fates) func deletesRostersOfAnAccountThatLeaves(account: AccountID?, fate: RosterFate, isKept: Bool) async throws {
        let store = try Store()
        func change(_ account: AccountID?, _ fate: RosterFate = .follows, of backend: String = "breathesafe") throws {
            try store.outbox.apply(SessionChange(backend: backend, record: Self.small, account: account, rosters: fate))
        }
        try change("1")
        _ = try await store.outbox.store(RosterRead([[.sample(1)]], at: store.clock.now), at: store.clock.now)
        try change("2", of: "lab")
        try change(nil, .dropped, of: "lab")
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).count == 1)
        try change(account, fate)
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).count == (isKept ? 1 : 0))
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM rosterPage") } == (isKept ? 1 : 0))
        // Later changes leave a kept roster alone.
        for account in [nil, nil, "1"] as [AccountID?] where isKept && fate == .kept { try change(account) }
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).count == (isKept ? 1 : 0))
    }

    @Test func sealsEachBackendsSessionForItself() async throws {
        let store = try Store()
        try store.outbox.apply(SessionChange(backend: "lab", record: Self.small))
        try store.raw { try $0.execute(sql: "INSERT INTO session (backend, sealed) SELECT 'other', sealed FROM session") }
        #expect(try store.outbox.session(of: "lab") == .record(Self.small))
        #expect(try store.outbox.session(of: "other") == .unreadable)
        #expect(try store.outbox.session(of: "none") == .none)
    }
}
