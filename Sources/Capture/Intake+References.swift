import Outbox
import SyncModel

extension Intake {
    /// Accepts submissions of one account in order, in one transaction: all of them, or none.
    package func accept(
        all submissions: [Submission], for account: Account, at backend: String, by actor: String? = nil
    ) async throws(IntakeError) -> [Accepted] {
        let now = clock.now
        let owner = Destination(backend: backend, account: account.id)
        var mutations: [Mutation] = []
        for submission in submissions { mutations.append(try await mutation(submission, for: owner, at: now)) }
        var accepted: [Accepted] = []
        for result in try await accept(mutations, accountLabel: account.label, by: actor, at: now, isWhole: mutations.count > 1) {
            accepted.append(try result.get())
        }
        return accepted
    }

    /// The lanes and the subject of a submission.
    ///
    /// Entries for a row that an entry creates share a lane, whether they name the row or that entry: the lane of the reference, while it has undelivered
    /// entries, then that of the server's id.
    func address(_ submission: Submission, for owner: Destination) async throws(IntakeError) -> Address {
        var address = try rendered(submission, at: owner)
        guard let subject = address.subject, let resource = address.reference,
            let names = try await bothNames(of: subject, in: resource, at: owner)
        else { return address }
        let asReference = try rendered(submission, at: owner, as: names.reference)
        let asRow = try rendered(submission, at: owner, as: names.row)
        address.lane = try await isOccupied(asReference.lane, at: owner) ? asReference.lane : asRow.lane
        if let after = asReference.after { address.after = try await isOccupied(after, at: owner) ? after : asRow.after }
        return address
    }

    private func rendered(_ submission: Submission, at owner: Destination, as subject: RosterID? = nil) throws(IntakeError) -> Address {
        do { return try addressing.address(submission, at: owner.backend, as: subject) } catch { throw .notUnderstood(error.message) }
    }

    /// The reference and the server's id of a row that an entry has created; nil for any other row, and until then.
    private func bothNames(
        of subject: RosterID, in resource: String, at owner: Destination
    ) async throws(IntakeError) -> (reference: RosterID, row: RosterID)? {
        do {
            guard let create = subject.reference else {
                let create = try await outbox.reference(to: subject, of: resource, at: owner)
                return create.map { (RosterID(createdBy: $0), subject) }
            }
            guard case .row(let row)? = try await outbox.binding(of: create, at: owner) else { return nil }
            return (subject, row)
        } catch {
            throw .outbox(error)
        }
    }

    private func isOccupied(_ lane: Lane, at owner: Destination) async throws(IntakeError) -> Bool {
        do { return try await outbox.isOccupied(lane, at: owner) } catch { throw .outbox(error) }
    }
}
