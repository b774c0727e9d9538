import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

extension ControlHandler {
    /// Advice before the store is asked, on each row that the submission refers to. `isStrict`: the caller wanted the check.
    func drafts(
        on submission: Capture.Submission, of owner: Destination, as session: SessionSnapshot, isStrict: Bool
    ) -> [AdviceDraft] {
        guard let backend = keepers[owner.backend]?.backend else { return [] }
        let isSignedIn = session.state == .signedIn && session.account?.id == owner.account
        let fields = backend.referenceFields(route: submission.route)
        return fields.compactMap { field, resource -> AdviceDraft? in
            guard let id = submission.fields[field]?.text.map({ RosterID($0) }) else { return nil }
            let isSubject = field == fields.first?.field
            // The intake refuses a reference to an entry in another field.
            guard isSubject || id.reference == nil else { return nil }
            var advice = Advice(
                subject: SubjectReport(resource: resource.name, field: field, id: id.rawValue),
                kind: { backend.noun(route: submission.route) }, title: resource.title, maxAge: resource.maxAge,
                moment: Moment(now: clock.now))
            (advice.isSubject, advice.isSignedIn) = (isSubject, isSignedIn)
            // A correction takes the place of the earlier entry, even before a deletion.
            // A second deletion is harmless, so it has no warning.
            let isHarmless = !isStrict && backend.deletes(route: submission.route) == resource.name
            return AdviceDraft(
                advice: advice, owner: owner, route: submission.route, id: id,
                list: isSignedIn ? RosterKey(destination: owner, resource: resource.name) : nil,
                deletions: submission.supersedes == nil && !isHarmless ? backend.deletions(of: resource) : [])
        }
    }

    func advice(_ drafts: [AdviceDraft]) async throws(OutboxError) -> [Advice] {
        var all: [Advice] = []
        for draft in drafts { all.append(try await advice(draft, nil)) }
        return all
    }

    /// For an entry that is accepted.
    ///
    /// - Parameter known: the answer to the first draft's question; nil to ask the store.
    func advice(accepted drafts: [AdviceDraft], _ known: Standing? = nil) async -> [Advice] {
        var all: [Advice] = []
        for (index, draft) in drafts.enumerated() {
            // `try?`: only the name of this row is missing then.
            if let advice = try? await advice(draft, index == 0 ? known : nil) { all.append(advice) }
        }
        return all
    }

    private func advice(_ draft: AdviceDraft, _ known: Standing?) async throws(OutboxError) -> Advice {
        var advice = draft.advice
        if draft.id.reference != nil {
            let subject = Subject(draft.owner, route: draft.route, draft.id)
            advice.subject = try await names(for: ObserverView(seesPeople: true)).report(subject) ?? advice.subject
        }
        let row = RosterID(advice.subject.id)
        let standing = if let known { known } else { try await outbox.standing(draft.question(of: row)) }
        if let list = draft.list, row.reference == nil {
            try await add(standing.list, of: list, createdBy: draft.id.reference, to: &advice)
        }
        advice.deletion = standing.deletion
        return advice
    }

    /// Adds the facts of the list, and of the deliveries since it was read, about a row of the server. `create` is nil for a plain id.
    private func add(
        _ found: (head: RosterHead, label: String?)?, of list: RosterKey, createdBy create: MutationID?, to advice: inout Advice
    ) async throws(OutboxError) {
        let row = RosterID(advice.subject.id)
        if let found { (advice.head, advice.subject.label) = (found.head, found.label) }
        var isDeleted = false
        if (advice.head != nil && advice.subject.label == nil) || !rosters.changes(in: list).isEmpty {
            let delivered = try await names(for: ObserverView(seesPeople: true)).delivered(in: list)
            isDeleted = delivered.deleted.contains(row)
            advice.subject.label = isDeleted ? nil : delivered.created[row]?.label ?? advice.subject.label
        }
        guard !isDeleted else { return }
        guard let head = advice.head else {
            advice.isNewerThanList = create != nil
            return
        }
        guard advice.subject.label == nil else { return }
        // Also after a restart, for a row without a name, and for its plain id.
        var source = create
        if source == nil { source = try await outbox.reference(to: row, of: list.resource, at: list.destination) }
        guard let maker = source, let receipt = try await outbox.receipt(maker) else { return }
        advice.isNewerThanList = head.beganAt <= receipt.settledAt
    }

    /// Throws for ids that are not listed, or whose rows will be deleted, unless the submission is invalid or already accepted.
    func refuse(_ submission: Capture.Submission, at name: String, _ advice: [Advice]) async throws {
        guard let backend = keepers[name]?.backend,
            let problem = Problem.notListed(advice, deleting: backend.deletes(route: submission.route), commands(for: name))
        else { return }
        if let id = submission.id, try await outbox.entry(id) != nil { return }
        // `try?`: the intake reports it.
        guard (try? backend.check(route: submission.route, fields: submission.fields, payload: submission.payload)) != nil else { return }
        throw problem
    }
}
