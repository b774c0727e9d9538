import Foundation
import Outbox
import SyncModel

/// The only entrance for captures; accepted entries are durable.
package struct Intake: Sendable {
    private let outbox: Outbox
    private let addressing: any Addressing
    private let clock: any SyncClock

    package init(outbox: Outbox, addressing: any Addressing, clock: any SyncClock) {
        self.outbox = outbox
        self.addressing = addressing
        self.clock = clock
    }

    package struct Accepted: Sendable, Equatable {
        package var id: MutationID
        package var enqueued: Enqueued
        package var destination: Destination
        package var lane: Lane
    }

    /// Accepts one submission for the account of `account(at:)`.
    package func accept(
        _ submission: Submission, for account: Account, at backend: String, _ options: EnqueueOptions = EnqueueOptions()
    ) async throws(IntakeError) -> Accepted {
        let (accepted, _) = try await accept(all: [submission], for: account, at: backend, options)
        guard let first = accepted.first else { throw .outbox(.storage("a submission has no result")) }
        return first
    }

    /// Accepts submissions in order, in one transaction: all of them, or none. Answers the question of the options if that costs little.
    package func accept(
        all submissions: [Submission], for account: Account, at backend: String, _ options: EnqueueOptions = EnqueueOptions()
    ) async throws(IntakeError) -> (accepted: [Accepted], standing: Standing?) {
        let now = clock.now
        let owner = Destination(backend: backend, account: account.id)
        var mutations: [Mutation] = []
        for submission in submissions { mutations.append(try mutation(submission, for: owner, at: now)) }
        var options = options
        options.isWhole = mutations.count > 1
        let enqueueing = try await enqueue(mutations, accountLabel: account.label, at: now, options)
        var accepted: [Accepted] = []
        for (mutation, result) in zip(mutations, enqueueing.results) {
            accepted.append(Self.accepted(mutation, try result.mapError(IntakeError.outbox).get()))
        }
        return (accepted, enqueueing.standing)
    }

    /// Accepts mutations in order, with one fsync; each has its own result.
    package func accept(
        _ mutations: [Mutation], accountLabel: String?, at now: Date
    ) async throws(IntakeError) -> [Result<Accepted, IntakeError>] {
        guard !mutations.isEmpty else { return [] }
        let results = try await enqueue(mutations, accountLabel: accountLabel, at: now).results
        return zip(mutations, results).map { mutation, result in
            result.mapError(IntakeError.outbox).map { Self.accepted(mutation, $0) }
        }
    }

    private func enqueue(
        _ mutations: [Mutation], accountLabel: String?, at now: Date, _ options: EnqueueOptions = EnqueueOptions()
    ) async throws(IntakeError) -> Enqueueing {
        let label = accountLabel.flatMap { $0.isEmpty ? nil : $0 }
        do { return try await outbox.enqueue(mutations, accountLabel: label, at: now, options) } catch { throw .outbox(error) }
    }

    /// The results of submissions that were all accepted before, for any account; nil otherwise. Needs no signed-in account, and refuses
    /// other content as `accept` does.
    package func repeated(_ submissions: [Submission], at backend: String) async throws(IntakeError) -> [Accepted]? {
        guard let id = submissions.first?.id else { return nil }
        let entry: Entry?
        do { entry = try await outbox.entry(id)?.entry } catch { throw .outbox(error) }
        guard let account = entry?.destination.account else { return nil }
        let owner = Destination(backend: backend, account: account)
        let now = clock.now
        var mutations: [Mutation] = []
        for submission in submissions { mutations.append(try mutation(submission, for: owner, at: now)) }
        let results: [Enqueued]?
        do { results = try await outbox.repeated(mutations) } catch { throw .outbox(error) }
        return results.map { zip(mutations, $0).map { Self.accepted($0, $1) } }
    }

    private static func accepted(_ mutation: Mutation, _ enqueued: Enqueued) -> Accepted {
        let (destination, lane) =
            switch enqueued {
            case .duplicate(_, let stored, let lane): (stored, lane)
            case .new(_, let lane): (mutation.destination, lane ?? mutation.lane)
            }
        return Accepted(id: mutation.id, enqueued: enqueued, destination: destination, lane: lane)
    }

    /// `name` is a backend, or nil for the only one.
    package func account(at name: String?) async throws(IntakeError) -> (backend: String, account: Account) {
        let known = addressing.backends.sorted()
        guard let backend = name ?? (known.count == 1 ? known.first : nil) else { throw .backendNotNamed(known: known) }
        guard known.contains(backend) else { throw .unknownBackend(backend, known: known) }
        guard let account = await addressing.account(at: backend) else { throw .signInRequired(backend: backend) }
        return (backend, account)
    }

    func isKnown(_ backend: String) -> Bool { addressing.backends.contains(backend) }

    func label(of owner: Destination) async -> String? {
        guard let account = await addressing.account(at: owner.backend), account.id == owner.account else { return nil }
        return account.label
    }

    /// The submission with its account, its lanes and an id.
    package func mutation(_ submission: Submission, for owner: Destination, at now: Date) throws(IntakeError) -> Mutation {
        let limit = Mutation.largestPayload
        if let size = submission.payload?.count, size > limit { throw .tooLarge(size: size, limit: limit) }
        var generator = SystemRandomNumberGenerator()
        let id = submission.id ?? MutationID(at: now, using: &generator)
        do { return try addressing.mutation(submission, as: id, for: owner, at: now) } catch { throw .notUnderstood(error.message) }
    }
}

/// Why a submission was rejected. Nothing was stored.
package enum IntakeError: Error, Sendable, Equatable {
    case unknownBackend(String, known: [String])
    case backendNotNamed(known: [String])
    case signInRequired(backend: String)
    /// A sentence that names the expected form.
    case notUnderstood(String)
    /// Bytes.
    case tooLarge(size: Int, limit: Int)
    case outbox(OutboxError)
}
