import Foundation
import Outbox
import SyncModel

/// A handle on an account's session; the secrets stay with the keeper.
package struct Session: Hashable, Sendable {
    package let account: Account
    /// Grows with every change of the credentials, also over restarts; an unreadable record starts again at 0.
    package let generation: Int

    package init(account: Account, generation: Int) { (self.account, self.generation) = (account, generation) }
}

/// Why there is no session to send with.
package enum SessionError: Error, Equatable, Sendable {
    /// Only a person can go on.
    case signInRequired(reason: String)
    /// Try again later; the account stays signed in.
    case unavailable(Failure)
    /// The session is not renewed before then.
    case tooSoon(until: Date, Failure)
    /// The server refused the credentials with an undeclared answer, and they cannot be renewed.
    case undeclared(Failure)
    case signingOut
    /// The session could not be stored, so it does not count.
    case unsaved(OutboxError)
}

/// The public part of a session.
package struct SessionSnapshot: Hashable, Sendable {
    package let backend: String
    package var state: State
    /// The account that is signed in, or has to sign in again.
    package var account: Account?
    /// When it signed in.
    package var since: Date?
    /// The password is kept, so that an ended session is renewed without a person.
    package var remembered = false
    /// The cause, if it is not signed in for a special one.
    package var reason: String?
    /// Since when deliveries may have gone to another account.
    package var unverifiedSince: Date?
    /// Set while the session cannot be renewed.
    package var failing: Failing?
    /// Grows with every change in this run: of two snapshots the greater is the newer.
    package var revision = 0

    package init(backend: String, state: State, account: Account? = nil) {
        (self.backend, self.state, self.account) = (backend, state, account)
    }

    /// The account of new entries, also offline or with an expired session.
    package var owner: Account? {
        switch state {
        case .signedIn, .signInRequired: account
        case .signedOut, .signingOut: nil
        }
    }

    /// Since when every renewal has failed, and why the last one did.
    package struct Failing: Hashable, Sendable {
        package let since: Date
        package let failure: Failure

        package init(since: Date, failure: Failure) { (self.since, self.failure) = (since, failure) }
    }

    package enum State: String, Sendable, Codable, CaseIterable { case signedOut, signedIn, signInRequired, signingOut }
}
