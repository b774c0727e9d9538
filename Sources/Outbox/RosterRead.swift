import Foundation
import SyncModel
import Vault

/// The result of reading a resource.
package struct RosterRead: Sendable {
    package let key: RosterKey
    /// Digest of the resource's source, 32 bytes.
    let rule: Data
    package let beganAt, readAt: Date
    /// The pages in order, at least one; nil for an unchanged page.
    package let pages: [(etag: String?, rows: [RosterRow])?]
    package let total: Int
    package let incomplete: Incompleteness?

    /// - Parameter rule: the resource's source.
    package init(
        key: RosterKey, rule: Data, beganAt: Date, readAt: Date, pages: [(etag: String?, rows: [RosterRow])?], total: Int,
        incomplete: Incompleteness? = nil
    ) {
        (self.key, self.rule, self.beganAt, self.readAt) = (key, Vault.digest(rule), beganAt, readAt)
        (self.pages, self.total, self.incomplete) = (pages, total, incomplete)
    }
}

/// Why rows of a roster are missing.
package enum Incompleteness: String, Sendable, CaseIterable {
    /// The server has more than Homing stores.
    case limit
    /// The list changed during each pass.
    case changing
    /// In each pass, the server's number of rows did not fit the same rows.
    case contradiction
    /// Rows without a usable id, or with a value twice.
    case rows

    /// True if the list was never seen whole, so that it must be read again soon.
    package var isUnsettled: Bool { self == .changing || self == .contradiction }
}

/// The effect of storing a read.
package enum RosterStored: Sendable, Equatable {
    case changed(RosterDifference)
    /// The rows are those that were stored already.
    case same
    /// The account has signed out meanwhile, so nothing was stored.
    case notSignedIn
}

/// Rows in all, and those that differ from the earlier read.
package struct RosterDifference: Sendable, Hashable {
    package let rows, added, removed, changed: Int

    package init(rows: Int, added: Int = 0, removed: Int = 0, changed: Int = 0) {
        (self.rows, self.added, self.removed, self.changed) = (rows, added, removed, changed)
    }

    var isNone: Bool { added == 0 && removed == 0 && changed == 0 }
}
