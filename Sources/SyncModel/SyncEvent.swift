import Foundation

/// An event for the journal and listeners, reported once, in order.
package struct SyncEvent: Hashable, Sendable {
    /// Contiguous from 1 per state directory; 0 before it is stored.
    package var cursor: Int64
    package var at: Date
    package var kind: Kind
    package var backend: String?
    package var account: AccountID?
    package var entry: MutationID?
    /// Never secrets or payloads.
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
        case fileDiscarded
        case signOutHeard, signOutGivenUp
        case synced, denied, paused, resumed, salvaged, unverified, rosterChanged
        case resolved, exported, restored, superseded
        case backedUp, backupRestored
        case keyChanged, resealed, keyExported
    }
}
