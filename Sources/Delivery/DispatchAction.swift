import Foundation
import Outbox
import SyncModel

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
    case keepServerPause(backend: String, until: Date, Failure)
    case pauseEnded(Pause)
    /// Store the pause with corrected times.
    case pauseCorrected(Pause)
    case cut([Entry])
    case drained(backend: String)
    case finished
}
