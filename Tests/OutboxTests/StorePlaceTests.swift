import Foundation
import GRDB
import Glibc
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Outbox

/// The store's files are deleted or replaced while they are open.
@Suite struct StorePlaceTests {
    private let store: Store

    init() throws { store = try Store() }

    enum Loss: CaseIterable { case deleted, replaced, withoutLog }

    /// Returns the path that is reported. The moved file gets the name `aside`.
    private func lose(_ loss: Loss) throws -> String {
        let path = store.directory("outbox.sqlite") + (loss == .withoutLog ? "-wal" : "")
        try FileManager.default.moveItem(atPath: path, toPath: store.directory("aside"))
        if loss == .replaced { try store.directory.write("another file", to: "outbox.sqlite") }
        return path
    }

    @Test(arguments: Loss.allCases) func acceptsNothingIntoALostFile(loss: Loss) async throws {
        try await store.enqueue(Samples.mutation(1))
        let path = try lose(loss)
        await #expect(throws: OutboxError.gone(path)) { try await store.enqueue(Samples.mutation(2)) }
        await #expect(throws: OutboxError.gone(path)) { try await store.claim() }
        #expect(try await store.outbox.room() == .gone(path))
        #expect(try await store.state(1) == .pending)
        #expect(try await store.state(2) == nil)
    }

    /// The client would delete its copy.
    @Test(arguments: Loss.allCases) func confirmsNothingFromALostFile(loss: Loss) async throws {
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.repeated([Samples.mutation(1)])?.count == 1)
        let path = try lose(loss)
        await #expect(throws: OutboxError.gone(path)) { try await store.outbox.repeated([Samples.mutation(1)]) }
    }

    @Test func refusesEveryWriterOfASharedTransaction() async throws {
        let path = try lose(.deleted)
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                group.addTask {
                    do throws(OutboxError) {
                        _ = try await store.outbox.enqueue(Samples.mutation(number), at: store.clock.now)
                        return false
                    } catch { return error == .gone(path) }
                }
            }
            return await group.reduce(into: 0) { count, isRefused in count += isRefused ? 1 : 0 }
        }
        #expect(refusals == 20)
    }

    @Test func acceptsAgainWhenTheFileIsBack() async throws {
        let path = try lose(.deleted)
        await #expect(throws: OutboxError.gone(path)) { try await store.enqueue(Samples.mutation(1)) }
        try FileManager.default.moveItem(atPath: store.directory("aside"), toPath: path)
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.room() == .enough)
    }

    /// The open reader is in use, and one that opens only now would find the other file.
    @Test func readsSeeTheLostFile() async throws {
        try await store.enqueue(Samples.mutation(1))
        let hold = HeldConnection()
        store.outbox.pool.asyncRead { _ in hold.pass() }
        defer { hold.open() }
        await hold.arrival()
        _ = try lose(.replaced)
        let count = try await store.outbox.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") }
        #expect(count == 1)
    }

    @Test func tellsOfALossOnce() async throws {
        var changes = store.outbox.place.changed.listen().makeAsyncIterator()
        let path = try lose(.deleted)
        #expect(store.outbox.place.lost == path && store.outbox.place.lost == path)
        _ = await changes.next()
        try FileManager.default.moveItem(atPath: store.directory("aside"), toPath: path)
        #expect(store.outbox.place.lost == nil)
        _ = await changes.next()
    }

    @Test(arguments: Loss.allCases) func backsUpALostFile(loss: Loss) async throws {
        try store.keepKeyring()
        try await store.enqueue(Samples.mutation(1))
        _ = try lose(loss)
        try await expectBackup()
    }

    /// Each refused submission is rolled back between two steps of the copy.
    @Test func backupEndsBesideRefusedSubmissions() async throws {
        try store.keepKeyring()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, payload: "\"\(Samples.noise(3 << 20))\"")) }
        _ = try lose(.deleted)
        let submitting = Task { [store] in
            while !Task.isCancelled { _ = try? await store.outbox.enqueue(Samples.mutation(4), at: store.clock.now) }
        }
        defer { submitting.cancel() }
        try await expectBackup()
    }

    /// The folder of the store is gone too.
    @Test func backsUpIntoTheSpareFolder() async throws {
        try store.keepKeyring()
        try await store.enqueue(Samples.mutation(1))
        try FileManager.default.removeItem(atPath: store.directory.path)
        try await expectBackup()
    }

    @Test(arguments: Loss.allCases) func lossCountsEntriesThatWaitOrNeedAPerson(loss: Loss) async throws {
        for number in 1...4 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        let failed = try #require(try await store.claim().first)
        try await store.settle(failed, .dead(Samples.failure), .permanent(Samples.failure))
        // In flight.
        _ = try await store.claim()
        #expect(try store.outbox.loss() == nil)
        let path = try lose(loss)
        let moved = StoreLoss.Fate.moved(to: store.directory("aside"))
        #expect(try store.outbox.loss() == StoreLoss(path: path, fate: moved, waiting: 3, failedOrOnHold: 1))
    }

    @Test(arguments: Loss.allCases) func storeWithoutUndeliveredEntriesLosesNone(loss: Loss) throws {
        _ = try lose(loss)
        #expect(try store.outbox.loss() == nil)
    }

    @Test(arguments: Loss.allCases) func lossTellsADeletedFileFromAMovedOne(loss: Loss) async throws {
        try await store.enqueue(Samples.mutation(1))
        _ = try lose(loss)
        try FileManager.default.linkItem(atPath: store.directory("aside"), toPath: store.directory("other"))
        try FileManager.default.removeItem(atPath: store.directory("aside"))
        // The name with which SQLite opened it is gone.
        #expect(try store.outbox.loss()?.fate == .moved(to: nil))
        try FileManager.default.removeItem(atPath: store.directory("other"))
        let fate: StoreLoss.Fate =
            switch loss {
            case .deleted: .deleted
            case .replaced: .replaced
            case .withoutLog: .withoutLog
            }
        #expect(try store.outbox.loss()?.fate == fate)
    }

    /// So that the last line of the daemon may say so.
    @Test(arguments: Loss.allCases) func closedStoreOfALossHasItsEntries(loss: Loss) async throws {
        try await store.enqueue(Samples.mutation(1))
        let path = try lose(loss)
        try store.outbox.close()
        let spare = try TemporaryDirectory()
        let kept = loss == .withoutLog ? store.directory("outbox.sqlite") : store.directory("aside")
        try FileManager.default.copyItem(atPath: kept, toPath: spare("outbox.sqlite"))
        let outbox = try Outbox(file: spare("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, now: store.clock.now)
        #expect(try await outbox.entry(Samples.id(1)) != nil, "\(path)")
    }

    /// The thread of a task must not wait for the connection, which a backup uses.
    @Test func writesAtOnceNeverQueueForALostFile() throws {
        let path = try lose(.deleted)
        var hasRun = false
        #expect(throws: OutboxError.gone(path)) { try store.outbox.writeAtOnce { _ in hasRun = true } }
        #expect(!hasRun)
    }

    /// The store has more pages than one step copies.
    @Test func othersUseTheConnectionBetweenTheStepsOfABackup() async throws {
        try store.raw { db in
            try db.execute(sql: "CREATE TABLE filler (data BLOB NOT NULL) STRICT")
            for _ in 1...4 { try db.execute(sql: "INSERT INTO filler VALUES (zeroblob(4 << 20))") }
        }
        _ = try lose(.deleted)
        let watch = DraftWatch(store.outbox.pool, store.directory("outbox.sqlite.backup"))
        watch.look()
        let copy = try await store.outbox.backUp(of: "station-1", version: "1.2", by: "test", at: store.clock.now)
        watch.end()
        #expect(watch.sizes.contains { $0 > 0 && $0 < copy.size / 2 }, "\(watch.sizes) of \(copy.size)")
    }

    /// `homing doctor` reads it, and must not hold a thread meanwhile.
    @Test func keptKeyringIsReadDuringAWrite() async throws {
        try store.keepKeyring()
        let hold = HeldConnection()
        store.outbox.pool.asyncWriteWithoutTransaction { _ in hold.pass() }
        defer { hold.open() }
        await hold.arrival()
        #expect(try await store.outbox.keptKeyring() != nil)
    }

    private func expectBackup() async throws {
        let spare = try TemporaryDirectory()
        let copy = try await store.outbox.backUp(of: "station-1", version: "1.2", by: "test", at: store.clock.now, spare: spare.path)
        var data = Data()
        while case let part = try copy.next(), !part.isEmpty { data.append(contentsOf: part) }
        try data.write(to: URL(fileURLWithPath: spare("backup")))
        let source = try #require(FileHandle(forReadingAtPath: spare("backup")))
        let restored = try RestoredStore(copying: source, beside: spare("other.sqlite"), openedBy: store.key)
        _ = try restored.mark(at: store.clock.now, by: "test") { _, _ in Samples.route }
        try restored.install()
        let outbox = try Outbox(file: spare("other.sqlite"), vault: Vault(key: store.key), crashed: false, now: store.clock.now)
        #expect(try await outbox.entry(Samples.id(1)) != nil)
    }
}

/// Notes the size of a draft whenever the connection that writes is free.
private final class DraftWatch: Sendable {
    private struct State {
        var sizes: Set<Int> = []
        var hasEnded = false
    }

    private let pool: DatabasePool
    private let draft: String
    private let state = Mutex(State())

    init(_ pool: DatabasePool, _ draft: String) { (self.pool, self.draft) = (pool, draft) }

    var sizes: Set<Int> { state.withLock { $0.sizes } }

    /// Looks again and again until the end. Each look waits its turn before the next step of a copy.
    func look() {
        pool.asyncWriteWithoutTransaction { _ in
            var info = stat()
            let size = stat(self.draft, &info) == 0 ? Int(info.st_size) : 0
            let hasEnded = self.state.withLock { state in
                state.sizes.insert(size)
                return state.hasEnded
            }
            if !hasEnded { self.look() }
        }
    }

    func end() { state.withLock { $0.hasEnded = true } }
}
