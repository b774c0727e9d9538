import Foundation

/// How messages name rows, such as `person` and `people`, or entries of a route.
public struct RosterTitle: Codable, Sendable, Equatable {
    public var one: String
    public var many: String
    /// What an entry does, if Homing chose these words: `new`, `change`, `deletion`, `entry` or `capture`. Nil for the words of a profile.
    /// New values may be added.
    public var kind: String?
    /// With `kind`: the word that the profile has for a row, such as `person`; of `entry`, the words of the route.
    public var word: String?

    public init(one: String, many: String) {
        self.one = one
        self.many = many
    }
}

/// A list that Homing has read and keeps on the station, such as the people of the signed-in account.
public struct RosterReport: Codable, Sendable, Equatable {
    public var backend: String
    /// The resource's name in the profile.
    public var resource: String
    public var title: RosterTitle
    /// `unread`, `complete`, `incomplete` or `signedOut`.
    public var state: String
    /// Why it is incomplete: `limit`, `changing`, `contradiction` or `rows`. New values may be added.
    public var reason: String?
    /// The state, and what to do about it; in a `RosterPage`, also the number of matching rows.
    public var sentence: String
    /// The signed-in account, or the one that must sign in again.
    public var account: String?
    public var email: String?
    /// The number of stored rows; nil if unread or signed out.
    public var count: Int?
    /// The number of rows at the backend at the last read.
    public var total: Int?
    public var readAt: Date?
    /// Older than the profile's `max_age`.
    public var stale = false
    /// True if Homing is reading the list now.
    public var reading = false
    /// Why the last read failed, as a sentence; nil if it did not.
    public var failure: String?
    public var failingSince: Date?
    /// Why Homing does not read the list, for programs: a value of `BackendReport.gateCause`, or another one.
    public var failureCause: String?
    /// True if Homing does not read the list because sending is paused; otherwise nil.
    public var paused: Bool?
    /// When Homing reads the list again; nil if that is not scheduled.
    public var nextTry: Date?
    /// In a `RosterPage`, the matching rows that are not created yet; nil elsewhere.
    public var new: Int?
    /// In a `RosterPage`, the matching rows that deliveries created after the last read; nil elsewhere.
    public var created: Int?
    /// In a `RosterPage`, the rows that deliveries deleted after the last read; nil elsewhere.
    public var deleted: Int?
    /// The item fields that take an id of this list, by route; nil for none.
    public var references: [FieldReference]?
    /// Nil if no route creates or changes rows.
    public var actions: RosterActions?

    public init(backend: String, resource: String, title: RosterTitle, state: String, sentence: String = "") {
        self.backend = backend
        self.resource = resource
        self.title = title
        self.state = state
        self.sentence = sentence
    }
}

/// An item field that takes the id of a row.
public struct FieldReference: Codable, Sendable, Equatable {
    public var route: String
    public var field: String
    /// `integer` or `text`.
    public var type: String
    /// True if a submission to the route may have a payload.
    public var takesPayload: Bool

    public init(route: String, field: String, type: String, takesPayload: Bool = true) {
        self.route = route
        self.field = field
        self.type = type
        self.takesPayload = takesPayload
    }
}

/// The routes that change a list.
public struct RosterActions: Codable, Sendable, Equatable {
    /// Makes a row.
    public var add: String?
    /// Changes a row.
    public var change: String?
    /// Deletes a row.
    public var delete: String?
    /// True if a person must confirm `delete`; nil for no.
    public var confirm: Bool?
    /// The members of the payload of `change` and `add`; empty for any.
    public var form: [String]
    /// The item fields of `add`, if it takes no payload.
    public var fields: [String]?

    public init(
        add: String? = nil, change: String? = nil, delete: String? = nil, confirm: Bool? = nil, form: [String] = [],
        fields: [String]? = nil
    ) {
        self.add = add
        self.change = change
        self.delete = delete
        self.confirm = confirm
        self.form = form
        self.fields = fields
    }
}

/// By backend and resource.
public struct RosterList: Codable, Sendable, Equatable {
    public var rosters: [RosterReport]
    public init(rosters: [RosterReport]) { self.rosters = rosters }
}

public struct RosterRow: Codable, Sendable, Equatable {
    /// The server's id; for a new row, `@` and the id of the entry that creates it.
    public var id: String
    /// The name, for people.
    public var label: String
    /// The stored values by JSON pointer, as the server wrote them; without absent ones.
    public var values: [String: String]
    /// `new` for a row that is not created yet. Other values may be added.
    public var pending: String?
    /// The undelivered entry that deletes the row.
    public var deletion: String?

    public init(id: String, label: String, values: [String: String], pending: String? = nil, deletion: String? = nil) {
        self.id = id
        self.label = label
        self.values = values
        self.pending = pending
        self.deletion = deletion
    }
}

/// Rows by label, then id. New rows come first, on the first page, beyond its limit.
public struct RosterPage: Codable, Sendable, Equatable {
    public var roster: RosterReport
    public var rows: [RosterRow]
    /// The number of matching rows on all pages, with new rows.
    public var matching: Int
    /// Pass as `after` to get the next page; nil at the end.
    public var next: String?

    public init(roster: RosterReport, rows: [RosterRow], matching: Int, next: String?) {
        self.roster = roster
        self.rows = rows
        self.matching = matching
        self.next = next
    }
}

/// A stored list in the status, without names.
public struct RosterSummary: Codable, Sendable, Equatable {
    public var resource: String
    public var title: RosterTitle
    /// The state of the list; see `RosterReport.state`.
    public var state: String
    public var count: Int?
    public var readAt: Date?
    /// Since when it is older than the profile's `max_age`.
    public var staleSince: Date?
    /// Why the last read failed, as a sentence; nil if it did not.
    public var failure: String?
    /// The same for programs: a value of `BackendReport.gateCause`, or another one.
    public var failureCause: String?
    public var failingSince: Date?

    public init(resource: String, title: RosterTitle, state: String, count: Int? = nil, readAt: Date? = nil) {
        self.resource = resource
        self.title = title
        self.state = state
        self.count = count
        self.readAt = readAt
    }
}
