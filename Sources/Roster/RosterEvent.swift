import Foundation
import Outbox
import SyncModel

enum RosterEvent: Sendable {
    /// The account to read for; nil unless signed in. An older `revision` is ignored.
    case session(backend: String, AccountID?, revision: Int)
    /// The backend's gate changed.
    case gate(backend: String, Gate)
    case networkChanged
    /// A person requested an attempt now; nil for every backend.
    case hurried(backend: String?)
    /// A delivery may have changed the resource.
    case touched(backend: String, resource: String)
    /// The stored list could not be read and was deleted.
    case lost(RosterKey)
    /// A person's request; answered exactly once, unless withdrawn.
    case asked(backend: String, resource: String, UUID)
    /// The caller has gone.
    case withdrawn(UUID)
    /// The stored rosters of the account, and those that a delivery has changed since they were read.
    case known(Destination, [RosterHead], touched: Set<String> = [])
    case ended(RosterKey, RosterOutcome, took: Duration)
    /// The timer has fired.
    case woke
    case stop
}

enum RosterAction: Sendable, Equatable {
    case loadHeads(Destination)
    case read(RosterKey)
    /// Cancel the backend's read; it still ends.
    case cancel(backend: String)
    case answer([UUID], RosterAnswer)
    /// Replaces the previous time; nil for no timer.
    case wake(at: Date?)
    case finished
}

/// How a read has ended.
package enum RosterOutcome: Sendable, Equatable {
    case stored(RosterHead, changed: Bool)
    case failed(Failure)
    /// The list was never seen whole; the earlier one is kept.
    case unsettled(Failure)
    /// The server requested a pause.
    case throttled(Failure, until: Date)
    /// The account is no longer signed in.
    case sessionEnded
    /// The list was read and could not be stored.
    case notStored(OutboxError)
    case cancelled
}

/// The answer to a person's request to read a list now.
package enum RosterAnswer: Sendable, Equatable {
    case done(RosterHead)
    case failed(Failure)
    case impossible(RosterObstacle)
}

/// Why no list is read.
package enum RosterObstacle: Sendable, Equatable {
    case signedOut
    /// A person paused the backend.
    case paused
    /// The server requested a pause.
    case serverPaused(until: Date, Failure)
    case stopping
}

/// The reading of one resource, as people see it.
package struct RosterCondition: Hashable, Sendable {
    package var isReading = false
    /// Why the last read failed; nil if it succeeded.
    package var failure: Failure?
    /// The first failure since the last successful read.
    package var failingSince: Date?
    /// When the next read is scheduled; nil for none.
    package var nextTry: Date?

    package init() {}
}
