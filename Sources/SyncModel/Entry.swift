import Foundation

/// A row of the outbox.
package struct Entry: Hashable, Sendable {
    /// Unique order of acceptance, and of delivery within a lane.
    package var sequence: Int64
    package var mutation: Mutation
    package var state: State
    package var holdReason: HoldReason?
    /// Not sent before this time.
    package var dueAt: Date
    /// Counted failed sends: at most `RetryPolicy.attempts`.
    package var attempts: Int
    package var releases: Int
    /// Failed look-ups since the last send with unknown outcome.
    package var looks: Int
    /// Daemon crashes while it was in flight.
    package var crashes: Int
    /// An earlier send may have taken effect: look it up before sending again.
    package var uncertain: Bool
    package var countedAt: Date?
    package var triedAt: Date?
    package var failedAt: Date?
    package var acceptedAt: Date
    /// Start of the first send with unknown outcome; nil unless `uncertain`.
    package var uncertainSince: Date?
    /// End of the last send with unknown outcome.
    package var doubtedAt: Date?
    /// The number of sends with unknown outcome in the entry's life.
    package var doubts: Int
    /// Later entries go first if the lane may skip.
    package var isAside: Bool

    package init(
        sequence: Int64, mutation: Mutation, state: State = .pending, holdReason: HoldReason? = nil, dueAt: Date, attempts: Int = 0,
        releases: Int = 0, looks: Int = 0, crashes: Int = 0, uncertain: Bool = false, countedAt: Date? = nil, triedAt: Date? = nil,
        failedAt: Date? = nil, acceptedAt: Date? = nil,
        uncertainSince: Date? = nil, doubtedAt: Date? = nil, doubts: Int = 0, isAside: Bool = false
    ) {
        self.sequence = sequence
        self.mutation = mutation
        self.state = state
        self.holdReason = holdReason
        self.dueAt = dueAt
        self.attempts = attempts
        self.releases = releases
        self.looks = looks
        self.crashes = crashes
        self.uncertain = uncertain
        self.countedAt = countedAt
        self.triedAt = triedAt
        self.failedAt = failedAt
        self.acceptedAt = acceptedAt ?? mutation.capturedAt
        self.uncertainSince = uncertainSince
        self.doubtedAt = doubtedAt
        self.doubts = doubts
        self.isAside = isAside
    }

    package var id: MutationID { mutation.id }

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
    case poison
    /// The stored data cannot be read.
    case quarantine
    /// The profile changed, so it cannot become a request.
    case profile
    /// A person put it on hold.
    case `operator`
}
