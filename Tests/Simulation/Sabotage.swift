/// Negative controls: missing guarantees that the simulation must notice.
package enum Sabotage: String, Codable, Sendable, CaseIterable {
    /// The courier resends without a look-up.
    case sendsWithoutLooking
    case forgetsTimers
    case countsOffline
    /// A new run after a crash keeps the old epoch.
    case keepsEpoch
    /// The courier sends entries with any signed-in account.
    case mixesAccounts
    /// The sends of every tenth entry are confirmed and have no effect.
    case answersWithoutEffect
    /// Requests name a guessed row.
    case guessesIDs
    /// Entries are stored without their references.
    case forgetsReferences
    /// An entry takes the id of a row from the backend, before the receipt of the create is written.
    case bindsEarly
    /// A replaced entry stays beside the new one.
    case keepsReplaced

    package var without: String {
        switch self {
        case .sendsWithoutLooking: "the look-up before an entry that may have arrived is sent again"
        case .forgetsTimers: "every fifth timer"
        case .countsOffline: "the rule that being offline does not count as an attempt"
        case .keepsEpoch: "a new epoch for each run"
        case .mixesAccounts: "the courier's check of the account of an entry"
        case .answersWithoutEffect: "the effect of one accepted send in ten"
        case .guessesIDs: "the id in the receipt of the create that an entry refers to"
        case .forgetsReferences: "the wait for the create that an entry refers to"
        case .bindsEarly: "the wait for the receipt of a create"
        case .keepsReplaced: "the discard of an entry that is replaced"
        }
    }
}
