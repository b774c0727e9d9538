import Foundation
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
    /// How it is now.
    package func room() async throws(OutboxError) -> Room {
        if let missing = shortage.missing {
            // `try?`: where the system does not say, the next write that fails will.
            let system = try? FileManager.default.attributesOfFileSystem(forPath: pool.path)
            if let free = system?[.systemFreeSize] as? Int64, free < missing { return .diskFull }
            shortage.diskHasRoom()
        }
        guard let refused = shortage.refused else { return .enough }
        let used = try await read { db in try Self.usedBytes(db) }
        return used + refused > maxBytes ? .overLimit(maxBytes) : .enough
    }
}

/// What could not be written for want of room, in bytes.
final class Shortage: Sendable {
    private let state = Mutex<(missing: Int64?, refused: Int64?)>((nil, nil))

    /// What the disk must have before it counts as having room again; nil where it has not been full since it had.
    var missing: Int64? { state.withLock { $0.missing } }
    /// The submission that the limit refused last; nil where one was accepted since.
    var refused: Int64? { state.withLock { $0.refused } }

    /// A write of about so many bytes has failed. The write-ahead log may take a few small ones yet: their success says nothing.
    func diskIsFull(for bytes: Int64) { state.withLock { $0.missing = max($0.missing ?? 0, bytes + Self.margin) } }
    func diskHasRoom() { state.withLock { $0.missing = nil } }
    func refused(_ bytes: Int64) { state.withLock { $0.refused = bytes } }
    func accepted() { state.withLock { $0.refused = nil } }

    /// 1 MiB: the log between two checkpoints.
    private static let margin: Int64 = 1 << 20
}
