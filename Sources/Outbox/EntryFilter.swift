import Foundation
import SyncModel

/// Selects entries for a list; nil matches all.
package struct EntryFilter: Sendable, Equatable {
    package var state: Entry.State?
    package var backend: String?
    /// A server's id, or a reference to a create. After the create's delivery, both match the same entries.
    package var subject: RosterID?
    /// By backend, the resources that a server's id in `subject` may be of; any where a backend is missing.
    package var resources: [String: Set<String>] = [:]
    package var route: String?
    /// Captured at this time or later.
    package var since: Date?
    /// Captured before this time.
    package var until: Date?

    package init(
        state: Entry.State? = nil, backend: String? = nil, subject: RosterID? = nil, route: String? = nil, since: Date? = nil,
        until: Date? = nil
    ) {
        (self.state, self.backend, self.subject, self.route) = (state, backend, subject, route)
        (self.since, self.until) = (since, until)
    }
}

/// Some of the entries that match a filter.
package struct EntrySelection: Sendable {
    /// By ascending sequence.
    package var entries: [Entry]
    /// The entries that the pending ones of these wait behind.
    package var blockers: [MutationID: MutationID]
    /// The entries that replaced the discarded ones of these.
    package var successors: [MutationID: MutationID]
    /// The number of matching entries, counted up to `Outbox.countedInList`.
    package var total: Int
    /// True if more match than are counted.
    package var totalIsLeast: Bool
}
