import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Sessions
import SyncModel

/// Rows that entries create.
extension ControlHandler {
    /// The submission, or two for a route with `then` and a payload: the first creates a row, and the second gives it the payload.
    func steps(of submission: Capture.Submission, at name: String) -> [Capture.Submission] {
        guard let backend = keepers[name]?.backend, let payload = submission.payload, let then = backend.then(route: submission.route),
            let field = backend.subjectField(route: then)?.field
        else { return [submission] }
        var generator = SystemRandomNumberGenerator()
        let id = submission.id ?? MutationID(at: clock.now, using: &generator)
        var create = submission
        (create.id, create.payload, create.hasFollower) = (id, nil, true)
        let second = Capture.Submission(
            route: then, id: id.follower, fields: [field: .string(RosterID(createdBy: id).rawValue)], payload: payload,
            capturedAt: submission.capturedAt)
        return [create, second]
    }

    /// The row that an accepted entry creates; nil if its route creates none.
    func created(by create: Intake.Accepted, route: String) async throws(OutboxError) -> SubjectReport? {
        guard let resource = keepers[create.destination.backend]?.backend.creates(route: route) else { return nil }
        let subject = Subject(create.destination, route: route, nil, of: create.id, creates: resource)
        return try await names(for: ObserverView(seesPeople: true)).report(subject)
    }

    /// For the account's entries. Read the stored list after this, so that each row appears once.
    func shownRows(of resource: Resource, in key: RosterKey) async throws(OutboxError) -> ShownRows {
        let names = names(for: ObserverView(seesPeople: true))
        let creates = try await outbox.creates(of: resource.name, at: key.destination, limit: Self.mostNewRows)
            .filter { $0.holdReason != .discarding }
        let labels = try await names.newLabels(Set(creates.map(\.id)), in: key)
        let delivered = try await names.delivered(in: key)
        // An entry may be delivered between the two looks at the store.
        let created = Set(delivered.created.values.map(\.create))
        let new = creates.filter { !created.contains($0.id) }.map { create in
            ControlAPI.RosterRow(
                id: RosterID(createdBy: create.id).rawValue, label: labels[create.id] ?? "new \(resource.title.one)", values: [:],
                pending: "new")
        }
        let rows = delivered.created.sorted { $0.value.create < $1.value.create }.map { id, row in
            ControlAPI.RosterRow(id: id.rawValue, label: row.label, values: [:])
        }
        return ShownRows(new: new, created: rows, deleted: delivered.deleted)
    }

    private static let mostNewRows = 500

    /// Nil for none.
    func actions(on resource: Resource, at name: String) -> RosterActions? {
        guard let backend = keepers[name]?.backend else { return nil }
        let actions = backend.actions(on: resource)
        guard actions.add != nil || actions.change != nil || actions.delete != nil else { return nil }
        return RosterActions(
            add: actions.add, change: actions.change, delete: actions.delete,
            confirm: actions.delete.map(backend.needsConfirmation(route:)) == true ? true : nil,
            form: actions.change.flatMap(backend.form(route:)) ?? [], fields: actions.add.flatMap(backend.fieldsWithoutPayload(route:)))
    }
}

/// For the explanation of an entry.
extension ControlHandler {
    func listFacts(of context: EntryContext, for view: ObserverView) async throws(OutboxError) -> Reasons.ListFacts {
        let entry = context.entry
        guard let backend = keepers[entry.destination.backend]?.backend else { return .none }
        // Another entry, this one, or none creates the row.
        let isOwn = context.create == nil && entry.mutation.creates != nil
        let create = isOwn ? entry : context.create
        let resource = isOwn ? entry.mutation.creates.flatMap(backend.resource) : backend.subjectField(route: entry.route)?.resource
        guard let resource else { return .none }
        let refresh = commands(for: backend.name).roster(resource.name, resource.title.many, "--refresh")
        var list = Reasons.ListFacts(
            title: resource.title, refresh: refresh, newLabel: nil, canLookUpCreate: false, candidates: nil)
        guard let create, create.mutation.creates == resource.name else { return list }
        list.canLookUpCreate = backend.canLookUp(route: create.route)
        let names = names(for: view)
        guard await names.isShown(create.destination) else { return list }
        let key = RosterKey(destination: create.destination, resource: resource.name)
        list.newLabel = try await names.newLabels([create.id], in: key)[create.id]
        if create.state == .held, create.holdReason == .unknownOutcome {
            list.candidates = try await CreatedCandidates.find(of: create, among: resource, in: key, outbox)
        }
        return list
    }
}
