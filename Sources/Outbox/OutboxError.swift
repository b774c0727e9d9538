import Files
import Foundation
import GRDB
import Glibc
import SyncModel

package enum OutboxError: Error, Sendable, Equatable {
    /// This id is known with other content.
    case idConflict(MutationID)
    /// `by` names the person, if known.
    case discarded(MutationID, by: String?, at: Date)
    /// Another entry has replaced it, and has its content or a corrected one.
    case replaced(MutationID, by: MutationID, at: Date)
    case notFound(MutationID)
    /// The name fits no entry and no receipt.
    case unknownName(EntryName)
    /// It fits several, newest first: at most one more than `Outbox.mostCandidates`.
    case ambiguousName(EntryName, [EntryCandidate])
    /// The entry's state does not allow this.
    case wrongState(MutationID, Entry.State)
    /// No entry of this id creates such a row for this backend, account and resource.
    case noSuchCreate(MutationID)
    /// The entry that was to create the row was discarded.
    case createDiscarded(MutationID)
    /// The entry that was to create the row was replaced by another one, which creates it instead.
    case createReplaced(MutationID, by: MutationID)
    /// The entry that creates the row is dead, held or discarded.
    case needs(MutationID, Entry.State)
    /// The disk is full; nothing was accepted.
    case full
    /// The limit in bytes; nothing was accepted. Deliveries free space.
    case overLimit(Int64)
    /// The limit in bytes; nothing was accepted. No submission fits, and deliveries free too little, so waiting does not help.
    case neverFits(Int64)
    /// In bytes, as stored; nothing was accepted. Smaller submissions fit, but no delivery makes room for this one.
    case tooLarge(size: Int64, limit: Int64)
    /// In SQLite's words.
    case storage(String)
    /// The file at this path was deleted or replaced while it was open. Nothing was written; see `StorePlace`.
    case gone(String)
    /// The stored data has changed. A salvage saves the readable rows.
    case damaged(String)
    /// A newer version wrote the file; it has not been touched.
    case tooNew
    /// A backup lies in the place of the store; it has not been touched.
    case isBackup
    /// A person discarded it; its content is destroyed at that time.
    case beingDiscarded(MutationID, at: Date)
    /// Its outcome is known, so no person can settle it.
    case notUncertain(MutationID)
    /// A create counts as delivered only with the id of its row.
    case needsRemoteID(MutationID)
    /// That create made the row, so no other one did.
    case rowTaken(by: MutationID)
    /// The superseded entry is being sent, or may have taken effect.
    case mayBeDelivered(MutationID)
    /// Undelivered entries refer to the row that the superseded entry creates.
    case hasDependents(MutationID)
    /// The replacement of the first would be sent after the newer one, and overwrite it.
    case hasNewer(MutationID, newer: MutationID)
    /// Its stored content cannot be read.
    case unreadable(MutationID)

    /// Recognizes a full disk and damage in SQLite's errors.
    package init(_ error: any Error) {
        switch error {
        case let error as OutboxError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        case let error as DatabaseError where error.tellsOfDamage: self = .damaged(error.text)
        case let error as DatabaseError: self = .storage(error.text)
        case let error as FileError: self = error.isForWantOfRoom ? .full : .storage(error.text)
        case let error as RowDecodingError: self = .damaged("\(error)")
        default: self = .storage("\(error)")
        }
    }

    /// `systemErrors` has the last errno of each file. SQLite keeps them for good, so an old one beside a new one proves nothing.
    package static func isOverQuota(_ code: ResultCode, _ systemErrors: [Int32]) -> Bool {
        code == .SQLITE_IOERR_WRITE && systemErrors.contains(EDQUOT) && systemErrors.allSatisfy { $0 == EDQUOT || $0 == 0 }
    }
}

extension OutboxError: CustomStringConvertible {
    /// For the journal, without a full stop.
    package var description: String {
        switch self {
        case .idConflict(let id): "\(id) was accepted before, with different content"
        case .discarded(let id, _, _): "\(id) was discarded"
        case .replaced(let id, let new, _): "\(id) was replaced by \(new)"
        case .notFound(let id): "there is no entry \(id)"
        case .unknownName(let name): "there is no entry with \(name)"
        case .ambiguousName(let name, _): "several entries have \(name)"
        case .wrongState(let id, let state): "\(id) is \(state.rawValue)"
        case .noSuchCreate(let id): "no entry \(id) creates such a row"
        case .createDiscarded(let id): "\(id), which was to create the row, was discarded"
        case .createReplaced(let id, let new): "\(id), which was to create the row, was replaced by \(new)"
        case .needs(let id, let state): "\(id), which creates the row, is \(state.rawValue)"
        case .full: "the disk is full"
        case .overLimit(let limit): "the outbox has reached its limit of \(limit) bytes"
        case .neverFits(let limit): "it does not fit in the outbox, which is limited to \(limit) bytes"
        case .tooLarge(let size, let limit): "it takes \(size) bytes in the outbox, which is limited to \(limit) bytes"
        case .storage(let words): words
        case .gone(let path): "\(path) was deleted or replaced while the daemon runs"
        case .damaged(let words): "the store is damaged: \(words)"
        case .tooNew: "the store was written by a newer version"
        case .isBackup: "the store is a backup that was not restored"
        case .beingDiscarded(let id, _): "\(id) is being discarded"
        case .notUncertain(let id): "the outcome of \(id) is known"
        case .needsRemoteID(let id): "\(id) counts as delivered only with the server's id of what it created"
        case .rowTaken(let id): "\(id) created that row"
        case .mayBeDelivered(let id): "\(id) may have taken effect"
        case .hasDependents(let id): "entries refer to what \(id) creates"
        case .hasNewer(let id, let newer): "\(newer) is newer than \(id)"
        case .unreadable(let id): "the stored data of \(id) cannot be read"
        }
    }
}

extension DatabaseError {
    /// With the extended code: "disk I/O error" alone does not tell a failed read from a lost lock (https://sqlite.org/rescode.html).
    fileprivate var text: String {
        extendedResultCode == resultCode ? "\(self)" : "\(self) (extended code \(extendedResultCode.rawValue))"
    }

    fileprivate var tellsOfDamage: Bool {
        switch extendedResultCode {
        case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS: true
        default: resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
        }
    }
}
