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

    @Test func sealsEachBackendsSessionForItself() async throws {
        let store = try Store()
        try store.outbox.apply(SessionChange(backend: "lab", record: Self.small))
        try store.raw { try $0.execute(sql: "INSERT INTO session SELECT 'other', sealed FROM session") }
        #expect(try store.outbox.session(of: "lab") == .record(Self.small))
        #expect(try store.outbox.session(of: "other") == .unreadable)
        #expect(try store.outbox.session(of: "none") == .none)
    }
}
