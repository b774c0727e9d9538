import Foundation
import GRDB
import Glibc
import SyncModel

/// What the outbox refuses, or cannot do.
package enum OutboxError: Error, Sendable, Equatable {
    /// This id is known with other content.
    case idConflict(MutationID)
    /// This id was accepted, and then discarded: it will never be sent. `by` names the person, where that is known.
    case discarded(MutationID, by: String?, at: Date)
    case notFound(MutationID)
    /// The entry's state forbids what was asked.
    case wrongState(MutationID, Entry.State)
    /// The disk is full: nothing was accepted, nothing is lost.
    case full
    /// The file has reached its limit, in bytes: nothing was accepted, delivering goes on and makes room.
    case overLimit(Int64)
    /// The file cannot be read or written, in SQLite's words.
    case storage(String)
    /// What is in the file is not what was written, in SQLite's words or ours. Opening it anew salvages what can be read.
    case damaged(String)
    /// The file was written by a newer version of this program; it has not been touched.
    case tooNew

    init(_ error: any Error) {
        switch error {
        case let error as OutboxError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        case let error as DatabaseError where error.tellsOfDamage: self = .damaged("\(error)")
        case let error as RowDecodingError: self = .damaged("\(error)")
        default: self = .storage("\(error)")
        }
    }

    /// Whether a write failed because a quota is used up.
    ///
    /// - Parameter systemErrors: the last of each file of the store, which SQLite remembers for good: one of long ago next to another one of now
    ///   says nothing.
    package static func isOverQuota(_ code: ResultCode, _ systemErrors: [Int32]) -> Bool {
        code == .SQLITE_IOERR_WRITE && systemErrors.contains(EDQUOT) && systemErrors.allSatisfy { $0 == EDQUOT || $0 == 0 }
    }
}

extension OutboxError: CustomStringConvertible {
    /// For the journal, without a full stop.
    package var description: String {
        switch self {
        case .idConflict(let id): "\(id) is known with other content"
        case .discarded(let id, _, _): "\(id) was discarded"
        case .notFound(let id): "there is no entry \(id)"
        case .wrongState(let id, let state): "\(id) is \(state.rawValue)"
        case .full: "the disk is full"
        case .overLimit(let limit): "the outbox has reached its limit of \(limit) bytes"
        case .storage(let words): words
        case .damaged(let words): "the store is damaged: \(words)"
        case .tooNew: "the store was written by a newer version"
        }
    }
}

extension DatabaseError {
    /// What was read cannot have been written so, or the disk does not give it back.
    fileprivate var tellsOfDamage: Bool {
        switch extendedResultCode {
        case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS: true
        default: resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
        }
    }
}
