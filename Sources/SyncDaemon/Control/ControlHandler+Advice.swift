import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    /// Nil for a submission without a subject.
    func advice(on submission: Capture.Submission, of owner: Destination) async throws(OutboxError) -> Advice? {
        guard let keeper = keepers[owner.backend], let (field, resource) = keeper.backend.subjectField(route: submission.route),
            let id = keeper.backend.subject(route: submission.route, fields: submission.fields)
        else { return nil }
        var advice = Advice(
            subject: SubjectReport(resource: resource.name, field: field, id: id.rawValue), title: resource.title,
            maxAge: resource.maxAge, moment: Moment(now: clock.now))
        let snapshot = await keeper.snapshot
        advice.isSignedIn = snapshot.state == .signedIn && snapshot.account?.id == owner.account
        if id.reference != nil {
            let subject = Subject(owner, route: submission.route, id)
            advice.subject = try await names(for: ObserverView(seesPeople: true)).report(subject) ?? advice.subject
            return advice
        }
        guard advice.isSignedIn else { return advice }
        let found = try await outbox.rosterLabels(of: [id], in: RosterKey(destination: owner, resource: resource.name))
        (advice.head, advice.subject.label) = (found?.head, found?.labels[id])
        return advice
    }

    /// Throws for an id that is not listed, unless the submission is invalid or already accepted.
    func refuse(_ submission: Capture.Submission, at name: String, _ advice: Advice?) async throws {
        guard case .unlisted(let sentence)? = advice?.result, let backend = keepers[name]?.backend,
            let (_, resource) = backend.subjectField(route: submission.route)
        else { return }
        if let id = submission.id, try await outbox.entry(id) != nil { return }
        // `try?`: the intake reports it.
        guard (try? backend.check(route: submission.route, fields: submission.fields, payload: submission.payload)) != nil else { return }
        let next = commands(for: name)
        func command(_ option: String) -> String { next.roster(resource.name, resource.title.many, option) }
        throw Problem(
            .notListed, status: 409, title: "Not in the list", detail: "Nothing was accepted: \(sentence)",
            next: "To find the id, run: \(command("--find TEXT"))\nTo read the list again, run: \(command("--refresh"))")
    }
}
