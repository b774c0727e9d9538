import Foundation
import Outbox
import SyncModel

package struct SignOutRequest: Sendable {
    var allDevices: Bool
    /// Nil for whichever is signed in.
    var account: AccountID?
    /// Overrides a profile that refuses a sign-out with undelivered entries.
    var force: Bool
    var requester: Requester?
    /// Discard the account's entries if the profile says so.
    var mayDiscard: Bool
    /// Keep the account's rosters for its next sign-in.
    var keepData: Bool

    package init(
        allDevices: Bool = false, account: AccountID? = nil, force: Bool = false, by requester: Requester? = nil, mayDiscard: Bool = false,
        keepData: Bool = false
    ) {
        (self.allDevices, self.account, self.force) = (allDevices, account, force)
        (self.requester, self.mayDiscard, self.keepData) = (requester, mayDiscard, keepData)
    }
}

/// The session's credentials are deleted, except for those of an owed call.
package struct SignOutOutcome: Hashable, Sendable {
    package let server: Server
    /// The account; nil if it was signed out already.
    package let account: Account?
    /// The number of entries discarded.
    package let discarded: Int
    /// The account's rosters stay for its next sign-in.
    package let keptData: Bool
    /// Until when Homing repeats the call.
    package let owedUntil: Date?

    package init(server: Server, account: Account? = nil, discarded: Int = 0, keptData: Bool = false, owedUntil: Date? = nil) {
        (self.server, self.account, self.discarded) = (server, account, discarded)
        (self.keptData, self.owedUntil) = (keptData, owedUntil)
    }

    package enum Server: Hashable, Sendable {
        case ended
        /// The server had no such session.
        case alreadyGone
        case failed(String)
        /// There was nothing to tell the server.
        case none

        /// The answer without its reason.
        var answer: ServerAnswer {
            switch self {
            case .ended: .ended
            case .alreadyGone: .alreadyGone
            case .failed: .failed
            case .none: .none
            }
        }

        /// The word in the control channel and in events.
        package var name: String { answer.rawValue }

        /// Why it failed, as a sentence.
        package var reason: String? { if case .failed(let reason) = self { reason } else { nil } }
    }
}

/// Why a sign-out failed, or could not be made durable.
package enum SignOutError: Error, Equatable, Sendable {
    /// The backend cannot end the sessions of all devices; nothing changed.
    case allDevicesUnsupported
    /// A sign-out of this device is in progress, which does not end the other ones.
    case narrowerInProgress
    /// Another account is signed in; nothing changed.
    case otherAccount(Account?)
    /// The profile refuses it with so many undelivered entries; nothing changed.
    case unsent(Int)
    /// The undelivered entries could not be counted; nothing changed.
    case uncounted(String)
    /// The server could not be told, and the profile then keeps the session.
    case kept(String)
    case unsaved(OutboxError)
    /// The caller was cancelled; the sign-out goes on.
    case cancelled
}
