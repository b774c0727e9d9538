import Foundation
import SyncModel

/// Somebody's session at one moment: a handle, whose secrets stay with the keeper.
package struct Session: Hashable, Sendable {
    package let account: Account
    /// Grows with every change of the credentials, over restarts too.
    package let generation: Int

    package init(account: Account, generation: Int) {
        self.account = account
        self.generation = generation
    }
}

/// What may be told about a session.
package struct SessionSnapshot: Hashable, Sendable {
    package let backend: String
    package let state: State
    /// Who is signed in, or was and has to sign in again.
    package let account: Account?
    /// When they signed in.
    package let since: Date?
    /// Whether the password is kept, so that an ended session is renewed without a person.
    package let remembered: Bool
    /// Why it is not signed in, where there is more to say.
    package let reason: String?
    /// Since when deliveries under it may have gone to another account; nil where the backend always named the same one.
    package let unverifiedSince: Date?
    /// That it cannot be renewed; nil where the last try succeeded.
    package let failing: Failing?
    /// Grows with every change in this run: of two snapshots the greater is the newer, in whatever order they arrive.
    package let revision: Int

    package init(
        backend: String, state: State, account: Account? = nil, since: Date? = nil, remembered: Bool = false, reason: String? = nil,
        unverifiedSince: Date? = nil, failing: Failing? = nil, revision: Int = 0
    ) {
        self.backend = backend
        self.state = state
        self.account = account
        self.since = since
        self.remembered = remembered
        self.reason = reason
        self.unverifiedSince = unverifiedSince
        self.failing = failing
        self.revision = revision
    }

    /// Since when every try has failed, and why the last one did.
    package struct Failing: Hashable, Sendable {
        package let since: Date
        package let failure: Failure
    }

    package enum State: String, Sendable, Codable, CaseIterable { case signedOut, signedIn, signInRequired, signingOut }
}
