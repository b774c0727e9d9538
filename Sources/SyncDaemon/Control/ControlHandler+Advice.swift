import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

extension ControlHandler {
    /// Advice before the store is asked. Nil for a submission without a subject.
    func draft(on submission: Capture.Submission, of owner: Destination, as session: SessionSnapshot) -> AdviceDraft? {
        guard let backend = keepers[owner.backend]?.backend, let (field, resource) = backend.subjectField(route: submission.route),
            let id = backend.subject(route: submission.route, fields: submission.fields)
        else { return nil }
        var advice = Advice(
            subject: SubjectReport(resource: resource.name, field: field, id: id.rawValue),
            kind: { backend.noun(route: submission.route) }, title: resource.title, maxAge: resource.maxAge,
            moment: Moment(now: clock.now))
        advice.isSignedIn = session.state == .signedIn && session.account?.id == owner.account
        let list = id.reference == nil && advice.isSignedIn ? RosterKey(destination: owner, resource: resource.name) : nil
        // A correction takes the place of the earlier entry, even before a deletion.
        let mayBeDeleted = backend.deletes(route: submission.route) == nil && submission.supersedes == nil
        return AdviceDraft(
            advice: advice, owner: owner, route: submission.route, id: id, list: list,
            deletions: mayBeDeleted ? backend.deletions(of: resource) : [])
    }

    /// - Parameter draft: nil for a submission without a subject, which needs no advice.
    func advice(_ draft: AdviceDraft?) async throws(OutboxError) -> Advice? {
        guard let draft else { return nil }
        var advice = draft.advice
        let id = draft.id
        if id.reference != nil {
            let subject = Subject(draft.owner, route: draft.route, id)
            advice.subject = try await names(for: ObserverView(seesPeople: true)).report(subject) ?? advice.subject
        }
        let standing = try await outbox.standing(draft.question ?? draft.question(of: RosterID(advice.subject.id)))
        if let list = draft.list, let found = standing.list {
            (advice.head, advice.subject.label) = (found.head, found.label)
            if found.label == nil || !rosters.changes(in: list).isEmpty {
                let delivered = try await names(for: ObserverView(seesPeople: true)).delivered(in: list)
                advice.subject.label = delivered.deleted.contains(id) ? nil : delivered.created[id]?.label ?? found.label
            }
        }
        advice.deletion = standing.deletion
        return advice
    }

    /// Throws for an id that is not listed, or whose row will be deleted, unless the submission is invalid or already accepted.
    func refuse(_ submission: Capture.Submission, at name: String, _ advice: Advice?) async throws {
        guard let advice, let backend = keepers[name]?.backend, let (_, resource) = backend.subjectField(route: submission.route) else {
            return
        }
        let problem: Problem
        switch advice.result {
        case .listed, .unchecked: return
        case .deleted(let sentence): problem = .beingDeleted(sentence, by: advice.deletion)
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

    func question(of id: RosterID) -> StandingQuestion { StandingQuestion(of: id, in: list, deletedBy: deletions, at: owner) }
}

extension Problem {
    fileprivate static func unlisted(_ sentence: String, in resource: Resource, _ commands: NextCommands) -> Problem {
        func command(_ option: String) -> String { commands.roster(resource.name, resource.title.many, option) }
        return Problem(
            .notListed, status: 409, title: "Not in the list", detail: "Nothing was accepted: \(sentence)",
            next: "To find the id, run: \(command("--find TEXT"))\nTo read the list again, run: \(command("--refresh"))"
        ).stating(.unlisted) { $0.title = RosterTitle(resource.title) }
    }

    fileprivate static func beingDeleted(_ sentence: String, by deletion: MutationID?) -> Problem {
        Problem(
            .notListed, status: 409, title: "Being deleted", detail: "Nothing was accepted: \(sentence)",
            next: deletion.map { "To take the deletion back, an administrator runs: homing discard \($0)" }
        ).stating(.beingDeleted)
    }
}
