import Foundation
import SyncModel

/// A mutation as it is handed in, before it is known whose it is.
package struct Submission: Sendable, Equatable {
    /// The profile's name; nil where one backend is configured.
    package var backend: String?
    package var route: String
    /// The client's own id; nil to have one minted.
    package var id: MutationID?
    package var fields: [String: JSONValue]
    /// JSON, sent byte for byte as it is.
    package var payload: Data?
    package var supersedes: MutationID?
    /// As the file or the caller says; nil for the moment in which it is accepted.
    package var capturedAt: Date?

    package init(
        backend: String? = nil, route: String, id: MutationID? = nil, fields: [String: JSONValue] = [:], payload: Data? = nil,
        supersedes: MutationID? = nil, capturedAt: Date? = nil
    ) {
        self.backend = backend
        self.route = route
        self.id = id
        self.fields = fields
        self.payload = payload
        self.supersedes = supersedes
        self.capturedAt = capturedAt
    }
}

/// What the intake has to know of the backends: which there are, who is signed in, what their routes want.
package protocol Addressing: Sendable {
    /// The profiles' names.
    var backends: [String] { get }
    /// To whom a capture belongs now: whoever is signed in, also when the session has expired, also offline; nil for nobody.
    func account(at backend: String) async -> Account?
    /// Where the submission waits, or what is wrong with it, as a sentence that says what was expected.
    func address(_ submission: Submission, at backend: String) throws(Failure) -> Address
}

/// Where an entry waits, by its route.
package struct Address: Sendable, Equatable {
    package var lane: Lane
    /// What becomes of the lane when the entry is dead or held.
    package var onDead: Mutation.OnDead
    /// The lane whose earlier entries have to be delivered before it is sent; nil for none.
    package var after: Lane?

    package init(lane: Lane, onDead: Mutation.OnDead, after: Lane? = nil) {
        self.lane = lane
        self.onDead = onDead
        self.after = after
    }
}
