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
    case quiet(backend: String, until: Date, Failure)
    /// Ignored if the pause has a newer `revision`.
    case resumed(backend: String, revision: Int64 = 0)
    /// Report `drained` when no request to this backend is in progress.
    case drain(backend: String)
    /// Cancel the requests in progress.
    case cut(backend: String)
    /// Stop sending, and report `finished` when everything is written.
    case stop
    /// Checks that the loop responds; no effect on the state.
    case echo
}

package enum DispatchAction: Sendable, Equatable {
    /// Write the settlements, then claim up to the given number per destination.
    case store([Settled], claim: [Destination: ClaimOrder])
    case attempt(Entry)
    case probe(backend: String)
    /// Cancel the running probe; it fails, and another follows.
    case abandonProbe(backend: String)
    case checkSession(backend: String)
    /// Replaces the previous time; nil for no timer.
    case wake(at: Date?)
    case gateChanged(backend: String, Gate)
    /// A route is suspended while the backend's gate is open; nil when it no longer is.
    case routeChanged(backend: String, route: String, RouteGate?)
    /// Store the pause that the server requested, so that it survives a restart.
    case keepQuiet(backend: String, until: Date, Failure)
    case pauseEnded(Pause)
    /// Store the pause with corrected times.
    case pauseCorrected(Pause)
    case cut([Entry])
    case drained(backend: String)
    case finished
}

/// Why and until when one route is suspended.
package struct RouteGate: Sendable, Equatable {
    /// Start of the current run of failures.
    package var since: Date
    package var until: Date
    package var failure: Failure

    package init(since: Date, until: Date, failure: Failure) {
        self.since = since
        self.until = until
        self.failure = failure
    }
}

extension Attempt {
    /// The server answered the send with 429, or with 503 and Retry-After.
    var isQuieted: Bool { if case .throttled(let failure, _) = verdict { wasSent && failure.reason == .throttled } else { false } }
}

package enum Probe: Sendable, Equatable {
    case well
    /// `retryAfter`: the requested pause, in seconds.
    case failed(Failure, retryAfter: TimeInterval? = nil)
}
