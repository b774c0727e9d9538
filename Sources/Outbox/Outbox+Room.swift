import GRDB
import Synchronization

/// Whether anything more can be written.
package enum Room: Sendable, Equatable {
    case enough
    /// The disk is full: nothing is accepted. What waits goes on being sent, from the space that was kept for that.
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
        shortage.diskIsFull(for: 0)
        return ballast.release()
    }

    /// Whether the disk takes submissions of so many bytes, twice: in the log now, and then in the file, or the log could never be emptied
    /// into it; once it was full, when it has room for what failed and for the ballast besides. Pages of the file that hold nothing any more
    /// are given back to it where that makes the room.
    func diskHasRoom(for bytes: Int64) async throws(OutboxError) -> Bool {
        while !hasRoomAsItIs(for: bytes) {
            let freed = try await read { db in try db.freedBytes() }
            let free = ballast.free ?? 0
            // Where the disk has won nothing, somebody reads what was before, and another try would only make the log longer.
            guard lacking(for: bytes) <= freed, try await shrink(), ballast.free ?? 0 > free else { return false }
        }
        return true
    }

    /// Whether it was not full, or has recovered since.
    func hasRoomAsItIs(for bytes: Int64 = 0) -> Bool {
        let missing = shortage.missing
        if missing != nil || !ballast.isWhole {
            guard ballast.restore(leaving: max(missing ?? 0, Ballast.margin)) else { return false }
            if let missing, let free = ballast.free, free < missing { return false }
            shortage.diskHasRoom()
        }
        guard let free = ballast.free else { return true }
        return free >= Self.room(for: bytes)
    }

    /// What the disk would have to have besides what is free, in bytes.
    private func lacking(for bytes: Int64) -> Int64 {
        max(shortage.missing ?? 0, Ballast.margin, Self.room(for: bytes)) + (ballast.isWhole ? 0 : ballast.size) - (ballast.free ?? 0)
    }

    /// What submissions of so many bytes must find free, in bytes.
    private static func room(for bytes: Int64) -> Int64 { bytes == 0 ? 0 : 2 * bytes + mostOfLog }

    /// Gives some of the file's pages that hold nothing back to the disk; false where none could be given: that must be no reason for whoever
    /// only asks to fail. On a full disk the log may need the ballast for it, once what it holds is in the file.
    func shrink() async throws(OutboxError) -> Bool {
        do {
            return try await pool.writeWithoutTransaction { db in
                do { return try db.shrinkFile() } catch  where OutboxError(error) == .full || db.isOverQuota(error) {
                    let log = try db.checkpoint(.passive)
                    guard log.checkpointedFrameCount == log.walFrameCount, ballast.release() else { return false }
                    return try db.shrinkFile()
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

/// What could not be written for want of room, in bytes.
final class Shortage: Sendable {
    private struct State {
        var missing: Int64?
        var turnedAway: Int64 = 0
        var refused: Int64?
        var isSpent = false
        var underway: Int64 = 0
    }
    private let state = Mutex(State())

    /// What the disk must have before it counts as having room again; nil where it has not been full since it had.
    var missing: Int64? { state.withLock { $0.missing } }
    /// The submission for which the disk had no room last; 0 where one was accepted since.
    var turnedAway: Int64 { state.withLock { $0.turnedAway } }
    /// The submission that the limit refused last; nil where one was accepted since.
    var refused: Int64? { state.withLock { $0.refused } }
    /// Whether not even what must be written could be, the last time.
    var isSpent: Bool { state.withLock { $0.isSpent } }

    /// A write of about so many bytes has failed. The write-ahead log may take a few small ones yet: their success says nothing.
    func diskIsFull(for bytes: Int64) { state.withLock { $0.missing = max($0.missing ?? 0, bytes + Ballast.margin) } }
    func wroteWhatMustBe(_ succeeded: Bool) { state.withLock { $0.isSpent = !succeeded } }
    func diskHasRoom() { state.withLock { $0.missing = nil } }
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
