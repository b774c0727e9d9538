import SyncModel

extension Intake {
    /// Accepts submissions of one account in order, in one transaction: all of them, or none.
    package func accept(
        all submissions: [Submission], for account: Account, at backend: String, by actor: String? = nil
    ) async throws(IntakeError) -> [Accepted] {
        let now = clock.now
        let owner = Destination(backend: backend, account: account.id)
        var mutations: [Mutation] = []
        for submission in submissions { mutations.append(try mutation(submission, for: owner, at: now)) }
        var accepted: [Accepted] = []
        for result in try await accept(mutations, accountLabel: account.label, by: actor, at: now, isWhole: mutations.count > 1) {
            accepted.append(try result.get())
        }
        return accepted
    }
}
