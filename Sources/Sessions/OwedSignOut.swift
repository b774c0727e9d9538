import Backends
import Foundation
import Outbox
import SyncModel

/// A sign-out that did not reach the server, with the credentials for that one call.
struct OwedSignOut: Hashable, Sendable, Codable {
    /// The account under the backend's id.
    let account: Account
    /// The account under the id that other components use.
    let shown: Account
    /// By then the credentials are destroyed.
    var until: Date
    /// The backend's base URL, and every origin to which the profile sent credentials, at the sign-in.
    let address: String
    let origins: Set<String>
    var credentials: Credentials
    var refresh = Refresh.possible
    /// The response to an earlier refresh was lost.
    var refreshWasLost = false

    /// The one refresh that it may have.
    enum Refresh: String, Codable {
        case possible
        /// The refresh was sent and its response is unknown, so the tokens may be used up.
        case sent
        case renewed
    }

    /// In seconds.
    static let longest: TimeInterval = 86_400

    /// True if `profile` sends these credentials only where they were sent before.
    func isBound(to profile: Profile) -> Bool {
        address == profile.address && profile.credentialOrigins.allSatisfy { origins.contains($0.description) }
    }

    /// A clock that was ahead may have set the end.
    func isOver(at now: Date) -> Bool { until.hasCome(at: now, longest: Self.longest + 60) }

    var stored: StoredOwedSignOut {
        do {
            return StoredOwedSignOut(account: shown.id, until: until, record: try JSONEncoder().encode(self))
        } catch { preconditionFailure("an owed sign-out always encodes: \(error)") }
    }
}

extension OwedSignOut {
    /// Why the credentials are destroyed.
    enum End: Hashable, Sendable {
        case heard(SignOutOutcome.Server)
        case dayHasPassed
        /// The account signed in again, and the call might end its new session.
        case signedIn
        /// The profile no longer allows the call.
        case profile
        /// The response to the refresh was lost, and the server refuses the earlier token. The session may live on.
        case refreshLost
    }

    func event(of end: End, at backend: String, now: Date) -> SyncEvent {
        let (kind, key, value): (SyncEvent.Kind, String, String) =
            switch end {
            case .heard(let server): (.signOutHeard, "server", server.name)
            case .dayHasPassed: (.signOutGivenUp, "cause", "day")
            case .signedIn: (.signOutGivenUp, "cause", "signedIn")
            case .profile: (.signOutGivenUp, "cause", "profile")
            case .refreshLost: (.signOutGivenUp, "cause", "refreshLost")
            }
        return SyncEvent(at: now, kind, backend: backend, account: shown.id, detail: ["email": shown.label, key: value])
    }
}
