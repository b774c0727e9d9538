import Foundation

/// An entry of the outbox. For a delivered or discarded one, only the receipt may be left.
package struct Entry: Hashable, Sendable {
    /// Unique order of acceptance, and of delivery within a lane.
    package var sequence: Int64
    /// The mutation. Fields and payload are empty unless read to send or check the entry.
    package var mutation: Mutation
    package var state: State
    package var holdReason: HoldReason?
    /// The server's id of the subject's row, once its create was delivered. Set by a claim.
    package var bound: RosterID?
    package var acceptedAt: Date
    /// Not sent before this time; nil for at once.
    package var dueAt: Date?
    package var settledAt: Date?
    /// Bytes of the payload.
    package var size = 0
    /// An entry of another lane that must be delivered first.
    package var parent: Int64?
    /// Counted failed sends: at most `RetryPolicy.attempts`.
    package var attempts = 0
    package var releases = 0
    /// Failed look-ups since the last send with unknown outcome; on a route with `row`, consecutive stopped reads.
    package var looks = 0
    /// Daemon crashes while it was in flight.
    package var crashes = 0
    /// An earlier send may have taken effect: look it up before sending again.
    package var uncertain = false
    /// Start of the first send with unknown outcome; nil unless `uncertain`.
    package var uncertainSince: Date?
    /// End of the last send with unknown outcome.
    package var doubtedAt: Date?
    /// Sends with unknown outcome since the last retry.
    package var doubts = 0
    /// It failed several times without blame, or cannot be looked up. Later entries may pass it if the lane allows.
    package var isAside = false
    package var countedAt: Date?
    /// Start of the last send; nil before the first.
    package var triedAt: Date?
    package var failedAt: Date?
    /// Start of the current send, or of the last one.
    package var claimedAt: Date?
    package var lastStatus: Int?
    package var lastReason: Failure.Reason?
    package var lastError: String?
    package var remoteID: String?
    /// The last time a person retried it, and that person.
    package var retriedAt: Date?
    package var retriedBy: String?
    /// When its content is destroyed, and on whose request, while it is held as `discarding`.
    package var discardAt: Date?
    package var discardBy: String?

    package init(sequence: Int64, mutation: Mutation, state: State = .pending, acceptedAt: Date? = nil) {
        self.sequence = sequence
        self.mutation = mutation
        self.state = state
        self.acceptedAt = acceptedAt ?? mutation.capturedAt
    }

    package var id: MutationID { mutation.id }
    package var destination: Destination { mutation.destination }
    package var lane: Lane { mutation.lane }
    package var route: String { mutation.route }

    /// True if a send may have taken effect. A later refusal settles only the send that it answers, not an earlier one with a lost answer.
    package var mayHaveTakenEffect: Bool { uncertain || doubts > 0 || holdReason == .unknownOutcome }

    /// `pending → inflight → delivered`; back to `pending` by retry or release; `dead` and `held`; `discarded` by a person.
    package enum State: String, Sendable, Codable, CaseIterable { case pending, inflight, delivered, dead, held, discarded }
}

package enum HoldReason: String, Sendable, Codable, CaseIterable {
    /// Denied to this account.
    case forbidden
    /// It may have taken effect; a look-up cannot tell, or it must not be sent again.
    case unknownOutcome
    /// An entry it depends on has not been delivered.
    case dependency
    /// The daemon crashed three times during its send.
    case crashes
    /// The stored data cannot be read.
    case unreadable
    /// The profile changed, so it cannot become a request.
    case profile
    /// A person put it on hold.
    case `operator`
    /// A person discarded it. Its content is destroyed at `discardAt`.
    case discarding
}
