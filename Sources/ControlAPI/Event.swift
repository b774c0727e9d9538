import Foundation

public struct Event: Codable, Sendable, Equatable {
    /// Contiguous: a gap means missed events.
    public var cursor: Int64
    public var at: Date
    /// `captured`, `delivered`, `retrying`, `released`, `held`, `dead`, `retried`, `discarded`, `recovered`, `gateChanged`, `signedIn`,
    /// `signedOut`, `signInRefused`, `signInFailed`, `signInRequired`, `signOutFailed`, `signOutHeard`, `signOutGivenUp`, `fileRefused`,
    /// `fileDiscarded`, `claimed`, `started`, `reloaded`, `stopped`, `synced`, `denied`, `paused`, `resumed`, `salvaged`, `unverified`,
    /// `rosterChanged`, `resolved`, `exported`, `restored`, `superseded`, `backedUp`, `backupRestored`, `keyChanged`, `resealed` or
    /// `keyExported`. New kinds may be added.
    public var kind: String
    public var backend: String?
    public var account: String?
    public var entry: String?
    /// The entry's subject, while the entry or its receipt is kept.
    public var subject: SubjectReport?
    /// How sentences name the entry, if `detail` has its route.
    public var title: RosterTitle?
    public var detail: [String: String]

    public init(cursor: Int64, at: Date, kind: String, backend: String?, account: String?, entry: String?, detail: [String: String]) {
        self.cursor = cursor
        self.at = at
        self.kind = kind
        self.backend = backend
        self.account = account
        self.entry = entry
        self.detail = detail
    }
}
