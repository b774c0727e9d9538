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

    /// Accepts one submission for the signed-in account.
    ///
    /// - Parameter actor: the submitting user, for the events.
    package func accept(_ submission: Submission, by actor: String? = nil) async throws(IntakeError) -> Accepted {
        let account = try await account(for: submission).account
        guard let accepted = try await accept([submission], for: account, by: actor).first else {
            throw .outbox(.storage("a submission has no result"))
        }
        return try accepted.get()
    }

    /// Accepts submissions in order with one fsync; each has its own result. Returns after the fsync.
    package func accept(
        _ submissions: [Submission], for account: Account, by actor: String? = nil
    ) async throws(IntakeError) -> [Result<Accepted, IntakeError>] {
        var outcomes: [Result<Accepted, IntakeError>?] = []
        var mutations: [Mutation] = []
        let now = clock.now
        for submission in submissions {
            do throws(IntakeError) {
                mutations.append(try mutation(submission, account, now))
                outcomes.append(nil)
            } catch {
                outcomes.append(.failure(error))
            }
        }
        let results: [Result<Enqueued, OutboxError>]
        do {
            results =
                mutations.isEmpty
                ? []
                : try await outbox.enqueue(mutations, accountLabel: account.label.isEmpty ? nil : account.label, by: actor, at: now)
        } catch {
            throw .outbox(error)
        }
        var written = zip(mutations, results).makeIterator()
        return outcomes.compactMap { outcome in
            if let outcome { return outcome }
            guard let (mutation, result) = written.next() else { return nil }
            return result.mapError(IntakeError.outbox).map { enqueued in
                let (destination, lane) =
                    if case .duplicate(_, let stored, let lane) = enqueued { (stored, lane) } else { (mutation.destination, mutation.lane) }
                return Accepted(id: mutation.id, enqueued: enqueued, destination: destination, lane: lane)
            }
        }
    }

    package func account(for submission: Submission) async throws(IntakeError) -> (backend: String, account: Account) {
        let backend = try backend(of: submission)
        guard let account = await addressing.account(at: backend) else { throw .signInRequired(backend: backend) }
        return (backend, account)
    }

    private func backend(of submission: Submission) throws(IntakeError) -> String {
        let known = addressing.backends.sorted()
        if let named = submission.backend {
            guard known.contains(named) else { throw .unknownBackend(named, known: known) }
            return named
        }
        guard known.count == 1, let only = known.first else { throw .backendNotNamed(known: known) }
        return only
    }

    private func mutation(_ submission: Submission, _ account: Account, _ now: Date) throws(IntakeError) -> Mutation {
        let backend = try backend(of: submission)
        let limit = Intake.largestDocument
        if let size = submission.payload?.count, size > limit { throw .tooLarge(size: size, limit: limit) }
        let address: Address
        do { address = try addressing.address(submission, at: backend) } catch { throw .notUnderstood(error.message) }
        var generator = SystemRandomNumberGenerator()
        return Mutation(
            id: submission.id ?? MutationID(at: now, using: &generator), destination: Destination(backend: backend, account: account.id),
            lane: address.lane, route: submission.route, fields: submission.fields, payload: submission.payload, onDead: address.onDead,
            capturedAt: submission.capturedAt?.asCaptureTime(at: now) ?? now, after: address.after, supersedes: submission.supersedes)
    }

    /// 32 MiB.
    package static let largestDocument = 32 << 20
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
