import Foundation
import Outbox
import SyncModel

/// What the dispatcher learns.
package enum DispatchEvent: Sendable {
    /// Something may have become eligible in the outbox.
    case arrived
    /// Who may be sent for at this backend from now on; nil where nobody is signed in or only a person can renew the session. What is older
    /// than the newest `revision` seen so far says nothing.
    case session(backend: String, Account?, revision: Int = 0)
    /// What was asked of the outbox has been written, and this is what it gave.
    case stored(Claimed)
    /// The disk is full: what was asked of the outbox has not been written.
    case storeFailed
    /// One try has come to an end.
    case attempted(Entry, Attempt)
    /// A probe has come to an end.
    case probed(backend: String, Probe)
    /// The time that was asked for has come.
    case woke
    /// The network has changed, perhaps for the better.
    case networkChanged
    /// A person wants it tried now; nil for every backend.
    case hurried(backend: String?)
    /// A person wants nothing sent to this backend; what is being sent goes on to its end. What is older than the newest `revision` seen so
    /// far says nothing.
    case paused(Pause, revision: Int64 = 0)
    /// An earlier run was asked by the server to send nothing before then.
    case quiet(backend: String, until: Date, Failure)
    /// A person ends the pause of this backend, unless it is of a newer `revision`.
    case resumed(backend: String, revision: Int64 = 0)
    /// Tell, by `drained`, when nothing is being sent at this backend any more.
    case drain(backend: String)
    /// Cut short what is still being sent at this backend.
    case cut(backend: String)
    /// Send nothing more, and tell by `finished` when all is written.
    case stop
    /// Nothing has happened: somebody wants to know whether the loop still comes round.
    case echo
}

/// What the dispatcher does.
package enum DispatchAction: Sendable, Equatable {
    /// Write these, then claim at most so many for each destination.
    case store([Settled], claim: [Destination: ClaimOrder])
    case attempt(Entry)
    case probe(backend: String)
    /// Wait no longer for the probe that is on its way; it fails, and another follows.
    case abandonProbe(backend: String)
    /// Ask who is signed in, and tell by `session`.
    case checkSession(backend: String)
    /// Forget the time asked for before; nil for none.
    case wake(at: Date?)
    case gateChanged(backend: String, Gate)
    /// A route of an open gate is left alone until then; nil where it is not any more.
    case routeChanged(backend: String, route: String, RouteGate?)
    /// Keep, over restarts too, that the server asked for quiet until then.
    case keepQuiet(backend: String, until: Date, Failure)
    /// The pause has come to its end by itself.
    case pauseEnded(Pause)
    /// The pause's times were set right: keep it like this.
    case pauseCorrected(Pause)
    case cut([Entry])
    case drained(backend: String)
    case finished
}

/// Why, and until when, entries of one route are left alone while others are sent.
package struct RouteGate: Sendable, Equatable {
    /// When its failures in a row began.
    package var since: Date
    package var until: Date
    package var failure: Failure

    package init(since: Date, until: Date, failure: Failure) {
        self.since = since
        self.until = until
        self.failure = failure
    }
}

/// The result of one try.
package struct Attempt: Sendable, Equatable {
    package var verdict: Verdict
    package var route: RouteTraits
    package var startedAt: Date
    package var endedAt: Date
    /// False where nothing was sent at all: no session, or another account's.
    package var wasMade: Bool
    /// Whether the entry itself was sent; false for a look-up alone.
    package var wasSent: Bool

    package init(
        _ verdict: Verdict, route: RouteTraits, startedAt: Date, endedAt: Date, wasMade: Bool = true, wasSent: Bool = true
    ) {
        self.verdict = verdict
        self.route = route
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.wasMade = wasMade
        self.wasSent = wasSent
    }

    /// The send was answered with 429, or with 503 and Retry-After.
    var isQuieted: Bool { if case .throttled(let failure, _) = verdict { wasSent && failure.reason == .throttled } else { false } }
}

/// What a probe found.
package enum Probe: Sendable, Equatable {
    case well
    /// `retryAfter`: for so many seconds the server asks for quiet.
    case failed(Failure, retryAfter: TimeInterval? = nil)
}
