import GRDB
import Glibc
import Synchronization

package enum Room: Sendable, Equatable {
    case enough
    /// Submissions are refused. Deliveries go on, using the reserve.
    case diskFull
    /// The reserve is used up too: nothing is sent, because its result could not be stored.
    case nothingLeft
    /// The last submission exceeded this limit (bytes), and still would.
    case overLimit(Int64)
}

extension Outbox {
    package func room() async throws(OutboxError) -> Room {
        guard try await diskHasRoom(for: shortage.turnedAway) else { return shortage.isSpent ? .nothingLeft : .diskFull }
        guard let refused = shortage.refused else { return .enough }
        let used = try await read { db in try Self.usedBytes(db) }
        return used + refused > maxBytes ? .overLimit(maxBytes) : .enough
    }

    /// Releases the reserve for another mandatory write; false if it is gone already.
    package func makeRoom() -> Bool {
        shortage.diskIsFull()
        return ballast.release()
    }

    /// Whether submissions of `bytes` fit twice: in the WAL now, and later in the database; after a full disk, with the reserve and a margin. Returns
    /// free pages of the file to the disk if that suffices. See Decisions/Ballast.md.
    func diskHasRoom(for bytes: Int64) async throws(OutboxError) -> Bool {
        while !hasRoomAsItIs(for: bytes) {
            let freed = try await read { db in try db.freedBytes() }
            guard lacking(for: bytes) <= freed, try await shrink() else { return false }
        }
        return true
    }

    func hasRoomAsItIs(for bytes: Int64 = 0) -> Bool {
        if shortage.wasFull || !ballast.isWhole {
            guard ballast.restore(), ballast.free ?? .max >= Ballast.margin else { return false }
            shortage.diskHasRoom()
        }
        guard let free = ballast.free else { return true }
        return free >= room(for: bytes)
    }

    /// False on a full disk, where another program may take the space, unless the WAL itself fills it.
    var mayEmptyLog: Bool { lacking(for: 0) <= (ballast.isWhole ? max(0, logSize - Self.mostOfLog) : logSize) }

    /// Bytes that must become free.
    private func lacking(for bytes: Int64) -> Int64 {
        max(Ballast.margin, room(for: bytes)) + (ballast.isWhole ? 0 : ballast.size) - (ballast.free ?? 0)
    }

    /// Free bytes that a submission needs.
    package static func room(for bytes: Int64) -> Int64 { 2 * bytes + mostOfLog }

    /// During a read the WAL may be larger than usual, and all of it may still have to fit in the file.
    private func room(for bytes: Int64) -> Int64 { bytes == 0 ? 0 : Self.room(for: bytes) + max(0, logSize - Self.mostOfLog) }

    private var logSize: Int64 {
        var info = stat()
        return stat(pool.path + "-wal", &info) == 0 ? Int64(info.st_size) : 0
    }

    /// Returns some free pages to the disk; false on any failure but damage, because callers only ask. On a full disk the WAL may need the reserve.
    func shrink() async throws(OutboxError) -> Bool {
        do {
            return try await pool.writeWithoutTransaction { db in
                func shrink() throws -> Bool {
                    // While an older snapshot is read, the file cannot shrink and the WAL would only grow.
                    let log = try db.checkpoint(.passive)
                    return log.checkpointedFrameCount == log.walFrameCount ? try db.shrinkFile() : false
                }
                do { return try shrink() } catch  where (OutboxError(error) == .full || db.isOverQuota(error)) && ballast.release() {
                    return try shrink()
                }
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

    /// Returns free pages to the disk, few enough to keep the WAL small; false if none.
    func shrinkFile() throws -> Bool {
        let freed = try freedBytes()
        if freed == 0 { return false }
        // SQLite frees one page per fetched row.
        _ = try Row.fetchAll(self, sql: "PRAGMA incremental_vacuum(\(Ballast.margin / 4096))")
        // The checkpoint shortens the file. `try?`: a reader only delays it.
        _ = try? checkpoint(.passive)
        return try freedBytes() < freed
    }
}

final class DiskPressure: Sendable {
    private struct State {
        var wasFull = false
        var turnedAway: Int64 = 0
        var refused: Int64?
        var isSpent = false
        var underway: Int64 = 0
    }
    private let state = Mutex(State())

    /// Small writes may still succeed in the WAL, so success does not reset this.
    var wasFull: Bool { state.withLock { $0.wasFull } }
    /// Bytes of the last submission that did not fit; 0 once one was accepted.
    var turnedAway: Int64 { state.withLock { $0.turnedAway } }
    /// Bytes of the last submission over the limit; nil once one was accepted.
    var refused: Int64? { state.withLock { $0.refused } }
    /// The last mandatory write failed.
    var isSpent: Bool { state.withLock { $0.isSpent } }

    func diskIsFull() { state.withLock { $0.wasFull = true } }
    func wroteMandatory(_ succeeded: Bool) { state.withLock { $0.isSpent = !succeeded } }
    func diskHasRoom() { state.withLock { $0.wasFull = false } }
    /// Registers bytes about to be written; returns those of others.
    func began(_ bytes: Int64) -> Int64 {
        state.withLock { state in
            defer { state.underway += bytes }
            return state.underway
        }
    }
    func ended(_ bytes: Int64) { state.withLock { $0.underway -= bytes } }
    func turnedAway(_ bytes: Int64) { state.withLock { $0.turnedAway = bytes } }
    func refused(_ bytes: Int64) { state.withLock { $0.refused = bytes } }
    func accepted() { state.withLock { ($0.turnedAway, $0.refused) = (0, nil) } }
}
