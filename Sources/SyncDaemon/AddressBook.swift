import Backends
import Capture
import Foundation
import Sessions
import SyncModel

struct AddressBook: Addressing {
    let keepers: [String: SessionKeeper]

    var backends: [String] { Array(keepers.keys) }

    func account(at backend: String) async -> Account? { await keepers[backend]?.snapshot.owner }

    func mutation(_ submission: Submission, as id: MutationID, for owner: Destination, at now: Date) throws(Failure) -> Mutation {
        let name = owner.backend
        guard let backend = keepers[name]?.backend else { throw Failure(.profile, "There is no backend “\(name)”.") }
        let (route, fields) = (submission.route, submission.fields)
        try backend.check(route: route, fields: fields, payload: submission.payload)
        let subject = backend.subject(route: route, fields: fields)
        let lanes = subject == nil ? nil : try subjectLanes(of: submission, as: id, at: backend)
        let lane: Lane
        let after: Lane?
        if let subject, let lanes {
            (lane, after) = (lanes.lane(for: subject), lanes.after(for: subject))
        } else {
            lane = try backend.lane(route: route, fields: fields, id: id)
            after = try backend.after(route: route, fields: fields, id: id)
        }
        var mutation = submission.mutation(as: id, for: owner, in: lane, at: now)
        mutation.after = after
        mutation.isBehind = backend.goesBehind(route: route)
        mutation.afterSubject = backend.goesAfterSubject(route: route)
        mutation.onDead = backend.onDead(route: route)
        mutation.subject = subject
        mutation.reference = subject == nil ? nil : backend.subjectField(route: route)?.resource.name
        mutation.creates = backend.creates(route: route)
        mutation.altering = backend.altering(like: route)
        mutation.subjectLanes = lanes
        return mutation
    }

    /// Random, so that no other field contains it. One for the run: it is in no answer.
    private static let placeholder = RosterID("@\(UUID())")

    private func subjectLanes(of submission: Submission, as id: MutationID, at backend: Backend) throws(Failure) -> SubjectLanes {
        let fields = backend.fields(submission.fields, route: submission.route, as: Self.placeholder)
        return SubjectLanes(
            lane: try backend.lane(route: submission.route, fields: fields, id: id),
            after: try backend.after(route: submission.route, fields: fields, id: id), placeholder: Self.placeholder)
    }
}
