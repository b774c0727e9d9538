import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

@Suite struct BackingUpTests {
    private let store: Store

    init() throws {
        store = try Store()
        try store.keepKeyring()
    }

    private func backUp() async throws -> BackupCopy {
        try await store.outbox.backUp(of: "station-1", version: "1.2", by: "uid 0, pid 7", at: store.clock.now)
    }

    private func bytes(_ copy: BackupCopy) throws -> Data {
        var data = Data()
        while case let part = try copy.next(), !part.isEmpty { data.append(contentsOf: part) }
        return data
    }

    /// The path of a file with the backup.
    private func file(_ name: String = "backup") async throws -> String {
        let path = store.directory(name)
        try bytes(try await backUp()).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func restored(_ path: String, key: VaultKey? = nil, beside other: String = "other.sqlite") throws -> RestoredStore {
        let source = try #require(FileHandle(forReadingAtPath: path))
        return try RestoredStore(copying: source, beside: store.directory(other), openedBy: key ?? store.key)
    }

    @Test func backupHasTheStoresRowsAndItsDescription() async throws {
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, lane: "users/\(number)")) }
        try await store.deliver(try await store.claim()[0])
        let restored = try restored(try await file())
        #expect(restored.backup == StoreBackup(at: store.clock.now, station: "station-1", version: "1.2"))
        let entries = try restored.mark(at: store.clock.now, by: "test") { _, _ in Samples.route }
        #expect(entries == RestoredEntries(lookedUp: 2))
        try restored.install()
        let copy = try Outbox(
            file: store.directory("other.sqlite"), vault: Vault(key: store.key), crashed: false, now: store.clock.now)
        #expect(try await copy.derivedTablesMatch())
        #expect(try await copy.entry(Samples.id(1))?.entry.state == .delivered)
        #expect(try await copy.receipt(Samples.id(1)) != nil)
        let claimed = try await copy.claim([Samples.destination: 5], at: store.clock.now).entries
        #expect(claimed.map(\.mutation) == [2, 3].map { Samples.mutation($0, lane: "users/\($0)") })
    }

    @Test func recordsThePerson() async throws {
        _ = try await backUp()
        let event = try await store.outbox.events(since: 0, limit: 10).last
        #expect(event?.kind == .backedUp && event?.detail == ["by": "uid 0, pid 7"])
    }

    @Test func sizeIsThatOfAllBytes() async throws {
        let copy = try await backUp()
        #expect(try bytes(copy).count == copy.size)
        #expect(try copy.next().isEmpty)
    }

    /// The file has no name while it is read.
    @Test func leavesNoFileBehind() async throws {
        let before = try store.directory.names
        let copy = try await backUp()
        #expect(try store.directory.names == before)
        _ = try bytes(copy)
        #expect(try store.directory.names == before)
    }

    @Test func startRemovesWhatAnInterruptedBackupLeft() throws {
        let left = ["outbox.sqlite.backup", "outbox.sqlite.backup-wal", "outbox.sqlite.backup-shm", "outbox.sqlite.restored"]
        for name in left { try store.directory.write("left", to: name) }
        var store = store
        try store.restart()
        #expect(try Set(store.directory.names).isDisjoint(with: left))
    }

    /// `RestoredStore` checks each copy: the counts, the lanes, and that no entry is missing.
    @Test func backupIsConsistentWhileEntriesAreAcceptedAndDelivered() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...200 {
                    try await store.enqueue(Samples.mutation(number))
                    if number.isMultiple(of: 2) { for entry in try await store.claim() { try await store.deliver(entry) } }
                }
            }
            for number in 1...5 {
                let before = try await store.outbox.newestCursor()
                let path = try await file("backup-\(number)")
                let after = try await store.outbox.newestCursor()
                let newest = try await DatabaseQueue(path: path).read { try Int64.fetchOne($0, sql: "SELECT max(cursor) FROM event") ?? 0 }
                #expect((before...after).contains(newest))
                let restored = try restored(path)
                restored.discard()
            }
            try await group.waitForAll()
        }
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test func refusalForWantOfRoomNamesBothSizes() {
        let error = BackupError.noRoom(needed: 300 << 20, free: 120 << 20)
        #expect(error.sentence.hasPrefix("A backup of the store takes 300 MiB, and 120 MiB are free on its disk."))
    }

    // MARK: Checks of a backup

    private func error(_ path: String, key: VaultKey? = nil) throws -> BackupError? {
        let error = #expect(throws: BackupError.self) { _ = try restored(path, key: key) }
        #expect(try !store.directory.names.contains { $0.hasPrefix("other.sqlite") })
        return error
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 5000)]) func otherFileIsNoBackup(content: String) throws {
        try store.directory.write(content, to: "notes")
        #expect(try error(store.directory("notes")) == .notABackup)
    }

    @Test func copyOfTheStoreIsNoBackup() async throws {
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.emptyLog())
        #expect(try error(store.directory("outbox.sqlite")) == .notABackup)
    }

    @Test(arguments: [(5000, "changed"), (-1, "cut")] as [(Int, String)]) func changedFileIsDamaged(place: Int, name: String) async throws {
        try await store.enqueue(Samples.mutation(1))
        let path = try await file()
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        if place < 0 { data.removeLast(4096) } else { data[place] ^= 1 }
        try data.write(to: URL(fileURLWithPath: path))
        #expect(try error(path) == .damaged("its checksum is wrong, so it is incomplete or has changed"))
    }

    /// With a checksum that is right again.
    @Test(
        arguments: [
            "at = at + 1000", "at = at - 1000", "station = 'station-2'", "version = '1.3'", "proof = zeroblob(32)", "proof = x''",
        ])
    func forgedDescriptionIsRefused(change: String) async throws {
        try await store.enqueue(Samples.mutation(1))
        let path = try await file()
        let pages = store.directory("pages")
        try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(StoreBackup.checksumSize).write(to: URL(fileURLWithPath: pages))
        try await DatabaseQueue(path: pages).write { try $0.execute(sql: "UPDATE backup SET \(change)") }
        let changed = try Data(contentsOf: URL(fileURLWithPath: pages))
        try (changed + Vault.digest(changed)).write(to: URL(fileURLWithPath: path))
        #expect(try error(path) == .damaged("its time, its station or its version has changed since it was made"))
    }

    /// The description of one station does not fit the backup of another one.
    @Test func proofOfAnotherStationIsRefused() async throws {
        let path = try await file()
        let pages = store.directory("pages")
        try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(StoreBackup.checksumSize).write(to: URL(fileURLWithPath: pages))
        let proof = Vault(key: VaultKey()).proof(of: "\(store.clock.now.ms)\n1.2\nstation-1", for: "backup")
        try await DatabaseQueue(path: pages).write { try $0.execute(sql: "UPDATE backup SET proof = ?", arguments: [proof]) }
        let changed = try Data(contentsOf: URL(fileURLWithPath: pages))
        try (changed + Vault.digest(changed)).write(to: URL(fileURLWithPath: path))
        #expect(try error(path) == .damaged("its time, its station or its version has changed since it was made"))
    }

    /// The data key may change between the copy and its description.
    @Test func backupDuringAChangeOfTheDataKeyIsRestored() async throws {
        try await store.enqueue(Samples.mutation(1))
        store.outbox.vault.adopt(Keyring(from: store.key).rotated(at: store.clock.now))
        let restored = try restored(try await file())
        restored.discard()
    }

    /// The earlier master key and the backup tell the data key of the backup.
    @Test func restoreUnderAnotherMasterKeyBringsANewDataKey() async throws {
        let path = try await file()
        for (number, master) in [store.key, VaultKey()].enumerated() {
            let restored = try restored(path, beside: "other-\(number).sqlite")
            _ = try restored.mark(at: store.clock.now, by: "test") { _, _ in Samples.route }
            _ = try restored.reseal(for: master, at: store.clock.now)
            try restored.install()
            let copy = try await DatabaseQueue(path: store.directory("other-\(number).sqlite")).read { try Outbox.copyOfKeyring($0) }
            let wrapped = WrappedKeyring(parsing: try #require(copy))
            #expect(wrapped.number == UInt64(2) && wrapped.opened(by: master)?.keyring.hasEarlier == (master != store.key))
        }
    }

    /// A backup from the time when the new key of a credential was not installed yet.
    @Test func restoreOfAKeyringUnderTwoKeysBringsANewDataKey() async throws {
        let next = VaultKey()
        try store.outbox.keep(WrappedKeyring(Keyring(from: store.key), under: [store.key, next], number: 2))
        let restored = try restored(try await file(), key: next)
        _ = try restored.reseal(for: next, at: store.clock.now)
        let copy = try await DatabaseQueue(path: store.directory("other.sqlite.restored")).read { try Outbox.copyOfKeyring($0) }
        let wrapped = WrappedKeyring(parsing: try #require(copy))
        #expect(wrapped.isSealed(onlyFor: next) && wrapped.opened(by: next)?.keyring.hasEarlier == true)
        restored.discard()
    }

    @Test func otherKeyIsRefusedEvenWithoutEntries() async throws {
        #expect(try error(try await file(), key: VaultKey()) == .wrongKey)
    }

    /// The tables decide, because no number says how they look.
    @Test func otherTablesAreRefusedWithTheVersion() async throws {
        try store.raw { try $0.execute(sql: "CREATE TABLE newer (id INTEGER PRIMARY KEY) STRICT") }
        #expect(try error(try await file()) == .otherVersion("1.2"))
    }

    @Test func damagedStoreMakesADamagedBackup() async throws {
        try await store.enqueue(Samples.mutation(1))
        try store.raw { try $0.execute(sql: "UPDATE tally SET count = count + 1 WHERE state = 'pending'") }
        #expect(try error(try await file()) == .damaged("the lane heads or the counts do not match the entries"))
    }

    @Test func descriptionHasTheNextStep() {
        #expect(BackupError.damaged("its checksum is wrong").description.hasSuffix("wrong. Use another copy of it, or an older backup."))
        #expect(BackupError.otherVersion("1.2").description.hasSuffix("Install version 1.2, restore the backup, and then upgrade."))
    }
}
