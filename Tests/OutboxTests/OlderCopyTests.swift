import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// A copy of the store is put in its place by hand, without `homingd restore`.
@Suite struct OlderCopyTests {
    private static let parts = ["", "-wal", "-shm"]

    /// Opens the file like the next run. Only the route `measurement` has a profile, and can be looked up.
    private func open(_ store: Store, at now: Date? = nil) throws -> Outbox {
        try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, now: now ?? store.clock.now,
            traits: { _, route in route == "measurement" ? Samples.route : nil })
    }

    /// Two entries wait: one that can be looked up, and one that cannot.
    private func enqueued() async throws -> Store {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, lane: "1"))
        var blind = Samples.mutation(2, lane: "2")
        blind.route = "fit_test"
        try await store.enqueue(blind)
        return store
    }

    private func deliverAll(_ store: Store) async throws { for entry in try await store.claim(5) { try await store.deliver(entry) } }

    /// Copies the open store.
    private func copyOpenStore(_ store: Store) throws {
        let copy = try DatabaseQueue(path: store.directory("copy"))
        try store.outbox.pool.backup(to: copy)
        try copy.close()
    }

    /// Two entries wait in the copy. A minute later, the store has delivered them.
    private func copied() async throws -> (store: Store, made: Date) {
        let store = try await enqueued()
        let made = store.clock.now
        try copyOpenStore(store)
        store.clock.advance(by: 60)
        try await deliverAll(store)
        return (store, made)
    }

    private func copyClosedStore(_ store: Store) throws {
        try FileManager.default.copyItem(atPath: store.directory("outbox.sqlite"), toPath: store.directory("copy"))
    }

    enum Way: CaseIterable { case moved, copiedIntoTheFile }

    private func putCopyBack(_ store: Store, _ way: Way = .moved) throws {
        let path = store.directory("outbox.sqlite")
        switch way {
        case .moved:
            for part in Self.parts where FileManager.default.fileExists(atPath: path + part) {
                try FileManager.default.removeItem(atPath: path + part)
            }
            try FileManager.default.moveItem(atPath: store.directory("copy"), toPath: path)
        case .copiedIntoTheFile:
            try Data(contentsOf: URL(fileURLWithPath: store.directory("copy"))).write(to: URL(fileURLWithPath: path))
        }
    }

    private func entry(_ outbox: Outbox, _ number: Int) async throws -> Entry {
        try #require(try await outbox.entry(Samples.id(number))?.entry)
    }

    private func restores(_ outbox: Outbox) async throws -> [SyncEvent] {
        try await outbox.events(since: 0, limit: 100).filter { $0.kind == .backupRestored }
    }

    /// As after a restore.
    private func expectDoubt(_ outbox: Outbox, since made: Date) async throws {
        #expect(outbox.olderCopy == OlderCopy(at: made, entries: RestoredEntries(lookedUp: 1, held: 1)))
        try await expectMarks(outbox, since: made)
    }

    private func expectMarks(_ outbox: Outbox, since made: Date) async throws {
        let (found, blind) = (try await entry(outbox, 1), try await entry(outbox, 2))
        #expect(found.state == .pending && found.uncertain && found.doubts == 1 && found.lastReason == .restored)
        #expect(found.uncertainSince == made)
        #expect(blind.state == .held && blind.holdReason == .unknownOutcome && blind.lastReason == .restored)
        #expect(try await outbox.pauses()["breathesafe"]?.by == Pause.olderCopy)
        let restores = try await restores(outbox)
        #expect(restores.map(\.detail) == [["by": "homingd", "made": made.formatted(.iso8601), "held": "1"]])
        #expect(try await outbox.derivedTablesMatch())
    }

    private func expectNothing(_ outbox: Outbox) async throws {
        #expect(outbox.olderCopy == nil)
        #expect(try await restores(outbox).isEmpty)
        #expect(try await outbox.pauses().isEmpty)
    }

    @Test(arguments: Way.allCases) func copyOfAnEarlierRunIsMarkedOnce(way: Way) async throws {
        var store = try await enqueued()
        let made = store.clock.now
        try store.outbox.close()
        try copyClosedStore(store)
        store.clock.advance(by: 60)
        store.outbox = try open(store)
        try await deliverAll(store)
        try store.outbox.close()
        try putCopyBack(store, way)
        store.clock.advance(by: 60)
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
        try store.outbox.close()
        store.outbox = try open(store)
        #expect(store.outbox.olderCopy == nil)
        try await expectMarks(store.outbox, since: made)
    }

    /// Like `rm outbox.sqlite*` under the running daemon.
    @Test func copyIsFoundAfterTheStoreWasDeletedWithItsMarker() async throws {
        let copied = try await copied()
        var (store, made) = (copied.store, copied.made)
        let path = store.directory("outbox.sqlite")
        for part in Self.parts + [".use"] { try FileManager.default.removeItem(atPath: path + part) }
        try store.outbox.close()
        try FileManager.default.moveItem(atPath: store.directory("copy"), toPath: path)
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
    }

    /// The status would otherwise say that everything is delivered.
    @Test func copyWithoutWaitingEntriesPausesBackendsWithASession() async throws {
        var store = try Store()
        try await store.outbox.pool.write { db in
            try db.execute(sql: "INSERT INTO session (backend, sealed) VALUES ('breathesafe', x'00')")
        }
        try copyOpenStore(store)
        try await store.enqueue(Samples.mutation(1, lane: "1"))
        try await deliverAll(store)
        try store.outbox.close()
        try putCopyBack(store)
        store.outbox = try open(store)
        #expect(store.outbox.olderCopy?.entries == RestoredEntries())
        let pause = try await store.outbox.pauses()["breathesafe"]
        #expect(pause?.by == Pause.olderCopy && pause?.reason.hasPrefix("An older copy of the store was put in its place. ") == true)
    }

    @Test(arguments: Way.allCases) func copyOfTheSameRunIsOlderThanItsEnd(way: Way) async throws {
        let copied = try await copied()
        var (store, made) = (copied.store, copied.made)
        try store.outbox.close()
        try putCopyBack(store, way)
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
    }

    @Test func copyIsFoundAfterAKill() async throws {
        let copied = try await copied()
        var (store, made) = (copied.store, copied.made)
        try putCopyBack(store)
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
    }

    /// The daemon stops while the copy is in the place of its file.
    @Test func copyIsFoundAfterAStopWithoutTheStore() async throws {
        var store = try await enqueued()
        let made = store.clock.now
        try copyOpenStore(store)
        try await deliverAll(store)
        try putCopyBack(store)
        try store.outbox.close()
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
    }

    /// Such as to a larger disk.
    @Test func sameStoreInAnotherFileIsNoCopy() async throws {
        var store = try await enqueued()
        try store.outbox.close()
        try copyClosedStore(store)
        try putCopyBack(store)
        store.outbox = try open(store)
        try await expectNothing(store.outbox)
        #expect(try await !entry(store.outbox, 1).uncertain)
    }

    @Test(arguments: [false, true]) func storeInItsPlaceIsNoCopy(isClosed: Bool) async throws {
        var store = try await enqueued()
        for _ in 1...3 {
            if isClosed { try store.outbox.close() }
            store.outbox = try open(store)
            try await expectNothing(store.outbox)
        }
    }

    @Test func copyIsFoundAgainIfItsMarksWereNotWritten() async throws {
        var store = try await enqueued()
        let made = store.clock.now
        try store.outbox.close()
        try copyClosedStore(store)
        store.outbox = try open(store)
        try await deliverAll(store)
        try store.outbox.close()
        try putCopyBack(store)
        try store.raw {
            try $0.execute(
                sql: """
                    CREATE TRIGGER killed BEFORE INSERT ON event WHEN NEW.kind = 'backupRestored'
                    BEGIN SELECT RAISE(ABORT, 'killed'); END
                    """)
        }
        let present = store
        #expect(throws: OutboxError.self) { _ = try open(present) }
        try store.raw { try $0.execute(sql: "DROP TRIGGER killed") }
        store.outbox = try open(store)
        try await expectDoubt(store.outbox, since: made)
    }

    /// Killed before the marker was written. The clock is wrong, so it does not raise the epoch.
    @Test func copyIsNotMarkedAgainAfterAKill() async throws {
        var store = try await enqueued()
        try store.outbox.close()
        try copyClosedStore(store)
        for _ in 1...3 {
            store.outbox = try open(store)
            try store.outbox.close()
        }
        try putCopyBack(store)
        let marker = URL(fileURLWithPath: store.directory("outbox.sqlite.use"))
        let before = try Data(contentsOf: marker)
        store.outbox = try open(store, at: Date(timeIntervalSince1970: 0))
        #expect(store.outbox.olderCopy != nil)
        try before.write(to: marker)
        store.outbox = try open(store)
        #expect(store.outbox.olderCopy == nil)
        #expect(try await restores(store.outbox).count == 1)
    }

    enum Damage: CaseIterable { case missing, empty, changed, folder }

    @Test(arguments: Damage.allCases) func damagedMarkerSaysNothing(damage: Damage) async throws {
        var store = try await enqueued()
        try store.outbox.close()
        try copyClosedStore(store)
        store.outbox = try open(store)
        try store.outbox.close()
        try putCopyBack(store)
        let marker = URL(fileURLWithPath: store.directory("outbox.sqlite.use"))
        var content = try Data(contentsOf: marker)
        try FileManager.default.removeItem(at: marker)
        switch damage {
        case .missing: break
        case .empty: try Data().write(to: marker)
        case .changed:
            content[content.count / 2] ^= 1
            try content.write(to: marker)
        case .folder: try FileManager.default.createDirectory(at: marker, withIntermediateDirectories: false)
        }
        store.outbox = try open(store)
        try await expectNothing(store.outbox)
    }

    /// Backs up the store, delivers its entries, and moves it to `copy`. Then restores the backup in its place, beside its marker.
    private func restored() async throws -> (store: Store, made: Date) {
        var store = try await enqueued()
        try store.keepKeyring()
        let made = store.clock.now
        let backup = try await store.outbox.backUp(of: "station-1", version: "1.2", by: "uid 0, pid 7", at: made)
        var data = Data()
        while case let part = try backup.next(), !part.isEmpty { data.append(contentsOf: part) }
        try data.write(to: URL(fileURLWithPath: store.directory("backup")))
        store.clock.advance(by: 60)
        store.outbox = try open(store)
        try await deliverAll(store)
        try store.outbox.close()
        try FileManager.default.moveItem(atPath: store.directory("outbox.sqlite"), toPath: store.directory("copy"))
        let source = try #require(FileHandle(forReadingAtPath: store.directory("backup")))
        let restored = try RestoredStore(copying: source, beside: store.directory("outbox.sqlite"), openedBy: store.key)
        _ = try restored.mark(at: store.clock.now, by: "uid 0, pid 9") { _, route in route == "measurement" ? Samples.route : nil }
        try restored.install()
        store.outbox = try open(store)
        return (store, made)
    }

    @Test func restoredBackupIsMarkedOnce() async throws {
        let (store, made) = try await restored()
        #expect(store.outbox.olderCopy == nil)
        let entry = try await entry(store.outbox, 1)
        #expect(entry.doubts == 1 && entry.uncertainSince == made)
        #expect(try await restores(store.outbox).map { $0.detail["by"] } == ["uid 0, pid 9"])
    }

    /// Its epoch is higher than that of the backup, but it lacks the deliveries after the restore.
    @Test func storeFromBeforeARestoreIsAnOlderCopy() async throws {
        var (store, _) = try await restored()
        try store.outbox.close()
        try putCopyBack(store)
        store.outbox = try open(store)
        #expect(store.outbox.olderCopy != nil)
    }
}
