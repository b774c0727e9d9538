import Foundation

/// Something that happened, told once, in order. Events go down to the journal and to listeners; nothing comes back from them.
package struct SyncEvent: Hashable, Sendable {
    /// Contiguous from 1 in a state directory; 0 before it is stored.
    package var cursor: Int64
    package var at: Date
    package var kind: Kind
    package var backend: String?
    /// The account's id.
    package var account: AccountID?
    package var entry: MutationID?
    /// Facts of this event by name: never a secret, never a payload.
    package var detail: [String: String]

    package init(
        cursor: Int64 = 0, at: Date, _ kind: Kind, backend: String? = nil, account: AccountID? = nil, entry: MutationID? = nil,
        detail: [String: String] = [:]
    ) {
        self.cursor = cursor
        self.at = at
        self.kind = kind
        self.backend = backend
        self.account = account
        self.entry = entry
        self.detail = detail
    }

    package enum Kind: String, Sendable, CaseIterable {
        case captured, delivered, retrying, released, held, dead, retried, discarded
        case recovered, gateChanged, signedIn, signedOut, signInRefused, signInFailed, signInRequired, signOutFailed, fileRefused, claimed,
            started,
            reloaded, stopped
        case synced, denied, paused, resumed, salvaged, unverified
    }
}
