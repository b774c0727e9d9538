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
    func submit(_ request: ControlAPI.Submission, by peer: Peer) async throws(Problem) -> SubmissionReceipt {
        // The intake reports an ambiguous backend.
        let backend = request.backend.flatMap { keepers[$0] } ?? (keepers.count == 1 ? keepers.values.first : nil)
        let submission = Capture.Submission(
            backend: request.backend, route: request.route, id: try request.id.map { text throws(Problem) in try id(text) },
            fields: backend?.backend.fields(request.fields, route: request.route) ?? [:], payload: request.payload,
            supersedes: try request.supersedes.map { text throws(Problem) in try id(text) }, capturedAt: request.capturedAt)
        let accepted: Intake.Accepted
        do { accepted = try await intake.accept(submission, by: peer.description) } catch { throw Problem(error, commands: commands(for:)) }
        var isDuplicate = false
        if case .duplicate = accepted.enqueued { isDuplicate = true }
        return SubmissionReceipt(
            id: accepted.id.description, sequence: accepted.enqueued.sequence, duplicate: isDuplicate,
            backend: accepted.destination.backend,
            account: accepted.destination.account.rawValue, lane: accepted.lane.rawValue,
            sha256: request.payload.map { Vault.digest($0).hex })
    }

    func entries(_ request: EntryQuery, by peer: Peer) async throws(Problem) -> EntryPage {
        let records = try await stored { () throws(OutboxError) in
            try await outbox.entries(
                state: request.state.flatMap(Entry.State.init), backend: request.backend, after: request.after, limit: request.limit)
        }
        if records.isEmpty, let named = request.backend { _ = try keeper(named) }
        return EntryPage(
            entries: records.map(view(of: peer).record).map(summary),
            next: request.after != nil && records.count == request.limit ? records.last?.sequence : nil)
    }

    func entry(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntryDetail {
        let found = try await found(try await id(named: request.id))
        let blocker = try await blocker(of: found.record)
        let fields = try await identifyingFields(of: found.record)
        let receipt = try await stored { () throws(OutboxError) in try await outbox.receipt(found.record.id) }
        let view = view(of: peer)
        return EntryDetail(
            entry: summary(view.record(found.record)),
            attempts: found.attempts.map {
                AttemptSummary(
                    startedAt: $0.startedAt, endedAt: $0.endedAt, verdict: $0.verdict, counted: $0.counted, status: $0.status,
                    message: view.words($0.message, status: $0.status, at: found.record.destination.backend))
            }, fields: fields.isEmpty ? nil : fields, behind: blocker?.id.description, altered: receipt?.altered)
    }

    /// The entry that a pending one waits behind; nil for none.
    private func blocker(of record: EntryRecord) async throws(Problem) -> EntryRecord? {
        guard record.state == .pending else { return nil }
        return try await stored { () throws(OutboxError) in
            if let head = try await outbox.head(of: record.lane, at: record.destination), head.sequence < record.sequence { return head }
            guard let parent = record.parent, let first = try await outbox.entry(sequence: parent) else { return nil }
            return first.state == .delivered || first.state == .discarded ? nil : first
        }
    }

    private func identifyingFields(of record: EntryRecord) async throws(Problem) -> [String: String] {
        guard let backend = keepers[record.destination.backend]?.backend else { return [:] }
        let fields = try await stored { () throws(OutboxError) in try await outbox.fields(of: record.id) }
        return backend.identifyingFields(of: fields ?? [:], route: record.route)
    }

    func why(_ request: EntryReference, by peer: Peer) async throws(Problem) -> ControlAPI.Explanation {
        let view = view(of: peer)
        let record = view.record(try await found(try await id(named: request.id)).record)
        let backend = record.destination.backend
        var reasons = try await stored { () throws(OutboxError) in
            Reasons(
                ahead: try await outbox.ahead(of: record),
                receipt: try await outbox.receipt(record.id),
                owner: view.labels(try await outbox.accountLabels())[record.destination] ?? "account \(record.destination.account)",
                canLookUp: canLookUp(record), attempts: dispatcher.attempts, moment: Moment(now: clock.now))
        }
        reasons.blocker = try await blocker(of: record)
        reasons.fields = try await identifyingFields(of: record)
        if var gate = dispatcher.routeGates(of: backend)[record.route] {
            gate.failure = view.failure(gate.failure, at: backend)
            reasons.routeGate = gate
        }
        reasons.pause = try await pauses()[backend].map(PauseReport.init)
        reasons.gate = dispatcher.gates[backend].map { view.gate($0, at: backend) }
        if let keeper = keepers[backend] { reasons.session = view.session(await keeper.snapshot) }
        reasons.hasProfile = keepers[backend] != nil
        reasons.commands = commands(for: backend)
        if !SessionKeeper.namesItsServer(record.destination.account) { reasons.formerAddress = keepers[backend]?.foreignTo }
        reasons.isDiskFull = try await stored { () throws(OutboxError) in try await outbox.room() } == .nothingLeft
        let (sentence, next) = reasons.explain(record)
        return ControlAPI.Explanation(id: record.id.description, state: record.state.rawValue, sentence: sentence, next: next)
    }

    func retry(_ request: RetryRequest, by peer: Peer) async throws(Problem) -> EntrySummary {
        let id = try await id(named: request.id)
        let record = try await found(id).record
        try await stored { () throws(OutboxError) in
            try await outbox.retry(
                id, forgetsDoubt: request.withoutLooking || !canLookUp(record), by: peer.description, named: UserName(peer.uid).short,
                at: clock.now)
        }
        return summary(try await found(id).record)
    }

    func discard(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntrySummary {
        let id = try await id(named: request.id)
        try await stored { () throws(OutboxError) in
            try await outbox.discard(id, by: peer.description, named: UserName(peer.uid).short, at: clock.now)
        }
        return summary(try await found(id).record)
    }

    private func found(_ id: MutationID) async throws(Problem) -> (record: EntryRecord, attempts: [AttemptRow]) {
        guard let found = try await stored({ () throws(OutboxError) in try await outbox.entry(id) }) else { throw Problem(.notFound(id)) }
        return found
    }

    /// The id of the entry that `text` names: an id, known or not, a number, or a part of an id.
    func id(named text: String) async throws(Problem) -> MutationID {
        guard let name = EntryName(text) else { throw .notAName(text) }
        return try await stored { () throws(OutboxError) in try await outbox.id(named: name) }
    }

    private func id(_ text: String) throws(Problem) -> MutationID {
        guard let id = MutationID(text) else {
            throw .invalid("‘\(text)’ is not an id; expected a UUID like 0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b.")
        }
        return id
    }

    private func canLookUp(_ record: EntryRecord) -> Bool {
        keepers[record.destination.backend]?.backend.canLookUp(route: record.route) ?? false
    }

    private func summary(_ record: EntryRecord) -> EntrySummary {
        EntrySummary(
            sequence: record.sequence, id: record.id.description, backend: record.destination.backend,
            account: record.destination.account.rawValue,
            route: record.route, lane: record.lane.rawValue, state: record.state.rawValue, holdReason: record.holdReason?.rawValue,
            capturedAt: record.capturedAt, dueAt: record.dueAt, settledAt: record.settledAt, attempts: record.attempts,
            releases: record.releases, uncertain: record.uncertain, canBeLookedUp: canLookUp(record), size: record.size,
            remoteID: record.remoteID, lastStatus: record.lastStatus, lastError: record.lastError,
            acceptedAt: record.acceptedAt)
    }
}
