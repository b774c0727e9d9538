import GRDB
import Synchronization

/// Whether anything more can be written.
package enum Room: Sendable, Equatable {
    case enough
    /// The disk is full: nothing is accepted, and nothing is sent, since what became of it could not be written.
    case diskFull
    /// What was handed in last did not fit under this limit, in bytes, and still would not.
    case overLimit(Int64)
}

extension Outbox {
    /// How it is now. Where the disk was full, this tries whether it still is.
    package func room() async throws(OutboxError) -> Room {
        if shortage.isDiskFull {
            // `try?`: it fails where the disk is still full.
            try? await commit { db in try db.execute(sql: "UPDATE run SET epoch = epoch") }
            if shortage.isDiskFull { return .diskFull }
        }
        guard let refused = shortage.refused else { return .enough }
        let used = try await read { db in try Self.usedBytes(db) }
        return used + refused > maxBytes ? .overLimit(maxBytes) : .enough
    }
}

/// What could not be written for want of room.
final class Shortage: Sendable {
    private let state = Mutex<(isDiskFull: Bool, refused: Int64?)>((false, nil))

    var isDiskFull: Bool { state.withLock { $0.isDiskFull } }
    /// Bytes of the submission that was refused last; nil where one was accepted since.
    var refused: Int64? { state.withLock { $0.refused } }

    /// A transaction has been written, or has failed because the disk is full.
    func wrote(_ succeeded: Bool) { state.withLock { $0.isDiskFull = !succeeded } }
    func refused(_ bytes: Int64) { state.withLock { $0.refused = bytes } }
    func accepted() { state.withLock { $0.refused = nil } }
}
