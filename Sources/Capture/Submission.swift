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

    /// The mutation with this content, accepted at `now`; the caller adds the order beside its lane.
    package func mutation(as id: MutationID, for owner: Destination, in lane: Lane, at now: Date) -> Mutation {
        var mutation = Mutation(
            id: id, destination: owner, lane: lane, route: route, fields: fields, payload: payload,
            capturedAt: capturedAt?.asCaptureTime(at: now) ?? now, supersedes: supersedes)
        mutation.hasFollower = hasFollower
        mutation.isOriginal = self.id == nil
        mutation.file = file
        return mutation
    }
}

/// The intake's view of the backends.
package protocol Addressing: Sendable {
    var backends: [String] { get }
    /// Set even offline or with an expired session; nil if signed out.
    func account(at backend: String) async -> Account?
    /// The submission as a mutation with the given id, in the lane and order that the owner's backend declares. The error names the
    /// expected form.
    func mutation(_ submission: Submission, as id: MutationID, for owner: Destination, at now: Date) throws(Failure) -> Mutation
}
