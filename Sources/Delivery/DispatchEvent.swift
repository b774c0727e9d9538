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
    case store([Settled], claim: [Destination: Int])
    case attempt(Entry)
    case probe(backend: String)
    /// Wait no longer for the probe that is on its way; it fails, and another follows.
    case abandonProbe(backend: String)
    /// Ask who is signed in, and tell by `session`.
    case checkSession(backend: String)
    /// Forget the time asked for before; nil for none.
    case wake(at: Date?)
    case gateChanged(backend: String, Gate)
    /// The pause has come to its end by itself.
    case pauseEnded(Pause)
    /// The pause's times were set right: keep it like this.
    case pauseCorrected(Pause)
    case cut([Entry])
    case drained(backend: String)
    case finished
}

/// What one try came to.
package struct Attempt: Sendable, Equatable {
    package var verdict: Verdict
    package var health: Health
    package var route: RouteTraits
    package var startedAt: Date
    package var endedAt: Date
    /// False where nothing was sent at all: no session, or another person's.
    package var wasMade: Bool

    /// Evidence, gathered after a failure, of how the backend is.
    package enum Health: Sendable, Equatable { case well, ill, noEvidence }

    package init(_ verdict: Verdict, health: Health = .noEvidence, route: RouteTraits, startedAt: Date, endedAt: Date, wasMade: Bool = true)
    {
        self.verdict = verdict
        self.health = health
        self.route = route
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.wasMade = wasMade
    }
}

/// What a probe found.
package enum Probe: Sendable, Equatable {
    case well
    case failed(Failure)
}
