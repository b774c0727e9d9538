import Foundation

/// One change meant for a backend, as it was captured: what is sent never differs from it, however often it is sent.
package struct Mutation: Hashable, Sendable {
    package var id: MutationID
    package var destination: Destination
    /// The key within which order holds, e.g. `users/5`.
    package var lane: Lane
    /// The name of a route that the backend's profile declares.
    package var route: String
    /// The item's fields, for the route's templates (`{item.user_id}`).
    package var fields: [String: JSONValue]
    /// The JSON document to be sent, byte for byte as it was handed in; nil for a route that sends none.
    package var payload: Data?
    /// The lane whose earlier entries have to be delivered before this one is sent; nil for none.
    package var after: Lane?
    /// What becomes of the lane when this mutation is dead or held.
    package var onDead: OnDead
    package var capturedAt: Date
    /// The entry that this one replaces after an edit.
    package var supersedes: MutationID?

    package init(
        id: MutationID, destination: Destination, lane: Lane, route: String, fields: [String: JSONValue] = [:], payload: Data? = nil,
        onDead: OnDead = .halt, capturedAt: Date, after: Lane? = nil, supersedes: MutationID? = nil
    ) {
        self.id = id
        self.destination = destination
        self.lane = lane
        self.route = route
        self.fields = fields
        self.payload = payload
        self.onDead = onDead
        self.capturedAt = capturedAt
        self.after = after
        self.supersedes = supersedes
    }

    /// Whether a dead or held head stops its lane or lets it pass.
    package enum OnDead: String, Sendable, Codable, CaseIterable { case halt, skip }
}

/// Where a mutation goes and in whose name: entries never cross from one destination to another.
package struct Destination: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The profile's name.
    package let backend: String
    package let account: AccountID

    package init(backend: String, account: AccountID) {
        self.backend = backend
        self.account = account
    }

    package var description: String { "\(backend)/\(account)" }
    package static func < (a: Self, b: Self) -> Bool { (a.backend, a.account) < (b.backend, b.account) }
}

/// Who is signed in at a backend.
package struct Account: Hashable, Sendable, Codable {
    package var id: AccountID
    /// What a person recognises: the e-mail address they signed in with.
    package var label: String

    package init(id: AccountID, label: String) {
        self.id = id
        self.label = label
    }
}
