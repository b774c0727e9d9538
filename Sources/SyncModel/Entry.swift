import Foundation

/// A mutation's row in the outbox.
package struct Entry: Hashable, Sendable {
    /// The order of acceptance, for ever unique; within a lane also the order of delivery.
    package var sequence: Int64
    package var mutation: Mutation
    package var state: State
    package var holdReason: HoldReason?
    /// Not to be sent before this moment.
    package var dueAt: Date
    /// Sends that a backend which was well could not take: at most `RetryPolicy.attempts`.
    package var attempts: Int
    /// Times the entry was handed back without counting.
    package var releases: Int
    /// Look-ups that brought no answer since the last send whose effect is not known; 0 where `uncertain` is false.
    package var looks: Int
    /// Runs of the daemon that crashed while this entry was in flight.
    package var crashes: Int
    /// Bytes were sent and their effect is not known: look before sending again.
    package var uncertain: Bool
    /// When a send last counted; nil before the first.
    package var countedAt: Date?
    /// When it was last tried; nil before the first time.
    package var triedAt: Date?
    /// When a send of it last failed; nil before the first.
    package var failedAt: Date?
    /// When this store accepted it.
    package var acceptedAt: Date
    /// When the first send began whose effect is not known; nil where `uncertain` is false.
    package var uncertainSince: Date?
    /// When the last of them ended.
    package var doubtedAt: Date?
    /// How many there were in the entry's life.
    package var doubts: Int
    /// It failed while nothing of its route got through, or cannot be looked up: where its lane may skip it, later entries go first.
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

    /// `pending → inflight → delivered`; back to `pending` by retry or release; `dead`, `held`, and `discarded` by a person.
    package enum State: String, Sendable, Codable, CaseIterable { case pending, inflight, delivered, dead, held, discarded }
}

/// Why an entry waits for somebody.
package enum HoldReason: String, Sendable, Codable, CaseIterable {
    /// The backend denied it to this account.
    case forbidden
    /// It may or may not have taken effect, it cannot be looked up, and its route forbids sending it twice.
    case unknownOutcome
    /// What it depends on has not been delivered.
    case dependency
    /// The daemon crashed three times while it was in flight.
    case poison
    /// It cannot be read back as it was stored.
    case quarantine
    /// Its profile has changed, so that it cannot be turned into a request any more.
    case profile
    /// A person put it aside.
    case `operator`
}
