import Foundation
import SyncModel
import Synchronization
import Vault

/// Names the cached list of one resource, as one account sees it.
package struct RosterKey: Hashable, Sendable {
    package let destination: Destination
    package let resource: String

    package init(destination: Destination, resource: String) { (self.destination, self.resource) = (destination, resource) }
}

/// A stored roster without its rows.
package struct RosterHead: Sendable, Equatable {
    package let key: RosterKey
    /// Grows when the rows are written again.
    package let revision: Int
    /// When the last read ended and began.
    package let readAt, beganAt: Date
    /// The number of rows here, and at the server as far as it said.
    package let count, total: Int
    /// Nil if all rows are here.
    package let incomplete: Incompleteness?

    package init(
        key: RosterKey, revision: Int, readAt: Date, beganAt: Date, count: Int, total: Int, incomplete: Incompleteness? = nil
    ) {
        (self.key, self.revision, self.readAt, self.beganAt) = (key, revision, readAt, beganAt)
        (self.count, self.total, self.incomplete) = (count, total, incomplete)
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
    /// Some rows have no usable id, or one of the values twice.
    case rows

    /// Whether the list was never seen whole, so that it must be read again soon.
    package var isUnsettled: Bool { self == .changing || self == .contradiction }
}

/// The result of reading a resource.
package struct RosterRead: Sendable {
    package let key: RosterKey
    /// Digest of the resource's source, 32 bytes.
    let rule: Data
    package let beganAt, readAt: Date
    /// In order, at least one; nil for a page that the server called unchanged.
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

package enum RosterStored: Sendable, Equatable {
    case changed(RosterDifference)
    /// The rows are those that were stored already.
    case same
    /// The account has signed out meanwhile, so nothing was stored.
    case notSignedIn
}

/// Numbers of rows: all, and those that differ from the earlier read.
package struct RosterDifference: Sendable, Hashable {
    package let rows, added, removed, changed: Int

    package init(rows: Int, added: Int = 0, removed: Int = 0, changed: Int = 0) {
        (self.rows, self.added, self.removed, self.changed) = (rows, added, removed, changed)
    }

    var isNone: Bool { added == 0 && removed == 0 && changed == 0 }
}

/// A resource that a profile declares now.
package struct RosterRule: Hashable, Sendable {
    let backend, resource: String
    /// As in `RosterRead`.
    let rule: Data

    /// - Parameter rule: the resource's source.
    package init(backend: String, resource: String, rule: Data) {
        self.init(backend: backend, resource: resource, digest: Vault.digest(rule))
    }

    init(backend: String, resource: String, digest: Data) { (self.backend, self.resource, rule) = (backend, resource, digest) }
}

/// The declared resources, once known. A roster read with another declaration, or at another address, is ignored until it is deleted or replaced.
final class RosterRules: Sendable {
    private let rules = Mutex<Set<RosterRule>?>(nil)

    func know(_ known: [RosterRule]) { rules.withLock { $0 = Set(known) } }

    func include(_ roster: StoredRoster) -> Bool {
        let key = roster.head.key
        let rule = RosterRule(backend: key.destination.backend, resource: key.resource, digest: roster.rule)
        return rules.withLock { $0?.contains(rule) ?? true }
    }
}
