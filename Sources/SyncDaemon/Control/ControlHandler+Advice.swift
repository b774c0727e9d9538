import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

extension ControlHandler {
    /// Advice before the store is asked. Nil for a submission without a subject. `isStrict`: the caller wanted the check.
    func draft(
        on submission: Capture.Submission, of owner: Destination, as session: SessionSnapshot, isStrict: Bool
    ) -> AdviceDraft? {
        guard let backend = keepers[owner.backend]?.backend, let (field, resource) = backend.subjectField(route: submission.route),
            let id = backend.subject(route: submission.route, fields: submission.fields)
        else { return nil }
        var advice = Advice(
            subject: SubjectReport(resource: resource.name, field: field, id: id.rawValue),
            kind: { backend.noun(route: submission.route) }, title: resource.title, maxAge: resource.maxAge,
            moment: Moment(now: clock.now))
        advice.isSignedIn = session.state == .signedIn && session.account?.id == owner.account
        let list = advice.isSignedIn ? RosterKey(destination: owner, resource: resource.name) : nil
        // A correction takes the place of the earlier entry, even before a deletion. A second deletion is harmless, so it has no warning.
        let mayBeDeleted = submission.supersedes == nil && (isStrict || backend.deletes(route: submission.route) == nil)
        return AdviceDraft(
            advice: advice, owner: owner, route: submission.route, id: id, list: list,
            deletions: mayBeDeleted ? backend.deletions(of: resource) : [])
    }

    /// - Parameter draft: nil for a submission without a subject, which needs no advice.
    func advice(_ draft: AdviceDraft?) async throws(OutboxError) -> Advice? {
        guard let draft else { return nil }
        var advice = draft.advice
        if draft.id.reference != nil {
            let subject = Subject(draft.owner, route: draft.route, draft.id)
            advice.subject = try await names(for: ObserverView(seesPeople: true)).report(subject) ?? advice.subject
        }
        let row = RosterID(advice.subject.id)
        let standing = try await outbox.standing(draft.question ?? draft.question(of: row))
        if let list = draft.list, row.reference == nil {
            try await add(standing.list, of: list, createdBy: draft.id.reference, to: &advice)
        }
        advice.deletion = standing.deletion
        return advice
    }

    /// Adds the facts of the list, and of the deliveries since it was read, about a row of the server.
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
        guard let create, !isDeleted else { return }
        guard let head = advice.head else {
            advice.isNewerThanList = true
            return
        }
        // Also after a restart, and for a row without a name.
        guard advice.subject.label == nil, let receipt = try await outbox.receipt(create) else { return }
        advice.isNewerThanList = head.beganAt <= receipt.settledAt
    }

    /// Throws for an id that is not listed, or whose row will be deleted, unless the submission is invalid or already accepted.
    func refuse(_ submission: Capture.Submission, at name: String, _ advice: Advice?) async throws {
        guard let advice, let backend = keepers[name]?.backend, let (_, resource) = backend.subjectField(route: submission.route) else {
            return
        }
        let problem: Problem
        switch advice.result {
        case .listed, .unchecked: return
        case .deleted(let sentence):
            problem = .beingDeleted(sentence, by: backend.deletes(route: submission.route) == nil ? advice.deletion : nil)
        case .unlisted(let sentence): problem = .unlisted(sentence, in: resource, commands(for: name))
        }
        if let id = submission.id, try await outbox.entry(id) != nil { return }
        // `try?`: the intake reports it.
        guard (try? backend.check(route: submission.route, fields: submission.fields, payload: submission.payload)) != nil else { return }
        throw problem
    }
}

/// Advice without the facts of the store.
struct AdviceDraft {
    let advice: Advice
    let owner: Destination
    let route: String
    let id: RosterID
    let list: RosterKey?
    let deletions: [String]
    /// Nil for a reference, whose row may have an id of the server by now.
    let question: StandingQuestion?

    init(advice: Advice, owner: Destination, route: String, id: RosterID, list: RosterKey?, deletions: [String]) {
        (self.advice, self.owner, self.route, self.id, self.list, self.deletions) = (advice, owner, route, id, list, deletions)
        question = id.reference == nil ? StandingQuestion(of: id, in: list, deletedBy: deletions, at: owner) : nil
    }

    /// No list has a row that is not created yet.
    func question(of id: RosterID) -> StandingQuestion {
        StandingQuestion(of: id, in: id.reference == nil ? list : nil, deletedBy: deletions, at: owner)
    }
}

extension Problem {
    fileprivate static func unlisted(_ sentence: String, in resource: Resource, _ commands: NextCommands) -> Problem {
        func command(_ option: String) -> String { commands.roster(resource.name, resource.title.many, option) }
        return Problem(
            .notListed, status: 409, title: "Not in the list", detail: "Nothing was accepted: \(sentence)",
            next: "To find the id, run: \(command("--find TEXT"))\nTo read the list again, run: \(command("--refresh"))"
        ).stating(.unlisted) { $0.title = RosterTitle(resource.title) }
    }

    /// - Parameter deletion: nil for a second one, which wants the same.
    fileprivate static func beingDeleted(_ sentence: String, by deletion: MutationID?) -> Problem {
        Problem(
            .notListed, status: 409, title: "Being deleted", detail: "Nothing was accepted: \(sentence)",
            next: deletion.map { "To cancel the deletion, an administrator runs: homing discard \($0)" }
        ).stating(.beingDeleted)
    }
}
