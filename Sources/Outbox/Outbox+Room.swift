import GRDB
import Glibc
import Synchronization

/// Whether anything more can be written.
package enum Room: Sendable, Equatable {
    case enough
    /// The disk is full: what is handed in is turned away. What waits goes on being sent, from the space that was kept for that.
    case diskFull
    /// The disk is full and the space that was kept is used up: nothing is sent either, since what became of it could not be written.
    case nothingLeft
    /// What was handed in last did not fit under this limit, in bytes, and still would not.
    case overLimit(Int64)
}

extension Outbox {
    /// How it is now.
    package func room() async throws(OutboxError) -> Room {
        guard try await diskHasRoom(for: shortage.turnedAway) else { return shortage.isSpent ? .nothingLeft : .diskFull }
        guard let refused = shortage.refused else { return .enough }
        let used = try await read { db in try Self.usedBytes(db) }
        return used + refused > maxBytes ? .overLimit(maxBytes) : .enough
    }

    /// Gives the space that is kept for it to something else that must be written and finds the disk full; false where that is gone already.
    package func makeRoom() -> Bool {
        shortage.diskIsFull()
        return ballast.release()
    }

    /// Whether the disk takes submissions of so many bytes, twice: in the log now, and then in the file, or the log could never be emptied
    /// into it; once it was full, when it has room for the ballast and some besides. Pages of the file that hold nothing any more
    /// are given back to it where that makes the room.
    func diskHasRoom(for bytes: Int64) async throws(OutboxError) -> Bool {
        while !hasRoomAsItIs(for: bytes) {
            let freed = try await read { db in try db.freedBytes() }
            guard lacking(for: bytes) <= freed, try await shrink() else { return false }
        }
        return true
    }

    /// Whether it was not full, or has recovered since.
    func hasRoomAsItIs(for bytes: Int64 = 0) -> Bool {
        if shortage.wasFull || !ballast.isWhole {
            guard ballast.restore(), ballast.free ?? .max >= Ballast.margin else { return false }
            shortage.diskHasRoom()
        }
        guard let free = ballast.free else { return true }
        return free >= room(for: bytes)
    }

    /// Whether the log may give away its room: not on a full disk, which somebody else may be filling; but where that is what makes it full.
    var mayEmptyLog: Bool { lacking(for: 0) <= (ballast.isWhole ? max(0, logSize - Self.mostOfLog) : logSize) }

    /// What the disk would have to have besides what is free, in bytes.
    private func lacking(for bytes: Int64) -> Int64 {
        max(Ballast.margin, room(for: bytes)) + (ballast.isWhole ? 0 : ballast.size) - (ballast.free ?? 0)
    }

    /// What a submission of so many bytes must find free, in bytes.
    package static func room(for bytes: Int64) -> Int64 { 2 * bytes + mostOfLog }

    /// What submissions of so many bytes must find free, in bytes. While somebody reads, the log may hold more than usual, all of which may have
    /// to go into the file yet.
    private func room(for bytes: Int64) -> Int64 { bytes == 0 ? 0 : Self.room(for: bytes) + max(0, logSize - Self.mostOfLog) }

    private var logSize: Int64 {
        var info = stat()
        return stat(pool.path + "-wal", &info) == 0 ? Int64(info.st_size) : 0
    }

    /// Gives some of the file's pages that hold nothing back to the disk; false where none could be given: that must be no reason for whoever
    /// only asks to fail. On a full disk the log may need the ballast for it.
    func shrink() async throws(OutboxError) -> Bool {
        do {
            return try await pool.writeWithoutTransaction { db in
                func shrink() throws -> Bool {
                    // While somebody reads what was before, the file does not get shorter and the log only longer.
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
    /// Bytes of the file that hold nothing.
    func freedBytes() throws -> Int64 {
        try Int64.fetchOne(self, sql: "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size") ?? 0
    }

    /// Gives pages of the file that hold nothing back to the disk, few enough for the log to stay small; false where none was given.
    func shrinkFile() throws -> Bool {
        let freed = try freedBytes()
        if freed == 0 { return false }
        // A page is given back for each row that is asked for.
        _ = try Row.fetchAll(self, sql: "PRAGMA incremental_vacuum(\(Ballast.margin / 4096))")
        // The file gets shorter only here. Whoever reads what was before only puts it off.
        _ = try? checkpoint(.passive)
        return try freedBytes() < freed
    }
}

/// What could not be written for want of room.
final class Shortage: Sendable {
    private struct State {
        var wasFull = false
        var turnedAway: Int64 = 0
        var refused: Int64?
        var isSpent = false
        var underway: Int64 = 0
    }
    private let state = Mutex(State())

    /// Whether a write has failed since the disk had room. The write-ahead log may take a few small ones yet: their success says nothing.
    var wasFull: Bool { state.withLock { $0.wasFull } }
    /// The submission for which the disk had no room last, in bytes; 0 where one was accepted since.
    var turnedAway: Int64 { state.withLock { $0.turnedAway } }
    /// The submission that the limit refused last, in bytes; nil where one was accepted since.
    var refused: Int64? { state.withLock { $0.refused } }
    /// Whether not even what must be written could be, the last time.
    var isSpent: Bool { state.withLock { $0.isSpent } }

    func diskIsFull() { state.withLock { $0.wasFull = true } }
    func wroteWhatMustBe(_ succeeded: Bool) { state.withLock { $0.isSpent = !succeeded } }
    func diskHasRoom() { state.withLock { $0.wasFull = false } }
    /// Submissions of so many bytes are about to be written; how many others are.
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
