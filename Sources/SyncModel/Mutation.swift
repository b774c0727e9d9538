import Foundation

/// One captured change; identical in every send.
package struct Mutation: Hashable, Sendable {
    package var id: MutationID
    package var destination: Destination
    /// The order group, e.g. `users/5`.
    package var lane: Lane
    package var route: String
    /// For the route's templates (`{item.user_id}`).
    package var fields: [String: JSONValue]
    /// Byte for byte as submitted, at most `largestPayload` bytes; nil for a route without payload.
    package var payload: Data?
    /// 32 MiB.
    package static let largestPayload = 32 << 20
    /// A second entry, accepted with this one, has the payload. Part of the content: without a payload, the submission is another.
    package var hasFollower = false
    /// Earlier entries of this lane must be delivered first.
    package var after: Lane?
    /// Earlier entries need only be tried: one that cannot be sent now does not count.
    package var isBehind = false
    /// All earlier entries with the same subject go first, also under another id.
    package var afterSubject: Bool
    package var onDead: OnDead
    package var capturedAt: Date
    /// The entry that this one replaces after an edit.
    package var supersedes: MutationID?
    /// The id in the route's reference field, such as the measured person.
    package var subject: RosterID?
    /// The resource that `subject` is an id of.
    package var reference: String?
    /// The resource of which a delivery makes a row.
    package var creates: String?
    /// The lanes of a subject that may have two ids: the outbox then chooses `lane` and `after`. Not stored.
    package var subjectLanes: SubjectLanes?
    /// The routes of earlier changes that it overwrites, if it changes or deletes a row that is there already; otherwise empty. Of its
    /// lane, the last one by these routes wins. Not stored.
    package var altering: Set<String> = []
    /// The id was made for this submission, so no other one has it. Not stored.
    package var isOriginal = false
    /// The name of a dropped file, for the event; nil for a submission. Not stored.
    package var file: String?

    package init(
        id: MutationID, destination: Destination, lane: Lane, route: String, fields: [String: JSONValue] = [:], payload: Data? = nil,
        onDead: OnDead = .halt, capturedAt: Date, after: Lane? = nil, supersedes: MutationID? = nil,
        subject: RosterID? = nil, reference: String? = nil, creates: String? = nil, afterSubject: Bool = false,
        subjectLanes: SubjectLanes? = nil
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
        self.subject = subject
        self.reference = reference
        self.creates = creates
        self.afterSubject = afterSubject
        self.subjectLanes = subjectLanes
    }

    /// Whether an entry that failed or is on hold stops its lane.
    package enum OnDead: String, Sendable, Codable, CaseIterable {
        case halt, skip
        /// It does not, but one that keeps failing without blame stays first.
        case skipFailed
    }
}

/// An entry never changes its destination.
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

package struct Account: Hashable, Sendable, Codable {
    package var id: AccountID
    /// The email address or name that people know.
    package var label: String

    package init(id: AccountID, label: String) {
        self.id = id
        self.label = label
    }
}
