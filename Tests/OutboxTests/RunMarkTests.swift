import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// The marker of the run cannot be written at the start.
@Suite struct RunMarkTests {
    private func use(of store: Store) -> StoreUse { StoreUse(of: store.directory("outbox.sqlite")) }

    private func epochOfRun(_ store: Store) async throws -> Int64? {
        try await store.outbox.pool.read { db in try Int64.fetchOne(db, sql: "SELECT epoch FROM run") }
    }

    /// The place where a new marker is written before it gets its name.
    private func draft(of store: Store) -> String { store.directory("outbox.sqlite.use.tmp") }

    private func block(_ store: Store) throws {
        try FileManager.default.createDirectory(atPath: draft(of: store), withIntermediateDirectories: false)
    }

    private func unblock(_ store: Store) throws { try FileManager.default.removeItem(atPath: draft(of: store)) }

    /// An entry waits in a store whose first run has stopped. Its second run could not write the marker.
    private func unmarked() async throws -> (store: Store, before: StoreMark) {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.outbox.close()
        let before = try #require(use(of: store).mark)
        try block(store)
        try store.restart()
        #expect(use(of: store).mark == before)
        return (store, before)
    }

    @Test func markerIsWrittenWhenTheLogIsEmptied() async throws {
        let (store, before) = try await unmarked()
        #expect(try await store.outbox.emptyLog())
        #expect(use(of: store).mark == before)
        try unblock(store)
        #expect(try await store.outbox.emptyLog())
        let epoch = try #require(try await epochOfRun(store))
        #expect(use(of: store).mark == StoreMark(inode: use(of: store).inode, epoch: epoch) && epoch == before.epoch + 1)
    }

    /// Copies the open store.
    private func copy(_ store: Store) throws {
        let copy = try DatabaseQueue(path: store.directory("copy"))
        try store.outbox.pool.backup(to: copy)
        try copy.close()
    }

    /// A copy of the killed run. Without the marker of that run, it is not noticed.
    @Test(arguments: [false, true]) func copyIsFoundAfterALateMarker(isLate: Bool) async throws {
        var store = try await unmarked().store
        let path = store.directory("outbox.sqlite")
        try copy(store)
        try unblock(store)
        for entry in try await store.claim() { try await store.deliver(entry) }
        if isLate { #expect(try await store.outbox.emptyLog()) }
        for part in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + part) }
        try FileManager.default.moveItem(atPath: store.directory("copy"), toPath: path)
        try store.restart()
        #expect((store.outbox.olderCopy != nil) == isLate)
    }

    enum End: CaseIterable { case killed, stopped, stoppedWhileBlocked }

    @Test(arguments: End.allCases) func storeWithoutItsMarkerIsNoCopy(end: End) async throws {
        var store = try await unmarked().store
        if end == .stopped { try unblock(store) }
        if end != .killed { try store.outbox.close() }
        if end != .stopped { try unblock(store) }
        try store.restart()
        #expect(store.outbox.olderCopy == nil)
        #expect(try await store.state(1) == .pending)
        #expect(try await store.outbox.pauses().isEmpty)
    }

    /// The stop could not write its marker either, so there is none.
    @Test func lateMarkerDoesNotReplaceThatOfTheStop() async throws {
        let store = try await unmarked().store
        try store.outbox.close()
        #expect(use(of: store).mark == nil)
        try unblock(store)
        store.outbox.marker.write()
        #expect(use(of: store).mark == nil)
    }

    @Test func stopWritesItsMarkerAfterAFailureAtTheStart() async throws {
        let (store, before) = try await unmarked()
        try unblock(store)
        try store.outbox.close()
        let stopped = try #require(use(of: store).mark)
        #expect(stopped.inode == nil && stopped.epoch == before.epoch + 1 && stopped.event != nil)
    }

    /// The store cannot be read, so no marker of the stop is written.
    @Test func stopTriesAgain() async throws {
        let (store, before) = try await unmarked()
        try unblock(store)
        store.outbox.damage.meet("by a test")
        try store.outbox.close()
        #expect(use(of: store).mark == StoreMark(inode: use(of: store).inode, epoch: before.epoch + 1))
    }
}
