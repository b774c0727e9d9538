import Foundation
import SyncModel

/// An account's session at one moment: a handle, whose secrets stay with the keeper.
package struct Session: Hashable, Sendable {
    package let account: Account
    /// Grows with every change of the credentials, also over restarts; an unreadable record starts again at 0.
    package let generation: Int

    package init(account: Account, generation: Int) {
        self.account = account
        self.generation = generation
    }
}

/// The public part of a session.
package struct SessionSnapshot: Hashable, Sendable {
    package let backend: String
    package let state: State
    /// The signed-in account, or the one that has to sign in again.
    package let account: Account?
    /// When it signed in.
    package let since: Date?
    /// True if the password is kept, so that an ended session is renewed without a person.
    package let remembered: Bool
    /// Why it is not signed in, if there is more to say.
    package let reason: String?
    /// Since when deliveries may have gone to another account; nil if the backend always named the same one.
    package let unverifiedSince: Date?
    /// Set while the session cannot be renewed.
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

    /// Since when every renewal has failed, and why the last one did.
    package struct Failing: Hashable, Sendable {
        package let since: Date
        package let failure: Failure
    }

    package enum State: String, Sendable, Codable, CaseIterable { case signedOut, signedIn, signInRequired, signingOut }
}
