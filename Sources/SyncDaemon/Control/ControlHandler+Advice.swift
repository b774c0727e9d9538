import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

extension ControlHandler {
    /// Nil for a submission without a subject.
    func advice(
        on submission: Capture.Submission, of owner: Destination, as session: SessionSnapshot
    ) async throws(OutboxError) -> Advice? {
        guard let keeper = keepers[owner.backend], let (field, resource) = keeper.backend.subjectField(route: submission.route),
            let id = keeper.backend.subject(route: submission.route, fields: submission.fields)
        else { return nil }
        var advice = Advice(
            subject: SubjectReport(resource: resource.name, field: field, id: id.rawValue),
            kind: keeper.backend.noun(route: submission.route), title: resource.title, maxAge: resource.maxAge,
            moment: Moment(now: clock.now))
        advice.isSignedIn = session.state == .signedIn && session.account?.id == owner.account
        var list: RosterKey?
        if id.reference != nil {
            let subject = Subject(owner, route: submission.route, id)
            advice.subject = try await names(for: ObserverView(seesPeople: true)).report(subject) ?? advice.subject
        } else if advice.isSignedIn {
            list = RosterKey(destination: owner, resource: resource.name)
        }
        // A correction takes the place of the earlier entry, even before a deletion.
        let mayBeDeleted = keeper.backend.deletes(route: submission.route) == nil && submission.supersedes == nil
        let standing = try await outbox.standing(
            of: RosterID(advice.subject.id), in: list, deletedBy: mayBeDeleted ? keeper.backend.deletions(of: resource) : [], at: owner)
        if let list, let found = standing.list {
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
