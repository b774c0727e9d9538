import Backends
import Capture
import Foundation
import Sessions
import SyncModel

struct AddressBook: Addressing {
    let keepers: [String: SessionKeeper]

    var backends: [String] { Array(keepers.keys) }

    func account(at backend: String) async -> Account? { await keepers[backend]?.snapshot.owner }

    func address(_ submission: Submission, at name: String) throws(Failure) -> Address {
        guard let backend = keepers[name]?.backend else { throw Failure(.profile, "There is no backend “\(name)”.") }
        let (route, fields) = (submission.route, submission.fields)
        try backend.check(route: route, fields: fields, payload: submission.payload)
        let subject = backend.subject(route: route, fields: fields)
        let lanes = subject == nil ? nil : try subjectLanes(of: submission, at: backend)
        let lane: Lane
        let after: Lane?
        if let subject, let lanes {
            (lane, after) = (lanes.lane(for: subject), lanes.after(for: subject))
        } else {
            lane = try backend.lane(route: route, fields: fields, id: submission.id)
            after = try backend.after(route: route, fields: fields, id: submission.id)
        }
        var address = Address(
            lane: lane, onDead: backend.onDead(route: route), after: after, subject: subject, creates: backend.creates(route: route))
        address.isBehind = backend.goesBehind(route: route)
        address.afterSubject = backend.goesAfterSubject(route: route)
        address.reference = subject == nil ? nil : backend.subjectField(route: route)?.resource.name
        address.subjectLanes = lanes
        return address
    }

    /// Random, so that no other field contains it. One for the run: it is in no answer.
    private static let placeholder = RosterID("@\(UUID())")

    private func subjectLanes(of submission: Submission, at backend: Backend) throws(Failure) -> SubjectLanes {
        let fields = backend.fields(submission.fields, route: submission.route, as: Self.placeholder)
        return SubjectLanes(
            lane: try backend.lane(route: submission.route, fields: fields, id: submission.id),
            after: try backend.after(route: submission.route, fields: fields, id: submission.id), placeholder: Self.placeholder)
    }
}
