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
    /// Returns once the submission is durable.
    func submit(_ request: ControlAPI.Submission, by caller: Caller) async throws -> SubmissionReceipt {
        var submission = Capture.Submission(
            route: request.route, id: try request.id.map { text throws(Problem) in try id(text) }, payload: request.payload,
            supersedes: try request.supersedes.map { text throws(Problem) in try id(text) }, capturedAt: request.capturedAt)
        let all: [Intake.Accepted]
        let advice: [Advice]
        do {
            let keeper = try keeper(request.backend)
            let (backend, session) = (keeper.backend.name, await keeper.snapshot)
            submission.fields = keeper.backend.fields(request.fields, route: request.route)
            if let account = session.owner {
                let owner = Destination(backend: backend, account: account.id)
                let drafts = drafts(on: submission, of: owner, as: session, isStrict: request.strict)
                let early = request.strict ? try await self.advice(drafts) : []
                try await refuse(submission, at: backend, early)
                let options = EnqueueOptions(by: caller.peer.description, answering: request.strict ? nil : drafts.first?.question)
                let standing: Standing?
                (all, standing) = try await intake.accept(all: steps(of: submission, at: backend), for: account, at: backend, options)
                advice = request.strict ? early : await self.advice(accepted: drafts, standing)
            } else {
                all = try await repeated(submission, at: backend)
                let known = all.first.map { drafts(on: submission, of: $0.destination, as: session, isStrict: request.strict) }
                advice = await self.advice(accepted: known ?? [])
            }
        } catch let error as IntakeError {
            if let problem = try await refusal(error, of: submission) { throw problem }
            // `try?`: it was found above.
            let field = (try? keeper(request.backend))?.backend.subjectField(route: request.route)?.field
            throw Problem(error, of: noun(route: request.route), field: field, commands: commands(for:))
        }
        guard let accepted = all.first else { throw OutboxError.storage("a submission has no result") }
        var receipt = receipt(of: accepted, request.payload, advice, isStrict: request.strict)
        receipt.duplicate = all.allSatisfy { if case .duplicate = $0.enqueued { true } else { false } }
        // Not `try?`: without the warning the client would delete its copy.
        if receipt.duplicate {
            for entry in all where receipt.warning == nil { receipt.warning = try await discardWarning(of: entry.id) }
        }
        receipt.then = all.dropFirst().first?.id.description
        // `try?`: the entry is accepted; only the new row is missing then.
        if receipt.then != nil || receipt.subject == nil { receipt.subject = try? await created(by: accepted, route: request.route) }
        return receipt
    }

    /// How answers name a submission: a capture, as the drop folder takes it, or another change.
    func noun(route: String) -> String { route == spool.settings.route ? EntryKind.capture.one : "change" }

    /// While no account is signed in: the earlier results. Throws for a new submission, which would have no account.
    private func repeated(_ submission: Capture.Submission, at backend: String) async throws(IntakeError) -> [Intake.Accepted] {
        guard let known = try await intake.repeated(steps(of: submission, at: backend), at: backend) else {
            throw .signInRequired(backend: backend)
        }
        return known
    }

    /// Nil unless the entry is in the grace of a discard.
    private func discardWarning(of id: MutationID) async throws(OutboxError) -> String? {
        guard let entry = try await outbox.entry(id)?.entry, entry.holdReason == .discarding, let date = entry.discardAt else { return nil }
        let until = Moment(now: clock.now).text(date)
        return "The entry with this id is being discarded, and its payload will be destroyed at \(until). "
            + "Until then, an administrator can undo this: homing undo \(id)"
    }

    func receipt(of accepted: Intake.Accepted, _ payload: Data?, _ advice: [Advice], isStrict: Bool) -> SubmissionReceipt {
        var isDuplicate = false
        if case .duplicate = accepted.enqueued { isDuplicate = true }
        var receipt = SubmissionReceipt(
            id: accepted.id.description, sequence: accepted.enqueued.sequence, duplicate: isDuplicate,
            backend: accepted.destination.backend,
            account: accepted.destination.account.rawValue, lane: accepted.lane.rawValue,
            sha256: payload.map { Vault.digest($0).hex })
        receipt.subject = advice.subject
        receipt.warning = isDuplicate ? nil : advice.warning(isStrict: isStrict)
        return receipt
    }

    func entries(_ request: EntryQuery, by caller: Caller) async throws -> EntryPage {
        var filter = EntryFilter(
            state: request.state.flatMap(Entry.State.init), backend: request.backend, subject: request.user.map { RosterID($0) },
            route: request.route, since: request.since, until: request.until)
        filter.resources = keepers.mapValues(\.backend.people).filter { !$0.value.isEmpty }
        let page = try await outbox.page(of: filter, after: request.after, limit: request.limit)
        let entries = page.entries
        if page.total == 0 { try requireRoute(request.route, at: request.backend) }
        let view = ObserverView(caller)
        let subjects = try await names(for: view).reports(entries.map { Subject($0) })
        let pauses = try await outbox.pauses()
        return EntryPage(
            entries: entries.map { entry in
                var summary = summary(view.entry(entry), Subject(entry).flatMap { subjects[$0] })
                summary.behind = page.blockers[entry.id]?.description
                summary.supersededBy = page.successors[entry.id]?.description
                summary.paused = paused(entry, pauses[entry.destination.backend])
                return summary
            }, next: request.after != nil && entries.count == request.limit ? entries.last?.sequence : nil, total: page.total,
            totalIsLeast: page.totalIsLeast ? true : nil)
    }

    /// Throws for an unknown name: with a typo, it would look as if nothing had been captured.
    private func requireRoute(_ route: String?, at backend: String?) throws(Problem) {
        let searched = try backend.map { name throws(Problem) in [try keeper(name)] } ?? Array(keepers.values)
        let known = Set(searched.flatMap(\.backend.routes)).sorted()
        guard let route, !known.contains(route) else { return }
        throw .notFound("There is no route ‘\(route)’; \(known.isEmpty ? "none is configured" : "configured: \(known.inWords)").")
    }

    func entry(_ request: EntryReference, by caller: Caller) async throws -> EntryDetail {
        let context = try await context(of: id(named: request.id))
        let view = ObserverView(caller)
        let fields = identifyingFields(in: context)
        var summary = summary(view.entry(context.entry), try await names(for: view).report(Subject(context.entry)))
        summary.supersededBy = context.receipt?.supersededBy?.description
        summary.paused = paused(context.entry, context.pause)
        return EntryDetail(
            entry: summary,
            attempts: context.attempts.map {
                AttemptSummary(
                    startedAt: $0.startedAt, endedAt: $0.endedAt, verdict: $0.verdict, counted: $0.counted, status: $0.status,
                    message: view.words($0.message, status: $0.status, at: context.entry.destination.backend))
            }, fields: fields.isEmpty ? nil : fields, behind: context.blocker?.id.description, altered: context.receipt?.altered)
    }

    /// True for an entry that waits for the end of the pause; otherwise nil.
    private func paused(_ entry: Entry, _ pause: Pause?) -> Bool? {
        entry.state == .pending && PauseReport(pause, at: clock.now) != nil ? true : nil
    }

    func why(_ request: EntryReference, by caller: Caller) async throws -> Explanation {
        let view = ObserverView(caller)
        let context = try await context(of: id(named: request.id))
        let entry = view.entry(context.entry)
        let obstacles = try await obstacles(of: entry, context.pause, for: view)
        let list = try await listFacts(of: context, for: view)
        let reasons = try await reasons(about: context, obstacles, list, mayDestroy: caller.mayDestroy, for: view)
        let found = reasons.finding(entry)
        let changes = caller.access >= .operate ? reasons.changes(of: entry) : []
        var why = Explanation(
            id: entry.id.description, state: entry.state.rawValue, subject: reasons.subjectReport, sentence: found.sentence,
            next: found.next.text, needsPerson: found.next.needsPerson, changes: changes.isEmpty ? nil : changes.map(\.rawValue))
        (why.cause, why.facts) = (found.cause.word.rawValue, found.cause.facts)
        return why
    }

    private func reasons(
        about context: EntryContext, _ obstacles: Reasons.Obstacles, _ list: Reasons.ListFacts, mayDestroy: Bool, for view: ObserverView
    ) async throws(OutboxError) -> Reasons {
        let entry = context.entry
        let backend = keepers[entry.destination.backend]?.backend
        let subject = try await names(for: view).report(Subject(entry))
        var note: String?
        if view.seesPeople, entry.state == .discarded || entry.holdReason == .discarding {
            note = try await outbox.discardNote(of: entry.id)
        }
        let owner = view.seesPeople ? context.label : nil
        let rowTitle = subject.flatMap { backend?.resource($0.resource) }?.title.one
        let isFollower = try await create(followedBy: entry) != nil
        let isBlind = backend?.traits(route: entry.route).isBlind == true
        let newer = try await newer(than: entry)
        var reasons = Reasons(
            owner: owner ?? "account \(entry.destination.account)", fields: identifyingFields(in: context), subjectReport: subject,
            rowTitle: rowTitle, isFollower: isFollower, retryMayDuplicate: retryMayDuplicate(entry),
            mayBeTwice: entry.doubts > 0 && isBlind, discardNote: note, receipt: context.receipt, blocker: context.blocker,
            ahead: context.ahead, earlier: context.earlier, later: context.later, newer: newer,
            create: backend == nil ? nil : context.create.map(view.entry), isRowKnown: backend != nil && context.binding != nil,
            dependents: backend == nil ? 0 : context.dependents, route: Reasons.RouteFacts(of: entry.route, at: backend), list: list,
            obstacles: obstacles, commands: commands(for: entry.destination.backend), attempts: dispatcher.attempts,
            mayDestroy: mayDestroy, moment: Moment(now: clock.now))
        reasons.meaning = Reasons.Meaning(of: entry, at: backend, for: reasons)
        return reasons
    }

    private func obstacles(of entry: Entry, _ pause: Pause?, for view: ObserverView) async throws(OutboxError) -> Reasons.Obstacles {
        let backend = entry.destination.backend
        let keeper = keepers[backend]
        let overcome = try await self.overcome(at: backend)
        var routeGate = dispatcher.routeGates(of: backend)[entry.route]
        if routeGate == overcome[entry.route] { routeGate = nil }
        var refusal: Reasons.Refusal?
        if let gate = routeGate {
            refusal = try await self.refusal(behind: gate, for: view)
            routeGate?.failure = view.failure(gate.failure, at: backend)
        }
        var isDiskFull = false
        var lostStore: String?
        switch try await outbox.room() {
        case .nothingLeft: isDiskFull = true
        case .gone(let path): lostStore = path
        case .enough, .diskFull, .overLimit: break
        }
        var session: SessionSnapshot?
        if let keeper { session = view.session(await keeper.snapshot) }
        return Reasons.Obstacles(
            pause: PauseReport(pause, at: clock.now), gate: gate(of: backend, without: overcome).map { view.gate($0, at: backend) },
            routeGate: routeGate, refusal: refusal, session: session,
            formerAddress: entry.destination.account.namesItsServer ? nil : keeper?.foreignTo, isDiskFull: isDiskFull,
            lostStore: lostStore, nextTurn: (overcome[entry.route] ?? closing(backend, of: overcome))?.until)
    }

    /// The server's words about the entry that cools a route; nil if several failed, or the profile has no words. Observers see the status.
    func refusal(behind gate: RouteGate, for view: ObserverView) async throws(OutboxError) -> Reasons.Refusal? {
        guard let entry = try await refused(behind: gate),
            let context = try await outbox.context(of: entry.id), [.pending, .inflight].contains(context.entry.state)
        else { return nil }
        // Only its words count, and a pause, which delays the next try.
        var obstacles = Reasons.Obstacles.none
        obstacles.pause = PauseReport(context.pause, at: clock.now)
        let reasons = try await reasons(about: context, obstacles, .none, mayDestroy: false, for: view)
        var refusal = reasons.refusal(of: context.entry, behind: gate)
        if !view.seesPeople { refusal?.sentence = view.failure(gate.failure, at: entry.destination.backend).message }
        return refusal
    }

    private func context(of id: MutationID) async throws -> EntryContext {
        guard let context = try await outbox.context(of: id) else { throw OutboxError.notFound(id) }
        return context
    }

    private func identifyingFields(in context: EntryContext) -> [String: String] {
        let entry = context.entry
        return keepers[entry.destination.backend]?.backend.identifyingFields(of: context.fields, route: entry.route) ?? [:]
    }

    func retry(_ request: RetryRequest, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        let entry = try await found(id)
        guard request.withoutLooking || !retryMayDuplicate(entry) else { throw Problem.mayDuplicate(entry) }
        try await namingSuccessor(of: id) { () async throws(OutboxError) in
            try await outbox.retry(
                id, forgetsDoubt: request.withoutLooking, by: caller.peer.description, named: UserName(caller.peer.uid).short,
                at: clock.now)
        }
        return try await summary(of: id, for: caller)
    }

    /// Changes an entry. If another one has replaced it, the refusal names that one.
    func namingSuccessor(of id: MutationID, _ change: () async throws(OutboxError) -> Void) async throws {
        do throws(OutboxError) { try await change() } catch {
            guard case .wrongState(id, _) = error, let new = try await outbox.receipt(id)?.supersededBy else { throw error }
            throw Problem.changeOfReplaced(id, by: new)
        }
    }

    /// The entry after a change by the caller.
    func summary(of id: MutationID, for caller: Caller) async throws -> EntrySummary {
        let entry = try await found(id)
        var summary = summary(entry, try await names(for: ObserverView(caller)).report(Subject(entry)))
        summary.overwrites = try await overwritten(by: entry)?.description
        return summary
    }

    /// The newest change that was sent already, although it is newer than this one, which waits or is being sent.
    private func overwritten(by entry: Entry) async throws(OutboxError) -> MutationID? {
        switch entry.state {
        case .pending, .inflight: try await newer(than: entry, isSent: true)
        case .dead, .held, .delivered, .discarded: nil
        }
    }

    /// The newest change in the lane of an undelivered one that overwrites it if sent last; nil for none.
    private func newer(than entry: Entry, isSent: Bool = false) async throws(OutboxError) -> MutationID? {
        guard entry.settledAt == nil, let backend = keepers[entry.destination.backend]?.backend else { return nil }
        return try await outbox.newest(after: entry, by: backend.altering(like: entry.route), isSent: isSent)
    }

    func found(_ id: MutationID) async throws -> Entry {
        guard let found = try await outbox.entry(id) else { throw OutboxError.notFound(id) }
        return found.entry
    }

    /// The id that `text` names: an id, known or not, a number, or a part of an id.
    func id(named text: String) async throws -> MutationID {
        guard let name = EntryName(text) else { throw Problem.notAName(text) }
        return try await outbox.id(named: name)
    }

    func id(_ text: String) throws(Problem) -> MutationID {
        guard let id = MutationID(text) else {
            throw .invalid("‘\(text)’ is not an id; expected a UUID like 0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b.")
        }
        return id
    }

    private func canLookUp(_ entry: Entry) -> Bool {
        keepers[entry.destination.backend]?.backend.canLookUp(route: entry.route) ?? false
    }

    /// True if a resend could make a duplicate that no look-up would find.
    private func retryMayDuplicate(_ entry: Entry) -> Bool {
        let isOpen = [.pending, .dead, .held].contains(entry.state) && entry.holdReason != .discarding
        guard isOpen, entry.mayHaveTakenEffect else { return false }
        guard let traits = keepers[entry.destination.backend]?.backend.traits(route: entry.route) else { return true }
        return traits.isBlind || (!traits.canLookUp && entry.holdReason == .unknownOutcome)
    }

    private func then(_ entry: Entry) -> String? { keepers[entry.destination.backend]?.backend.then(route: entry.route) }

    func summary(_ entry: Entry, _ subject: SubjectReport?) -> EntrySummary {
        var summary = EntrySummary(
            sequence: entry.sequence, id: entry.id.description, backend: entry.destination.backend,
            account: entry.destination.account.rawValue, route: entry.route, lane: entry.lane.rawValue, state: entry.state.rawValue,
            capturedAt: entry.mutation.capturedAt, acceptedAt: entry.acceptedAt)
        summary.title = keepers[entry.destination.backend]?.backend.kind(route: entry.route)
        summary.subject = subject
        summary.holdReason = entry.holdReason?.rawValue
        let isOpen = entry.state != .delivered && entry.state != .discarded
        summary.needs = isOpen && subject?.isNew == true ? entry.mutation.subject?.reference?.description : nil
        let hasThen = isOpen && entry.mutation.creates != nil && then(entry) != nil
        summary.then = hasThen ? entry.id.follower.description : nil
        summary.dueAt = entry.state == .pending ? entry.dueAt : nil
        summary.settledAt = entry.settledAt
        summary.attempts = entry.attempts
        summary.releases = entry.releases
        summary.uncertain = entry.uncertain
        summary.canBeLookedUp = canLookUp(entry)
        summary.retryMayDuplicate = retryMayDuplicate(entry) ? true : nil
        summary.size = entry.size
        summary.remoteID = entry.remoteID
        summary.lastStatus = entry.lastStatus
        summary.lastError = entry.lastError
        summary.discardAt = entry.discardAt
        return summary
    }
}
