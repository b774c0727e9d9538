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

    // MARK: Owed sign-outs

    private func owed(_ account: AccountID, _ record: String = "secret", in store: Store) -> StoredOwedSignOut {
        StoredOwedSignOut(account: account, until: store.clock.now.addingTimeInterval(86_400), record: Data(record.utf8))
    }

    private func sealed(_ store: Store) throws -> [Data] {
        try store.raw { try Data.fetchAll($0, sql: "SELECT sealed FROM owedSignOut ORDER BY account") }
    }

    /// Signs the account out with an owed call.
    private func signOut(_ account: AccountID, of backend: String = "lab", _ store: Store) throws {
        let event = SyncEvent(at: store.clock.now, .signedOut, backend: backend)
        try store.outbox.apply(
            SessionChange(backend: backend, record: Self.small, events: [event], owedSignOut: .begins(owed(account, in: store))))
    }

    @Test func keepsOwedCredentialsInTheTransactionThatEndsTheSession() async throws {
        let store = try Store()
        try store.outbox.apply(SessionChange(backend: "lab", record: Self.small, account: "1"))
        try store.raw {
            try $0.execute(
                sql: "CREATE TRIGGER refused BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        }
        #expect(throws: OutboxError.self) { try signOut("1", store) }
        #expect(try store.outbox.owedSignOuts(of: "lab").isEmpty)
        try store.raw { try $0.execute(sql: "DROP TRIGGER refused") }
        try signOut("1", store)
        try signOut("2", store)
        #expect(try store.outbox.owedSignOuts(of: "lab") == [owed("1", in: store), owed("2", in: store)])
        #expect(try sealed(store).allSatisfy { !$0.holds(Data("secret".utf8)) })
        // Each opens only as what it is.
        try store.raw { try $0.execute(sql: "UPDATE owedSignOut SET account = '3' WHERE account = '2'") }
        #expect(try store.outbox.owedSignOuts(of: "lab").count == 1)
    }

    @Test(arguments: ["heard", "signed in", "no profile", "unreadable"]) func destroysOwedCredentials(end: String) async throws {
        let store = try Store()
        try signOut("1", store)
        let bytes = try #require(try sealed(store).first)
        let event = SyncEvent(at: store.clock.now, .signOutHeard, backend: "lab", account: "1")
        switch end {
        case "heard": try store.outbox.endOwedSignOut(event)
        case "signed in":
            try store.outbox.apply(SessionChange(backend: "lab", record: Self.small, account: "1", owedSignOut: .ends(event)))
        case "no profile":
            try store.outbox.forgetOwedSignOuts(except: ["lab"], at: store.clock.now)
            #expect(try sealed(store) == [bytes], "the profile is there")
            try store.outbox.forgetOwedSignOuts(except: ["other"], at: store.clock.now)
        default:
            try store.raw { try $0.execute(sql: "PRAGMA secure_delete = ON; UPDATE owedSignOut SET account = '2'") }
            try store.outbox.forgetOwedSignOuts(except: ["lab"], at: store.clock.now)
        }
        #expect(try sealed(store).isEmpty)
        #expect(try await store.outbox.newestCursor() == 2)
        #expect(try await store.outbox.emptyLog())
        for name in try FileManager.default.contentsOfDirectory(atPath: store.directory.path) {
            let content = try Data(contentsOf: URL(fileURLWithPath: store.directory(name)))
            #expect(!content.holds(bytes) && !content.holds(bytes.suffix(16)), "\(name)")
        }
    }

    @Test func replacesRefreshedTokensOnlyWhileTheCallIsOwed() throws {
        let store = try Store()
        try signOut("1", store)
        try store.outbox.update(owed("1", "newer", in: store), of: "lab")
        try store.outbox.update(owed("2", "newer", in: store), of: "lab")
        #expect(try store.outbox.owedSignOuts(of: "lab") == [owed("1", "newer", in: store)])
        #expect(try store.outbox.owedSignOuts(of: "other").isEmpty)
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
