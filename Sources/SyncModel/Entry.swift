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
    /// Tries, among the last twenty, that brought no answer since the one that left it open, where the way was not barred; 0 where `uncertain`
    /// is false.
    package var lookUps: Int
    /// Runs of the daemon that crashed while this entry was in flight.
    package var crashes: Int
    /// Bytes were sent and their effect is not known: look before sending again.
    package var uncertain: Bool
    /// When a send last counted; nil before the first.
    package var countedAt: Date?
    /// When a send was last tried; nil before the first.
    package var triedAt: Date?
    /// When the first send began whose effect is not known; nil where `uncertain` is false.
    package var uncertainSince: Date?

    package init(
        sequence: Int64, mutation: Mutation, state: State = .pending, holdReason: HoldReason? = nil, dueAt: Date, attempts: Int = 0,
        releases: Int = 0, lookUps: Int = 0, crashes: Int = 0, uncertain: Bool = false, countedAt: Date? = nil, triedAt: Date? = nil,
        uncertainSince: Date? = nil
    ) {
        self.sequence = sequence
        self.mutation = mutation
        self.state = state
        self.holdReason = holdReason
        self.dueAt = dueAt
        self.attempts = attempts
        self.releases = releases
        self.lookUps = lookUps
        self.crashes = crashes
        self.uncertain = uncertain
        self.countedAt = countedAt
        self.triedAt = triedAt
        self.uncertainSince = uncertainSince
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
    /// A person put it aside.
    case `operator`
}
