import Foundation
import Outbox
import SyncModel

package enum DispatchEvent: Sendable {
    /// An entry in the outbox may have become eligible.
    case arrived
    /// The account to send for; nil when signed out or when renewal needs a person. An older `revision` is ignored.
    case session(backend: String, Account?, revision: Int = 0)
    /// The outbox has written the settlements and returns its claim.
    case stored(Claimed)
    /// The disk is full: nothing was written.
    case storeFailed
    case attempted(Entry, Attempt)
    case probed(backend: String, Probe)
    /// The timer has fired.
    case woke
    case networkChanged
    /// A person requested an attempt now; nil for every backend.
    case hurried(backend: String?)
    /// A person paused this backend; requests in progress may finish. An older `revision` is ignored.
    case paused(Pause, revision: Int64 = 0)
    /// A pause that the server requested during an earlier run.
    case serverPaused(backend: String, until: Date, Failure)
    /// Ignored if the pause has a newer `revision`.
    case resumed(backend: String, revision: Int64 = 0)
    /// Report `drained` when no request to this backend is in progress.
    case drain(backend: String)
    /// Cancel the requests in progress.
    case cut(backend: String)
    /// Stop sending, and report `finished` when everything is written.
    case stop
}

package enum Probe: Sendable, Equatable {
    case well
    /// `retryAfter`: the requested pause, in seconds.
    case failed(Failure, retryAfter: TimeInterval? = nil)
}
