/// A guarantee taken away, which the simulation has to notice: the negative controls.
package enum Sabotage: String, Codable, Sendable, CaseIterable {
    /// The courier sends again what may have arrived without looking for it.
    case sendsWithoutLooking
    /// Every fifth time that the core asks to be woken is forgotten.
    case forgetsTimers
    /// Being offline counts as an attempt.
    case countsOffline
    /// After a crash, the new run goes on under the epoch of the old one.
    case keepsEpoch
    /// The courier sends under whoever is signed in.
    case mixesAccounts
    /// What was claimed and not sent because of a crash is forgotten by the backend's ledger: an answer without an effect.
    case answersWithoutEffect

    package var without: String {
        switch self {
        case .sendsWithoutLooking: "looking for what may have arrived before it is sent again"
        case .forgetsTimers: "every fifth timer"
        case .countsOffline: "the rule that being offline is no attempt"
        case .keepsEpoch: "a new epoch for each run"
        case .mixesAccounts: "the courier's look at whose entry it is"
        case .answersWithoutEffect: "the effect of one accepted send in ten"
        }
    }
}
