import Foundation
import SyncModel

/// A mutation as submitted, before its account and lane are known.
package struct Submission: Sendable, Equatable {
    package var route: String
    /// The client's id; nil to mint one.
    package var id: MutationID?
    package var fields: [String: JSONValue]
    /// JSON, sent byte for byte.
    package var payload: Data?
    /// True if a second entry, accepted with this one, has the payload.
    package var hasFollower = false
    package var supersedes: MutationID?
    /// From the file or the caller; nil for the time of acceptance.
    package var capturedAt: Date?
    /// The name of a dropped file, for the event; nil for a submission.
    package var file: String?

    package init(
        route: String, id: MutationID? = nil, fields: [String: JSONValue] = [:], payload: Data? = nil,
        supersedes: MutationID? = nil, capturedAt: Date? = nil
    ) {
        self.route = route
        self.id = id
        self.fields = fields
        self.payload = payload
        self.supersedes = supersedes
        self.capturedAt = capturedAt
    }
}

/// The intake's view of the backends.
package protocol Addressing: Sendable {
    var backends: [String] { get }
    /// Set even offline or with an expired session; nil if signed out.
    func account(at backend: String) async -> Account?
    /// The error names the expected form.
    func address(_ submission: Submission, at backend: String) throws(Failure) -> Address
}

package struct Address: Sendable, Equatable {
    package var lane: Lane
    /// When the entry is dead or held.
    package var onDead: Mutation.OnDead
    /// A lane whose earlier entries must be delivered first.
    package var after: Lane?
    /// True if earlier entries need only be tried; see `Mutation.isBehind`.
    package var isBehind = false
    package var subject: RosterID?
    package var creates: String?
    package var reference: String?
    package var afterSubject: Bool
    package var subjectLanes: SubjectLanes?

    package init(
        lane: Lane, onDead: Mutation.OnDead, after: Lane? = nil, subject: RosterID? = nil, creates: String? = nil, reference: String? = nil,
        afterSubject: Bool = false, subjectLanes: SubjectLanes? = nil
    ) {
        self.lane = lane
        self.onDead = onDead
        self.after = after
        self.subject = subject
        self.creates = creates
        self.reference = reference
        self.afterSubject = afterSubject
        self.subjectLanes = subjectLanes
    }
}
