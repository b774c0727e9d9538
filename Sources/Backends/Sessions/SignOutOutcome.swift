import SyncModel
import Vault

/// What signing out came to. Nothing of the session is left here.
package struct SignOutOutcome: Hashable, Sendable {
    package let server: Server
    /// Who it was, as the rest of the house knows them; nil where nobody was signed in.
    package let account: Account?
    /// How many entries were destroyed with it.
    package let dropped: Int

    package init(server: Server, account: Account? = nil, dropped: Int = 0) {
        self.server = server
        self.account = account
        self.dropped = dropped
    }

    package enum Server: Hashable, Sendable {
        case ended
        /// The server had no such session any more.
        case alreadyGone
        case failed(String)
        /// There was nothing to tell the server.
        case none

        /// As the control channel and the events name it.
        package var name: String {
            switch self {
            case .ended: "ended"
            case .alreadyGone: "alreadyGone"
            case .failed: "failed"
            case .none: "none"
            }
        }

        /// Why it failed, as a sentence.
        package var reason: String? { if case .failed(let reason) = self { reason } else { nil } }
    }
}

/// Why nobody was signed out, or that could not be made durable.
package enum SignOutError: Error, Hashable, Sendable {
    /// The backend offers no way to end the sessions of all devices; nothing was changed.
    case allDevicesUnsupported
    /// A sign-out of this device alone is under way, which does not end the other ones.
    case narrowerUnderWay
    /// The account there is another one than the one that was to be signed out; nothing was changed.
    case otherAccount(Account?)
    /// The profile forbids it while so many of the account's entries have not gone up; nothing was changed.
    case unsent(Int)
    /// Whether anything has still to go up could not be found out, in a sentence; nothing was changed.
    case uncounted(String)
    /// The server could not be told, for this reason, and the profile then wants the session kept.
    case kept(String)
    case unsaved(VaultError)
    /// Whoever waited was called off; a sign-out that has begun goes on, and is finished at the next start at the latest.
    case leftWaiting
}
