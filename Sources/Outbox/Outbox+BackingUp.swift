import Dispatch
import Foundation
import GRDB
import SyncModel
import Synchronization

/// A copy of the store while it is in use (Decisions/Backups.md).
extension Outbox {
    /// A consistent copy, sealed as the store is, and without the key. Records the event `backedUp` first. Submissions and deliveries
    /// continue meanwhile. Throws `BackupError.noRoom` if the copy would leave the disk nearly full.
    ///
    /// A store whose file is gone is copied too, without an event, because SQLite still has it open. Throws `noSpareRoom` if the copy does
    /// not fit.
    ///
    /// - Parameter spare: the folder for the copy while that of the store is gone; nil without one.
    package func backUp(
        of station: String, version: String, by actor: String, at now: Date, spare: String? = nil
    ) async throws -> BackupCopy {
        // There is also only one draft.
        await longReads.take(1)
        defer { longReads.release(1) }
        let isLost = place.lost != nil
        if !isLost {
            do { try await pool.read(requireRoom) } catch let error as BackupError { throw error } catch { throw failure(error) }
            try await commit { db in try Self.insert(SyncEvent(at: now, .backedUp, detail: ["by": actor]), db) }
            eventsWritten.send()
        }
        let backup = StoreBackup(at: now, station: station, version: version)
        let stop = Stop()
        do {
            return try await withTaskCancellationHandler {
                if isLost {
                    let path = copyPath(or: spare)
                    let size = try await pool.writeWithoutTransaction(Self.size)
                    let folder = (path as NSString).deletingLastPathComponent
                    try SpareRoom(in: folder)?.require(size, in: folder)
                    return try await lostCopy(as: backup, beside: path, unless: stop)
                }
                return try await pool.read { db in
                    // The first read fixes the snapshot for all steps of the copy.
                    _ = try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema LIMIT 1")
                    return try finished(backup, beside: pool.path) { copy in
                        try db.backup(to: copy, pagesPerStep: Self.pagesPerStep) { _ in if stop.isSet { throw CancellationError() } }
                    }
                }
            } onCancel: {
                stop.set()
            }
        } catch let error as BackupError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw failure(error)
        }
    }

    /// Makes the copy outside the threads of tasks, because it waits for the connection again and again.
    private func lostCopy(as backup: StoreBackup, beside path: String, unless stop: Stop) async throws -> BackupCopy {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<BackupCopy, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try finished(backup, beside: path) { copy in try copyInSteps(to: copy, unless: stop) } })
            }
        }
    }

    /// A backup with the pages that `copyPages` writes into a draft.
    private func finished(_ backup: StoreBackup, beside path: String, _ copyPages: (Database) throws -> Void) throws -> BackupCopy {
        let draft = StoreBackup.draft(of: path)
        StoreBackup.removeDrafts(of: path)
        defer { StoreBackup.removeDrafts(of: path) }
        try StoreBackup.makeDraft(draft)
        try Self.change(draft) { copy in
            try copy.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try copyPages(copy)
        }
        // Opened again, because the header is now the store's, which requests a WAL.
        try Self.change(draft) { copy in
            try copy.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            try backup.write(to: copy, by: vault)
        }
        return try BackupCopy(taking: draft)
    }

    @Sendable private func requireRoom(_ db: Database) throws {
        let size = try Self.size(db)
        if let (free, lowMark) = ballast.space, free - size < lowMark { throw BackupError.noRoom(needed: size, free: free) }
    }

    /// Bytes of all pages, with those that are only in the log.
    @Sendable private static func size(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
    }

    private static func change(_ draft: String, _ work: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: draft)
        do { try queue.writeWithoutTransaction(work) } catch {
            // `try?`: the earlier error is the cause.
            try? queue.close()
            throw error
        }
        try queue.close()
    }

    /// 4 MiB, between two looks for a cancellation. A lost store is free for others as often.
    static let pagesPerStep: CInt = 1024

    /// Set when the caller of a backup is gone.
    final class Stop: Sendable {
        private let flag = Atomic(false)
        var isSet: Bool { flag.load(ordering: .relaxed) }
        func set() { flag.store(true, ordering: .relaxed) }
    }
}
