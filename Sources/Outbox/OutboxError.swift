import GRDB
import SyncModel

/// What the outbox refuses, or cannot do.
package enum OutboxError: Error, Sendable, Equatable {
    /// This id is known with other content.
    case idConflict(MutationID)
    case notFound(MutationID)
    /// The entry's state forbids what was asked.
    case wrongState(MutationID, Entry.State)
    /// The disk is full: nothing was accepted, nothing is lost.
    case full
    /// The file has reached its limit, in bytes: nothing was accepted, delivering goes on and makes room.
    case overLimit(Int64)
    /// The file cannot be read or written, in SQLite's words.
    case storage(String)
    /// The file was written by a newer version of this program; it has not been touched.
    case tooNew

    init(_ error: any Error) {
        switch error {
        case let error as OutboxError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        default: self = .storage("\(error)")
        }
    }
}
