import GRDB
import Glibc
import SyncModel

package enum Room: Sendable, Equatable {
    case enough
    /// Submissions are refused. Deliveries go on, using the reserve.
    case diskFull
    /// Nothing is sent, because its result could not be stored.
    case nothingLeft
    /// The last submission exceeded this limit (bytes), and still would.
    case overLimit(Int64)
    /// The file at this path was deleted or replaced, so nothing is accepted or sent.
    case gone(String)
}

/// In bytes.
package struct Space: Sendable, Equatable {
    package var used: Int64
    package var limit: Int64
    /// On the disk; nil if unknown.
    package var free: Int64?

    package init(used: Int64, limit: Int64, free: Int64?) {
        self.used = used
        self.limit = limit
        self.free = free
    }
}

extension Outbox {
    package func room() async throws(OutboxError) -> Room {
        if let path = place.lost { return .gone(path) }
        // A submission of a single byte, until one was refused.
        guard try await diskHasRoom(for: max(1, shortage.now.lastNoSpace)) else { return shortage.now.isSpent ? .nothingLeft : .diskFull }
        guard let refused = shortage.now.lastOverLimit else { return .enough }
        return try await read { db in try excess(with: refused, db) } > 0 ? .overLimit(maxBytes) : .enough
    }

    /// The bytes that are free on the disk while it is nearly full; nil while it has enough room, or if that is unknown.
    package func lowSpace() async throws(OutboxError) -> Int64? {
        guard let (free, mark) = ballast.space else { return nil }
        // Submissions reuse the free pages of the file.
        let freed = try await read { db in try db.freedBytes() }
        return shortage.isLow(free: free.addingClamped(freed), mark: mark) ? free : nil
    }

    /// For a person: `room` and `lowSpace` say whether this suffices.
    package func space() async throws(OutboxError) -> Space {
        let used = try await read { db in try Self.usedBytes(db) }
        return Space(used: used, limit: maxBytes, free: ballast.free)
    }

    /// The bytes by which a submission of `bytes` exceeds the limit; 0 if it does not. Cached lists do not count: deliveries would not make
    /// room.
    func excess(with bytes: Int64, _ db: Database) throws -> Int64 {
        let excess = try Self.usedBytes(db) + bytes - maxBytes
        guard excess > 0 else { return 0 }
        let lists = try Int64.fetchOne(db.cachedStatement(sql: "SELECT sum(length(sealed)) FROM rosterPage")) ?? 0
        return max(0, excess - lists)
    }

    /// True if deliveries and ends of discards may free so many bytes. Receipts stay, and so do the payloads of entries that have failed or
    /// are on hold, until a person decides on them. What pruning frees does not count.
    static func willFree(_ bytes: Int64, _ db: Database) throws -> Bool {
        let payloads = try Int64.fetchCursor(db.cachedStatement(sql: leaving))
        var missing = bytes
        // A page of 4096 bytes holds 4092 of a long payload, which may free one page more than it fills.
        while missing > 0, let size = try payloads.next() { missing -= size + size / 1023 + 4096 }
        return missing <= 0
    }

    private static let leaving = """
        SELECT length(sealed) FROM entry INDEXED BY stateOrder CROSS JOIN content ON content.sequence = entry.sequence
            WHERE state IN ('pending', 'inflight')
        UNION ALL SELECT length(sealed) FROM entry INDEXED BY discardOrder CROSS JOIN content ON content.sequence = entry.sequence
            WHERE discardAt IS NOT NULL
        """

    /// True if `bytes` fit twice: in the WAL now, and later in the database; after a full disk, with the reserve and a margin. Returns free
    /// pages to the disk if that suffices (Decisions/Ballast.md).
    func diskHasRoom(for bytes: Int64) async throws(OutboxError) -> Bool {
        while !(refillReserve() && (ballast.free ?? .max) >= freeBytes(for: bytes)) {
            let freed = try await read { db in try db.freedBytes() }
            guard lacking(for: bytes) <= freed, try await shrink() else { return false }
        }
        return true
    }

    /// Takes the reserve again; false while the disk is full.
    @discardableResult
    func refillReserve() -> Bool {
        guard shortage.now.wasFull || !ballast.isWhole else { return true }
        guard ballast.restore(), ballast.free ?? .max >= ballast.margin else { return false }
        shortage.note { $0.wasFull = false }
        return true
    }

    /// False on a full disk, where another program may take the space, unless the WAL itself fills it.
    var mayEmptyLog: Bool { lacking(for: 0) <= (ballast.isWhole ? max(0, logSize - Self.mostOfLog) : logSize) }

    /// Bytes that must become free.
    private func lacking(for bytes: Int64) -> Int64 {
        max(ballast.margin, freeBytes(for: bytes)) + (ballast.isWhole ? 0 : ballast.size) - (ballast.free ?? 0)
    }

    /// Free bytes that a submission needs.
    package static func freeBytes(for bytes: Int64) -> Int64 { 2 * bytes + mostOfLog }

    /// The whole WAL may still have to fit in the file, and is larger during a read.
    private func freeBytes(for bytes: Int64) -> Int64 { bytes == 0 ? 0 : Self.freeBytes(for: bytes) + max(0, logSize - Self.mostOfLog) }

    private var logSize: Int64 {
        var info = stat()
        return stat(pool.path + "-wal", &info) == 0 ? Int64(info.st_size) : 0
    }

    /// Returns free pages to the disk; false on any failure but damage, because callers only ask. On a full disk the WAL may need the
    /// reserve.
    func shrink() async throws(OutboxError) -> Bool {
        do {
            return try await pool.writeWithoutTransaction { db in
                func shrink() throws -> Bool {
                    // While an older snapshot is read, the file cannot shrink and the WAL would only grow.
                    let log = try db.checkpoint(.passive)
                    return log.checkpointedFrameCount == log.walFrameCount ? try db.shrinkFile() : false
                }
                return try ballast.withReserve(shrink, ifFull: db.isFull)
            }
        } catch {
            let error = failure(error)
            if case .damaged = error { throw error }
            return false
        }
    }
}

extension Database {
    func freedBytes() throws -> Int64 {
        try Int64.fetchOne(self, sql: "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size") ?? 0
    }

    /// Returns some free pages, few enough to keep the WAL small; false if none.
    func shrinkFile() throws -> Bool {
        let freed = try freedBytes()
        if freed == 0 { return false }
        // 1 MiB. SQLite frees one page per fetched row.
        _ = try Row.fetchAll(self, sql: "PRAGMA incremental_vacuum(256)")
        // The checkpoint shortens the file. `try?`: a reader only delays it.
        _ = try? checkpoint(.passive)
        return try freedBytes() < freed
    }
}
