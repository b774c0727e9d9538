import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel
import Vault

extension ControlHandler {
    func submit(_ request: ControlAPI.Submission, by caller: Caller) async throws -> SubmissionReceipt {
        var submission = Capture.Submission(
            route: request.route, id: try request.id.map { text throws(Problem) in try id(text) }, payload: request.payload,
            supersedes: try request.supersedes.map { text throws(Problem) in try id(text) }, capturedAt: request.capturedAt)
        let accepted: Intake.Accepted
        do throws(IntakeError) {
            let (backend, account) = try await intake.account(at: request.backend)
            submission.fields = keepers[backend]?.backend.fields(request.fields, route: request.route) ?? [:]
            accepted = try await intake.accept(submission, for: account, at: backend, by: caller.peer.description)
        } catch {
            throw Problem(error, commands: commands(for:))
        }
        var isDuplicate = false
        if case .duplicate = accepted.enqueued { isDuplicate = true }
        return SubmissionReceipt(
            id: accepted.id.description, sequence: accepted.enqueued.sequence, duplicate: isDuplicate,
            backend: accepted.destination.backend,
            account: accepted.destination.account.rawValue, lane: accepted.lane.rawValue,
            sha256: request.payload.map { Vault.digest($0).hex })
    }

    func entries(_ request: EntryQuery, by caller: Caller) async throws -> EntryPage {
        let entries = try await outbox.entries(
            state: request.state.flatMap(Entry.State.init), backend: request.backend, after: request.after, limit: request.limit)
        if entries.isEmpty, let named = request.backend { _ = try keeper(named) }
        return EntryPage(
            entries: entries.map(ObserverView(caller).entry).map(summary),
            next: request.after != nil && entries.count == request.limit ? entries.last?.sequence : nil)
    }

    func entry(_ request: EntryReference, by caller: Caller) async throws -> EntryDetail {
        let (entry, attempts) = try await found(try await id(named: request.id))
        let blocker = try await blocker(of: entry)
        let fields = try await identifyingFields(of: entry)
        let receipt = try await outbox.receipt(entry.id)
        let view = ObserverView(caller)
        return EntryDetail(
            entry: summary(view.entry(entry)),
            attempts: attempts.map {
                AttemptSummary(
                    startedAt: $0.startedAt, endedAt: $0.endedAt, verdict: $0.verdict, counted: $0.counted, status: $0.status,
                    message: view.words($0.message, status: $0.status, at: entry.destination.backend))
            }, fields: fields.isEmpty ? nil : fields, behind: blocker?.id.description, altered: receipt?.altered)
    }

    /// The entry that a pending one waits behind; nil for none.
    private func blocker(of entry: Entry) async throws -> Entry? {
        guard entry.state == .pending else { return nil }
        if let head = try await outbox.head(of: entry.lane, at: entry.destination), head.sequence < entry.sequence { return head }
        guard let parent = entry.parent, let first = try await outbox.entry(sequence: parent) else { return nil }
        return first.state == .delivered || first.state == .discarded ? nil : first
    }

    private func identifyingFields(of entry: Entry) async throws -> [String: String] {
        guard let backend = keepers[entry.destination.backend]?.backend else { return [:] }
        let fields = try await outbox.fields(of: entry.id)
        return backend.identifyingFields(of: fields ?? [:], route: entry.route)
    }

    func why(_ request: EntryReference, by caller: Caller) async throws -> ControlAPI.Explanation {
        let view = ObserverView(caller)
        let entry = view.entry(try await found(try await id(named: request.id)).entry)
        let backend = entry.destination.backend
        var reasons = Reasons(
            ahead: try await outbox.ahead(of: entry),
            receipt: try await outbox.receipt(entry.id),
            owner: view.labels(try await outbox.accountLabels())[entry.destination] ?? "account \(entry.destination.account)",
            canLookUp: canLookUp(entry), attempts: dispatcher.attempts, moment: Moment(now: clock.now))
        reasons.blocker = try await blocker(of: entry)
        reasons.fields = try await identifyingFields(of: entry)
        if var gate = dispatcher.routeGates(of: backend)[entry.route] {
            gate.failure = view.failure(gate.failure, at: backend)
            reasons.routeGate = gate
        }
        reasons.pause = try await pauses()[backend].map(PauseReport.init)
        reasons.gate = dispatcher.gates[backend].map { view.gate($0, at: backend) }
        if let keeper = keepers[backend] { reasons.session = view.session(await keeper.snapshot) }
        reasons.hasProfile = keepers[backend] != nil
        reasons.commands = commands(for: backend)
        if !SessionKeeper.namesItsServer(entry.destination.account) { reasons.formerAddress = keepers[backend]?.foreignTo }
        reasons.isDiskFull = try await outbox.room() == .nothingLeft
        let (sentence, next) = reasons.explain(entry)
        return ControlAPI.Explanation(
            id: entry.id.description, state: entry.state.rawValue, sentence: sentence, next: next.text, needsPerson: next.needsPerson)
    }

    func retry(_ request: RetryRequest, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        let entry = try await found(id).entry
        try await outbox.retry(
            id, forgetsDoubt: request.withoutLooking || !canLookUp(entry), by: caller.peer.description,
            named: UserName(caller.peer.uid).short, at: clock.now)
        return summary(try await found(id).entry)
    }

    func discard(_ request: EntryReference, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        try await outbox.discard(id, by: caller.peer.description, named: UserName(caller.peer.uid).short, at: clock.now)
        return summary(try await found(id).entry)
    }

    private func found(_ id: MutationID) async throws -> (entry: Entry, attempts: [AttemptRecord]) {
        guard let found = try await outbox.entry(id) else { throw OutboxError.notFound(id) }
        return found
    }

    /// The id of the entry that `text` names: an id, known or not, a number, or a part of an id.
    func id(named text: String) async throws -> MutationID {
        guard let name = EntryName(text) else { throw Problem.notAName(text) }
        return try await outbox.id(named: name)
    }

    private func id(_ text: String) throws(Problem) -> MutationID {
        guard let id = MutationID(text) else {
            throw .invalid("‘\(text)’ is not an id; expected a UUID like 0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b.")
        }
        return id
    }

    private func canLookUp(_ entry: Entry) -> Bool {
        keepers[entry.destination.backend]?.backend.canLookUp(route: entry.route) ?? false
    }

    private func summary(_ entry: Entry) -> EntrySummary {
        var summary = EntrySummary(
            sequence: entry.sequence, id: entry.id.description, backend: entry.destination.backend,
            account: entry.destination.account.rawValue, route: entry.route, lane: entry.lane.rawValue, state: entry.state.rawValue,
            capturedAt: entry.mutation.capturedAt, acceptedAt: entry.acceptedAt)
        summary.holdReason = entry.holdReason?.rawValue
        summary.dueAt = entry.state == .pending ? entry.dueAt : nil
        summary.settledAt = entry.settledAt
        summary.attempts = entry.attempts
        summary.releases = entry.releases
        summary.uncertain = entry.uncertain
        summary.canBeLookedUp = canLookUp(entry)
        summary.size = entry.size
        summary.remoteID = entry.remoteID
        summary.lastStatus = entry.lastStatus
        summary.lastError = entry.lastError
        return summary
    }
}
