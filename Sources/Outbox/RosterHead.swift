import Foundation
import SyncModel

/// The cached list of one resource for one account.
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
    /// Rows here, and at the server as far as it said.
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
