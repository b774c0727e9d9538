import Backends
import Capture
import ControlAPI
import Outbox
import Roster
import Sessions
import SyncModel

/// The row, such as a person, that an entry refers to or creates.
struct Subject: Hashable {
    let destination: Destination
    let route: String
    let id: RosterID
    /// The resource of the row, if the entry creates it.
    let created: String?

    /// Nil without an id.
    init?(_ destination: Destination, route: String, _ id: RosterID?, created: String? = nil) {
        guard let id else { return nil }
        (self.destination, self.route, self.id, self.created) = (destination, route, id, created)
    }

    /// The entry's subject or, without one, the row that it creates. `creates` is as in `Mutation`.
    init?(_ destination: Destination, route: String, _ subject: RosterID?, of entry: MutationID, creates: String?) {
        let created = subject == nil ? creates : nil
        self.init(destination, route: route, created == nil ? subject : RosterID(createdBy: entry), created: created)
    }

    init?(_ entry: Entry) {
        let mutation = entry.mutation
        self.init(entry.destination, route: entry.route, mutation.subject, of: entry.id, creates: mutation.creates)
    }

    init?(_ receipt: ReceiptRecord) {
        self.init(receipt.destination, route: receipt.route, receipt.subject, of: receipt.id, creates: receipt.creates)
    }

    init?(_ lane: LaneRecord) { self.init(lane.destination, route: lane.route, lane.subject, of: lane.head, creates: lane.creates) }
}

/// Rows that deliveries created or deleted since their list was read.
struct DeliveredRows {
    /// By the server's id, with the name that was submitted.
    var created: [RosterID: (create: MutationID, label: String)] = [:]
    var deleted: Set<RosterID> = []
}

/// Adds names to ids in answers. Names are stored only in rosters, which end with the session.
struct Names {
    let keepers: [String: SessionKeeper]
    let outbox: Outbox
    let rosters: RosterKeeper
    let view: ObserverView

    /// Reads each list at most once.
    func reports(_ subjects: [Subject?]) async throws(OutboxError) -> [Subject: SubjectReport] {
        let subjects = Set(subjects.compactMap(\.self))
        let references = Set(subjects.compactMap(\.id.reference))
        let rows = references.isEmpty ? [:] : try await outbox.bindings(of: references)
        var reports: [Subject: SubjectReport] = [:]
        for subject in subjects {
            let backend = keepers[subject.destination.backend]?.backend
            guard let (field, resource) = backend?.field(of: subject) else { continue }
            reports[subject] = Self.report(subject, field, resource, row: subject.id.reference.flatMap { rows[$0] })
        }
        let lists = Dictionary(grouping: reports.keys) { subject in
            RosterKey(destination: subject.destination, resource: reports[subject]?.resource ?? "")
        }
        for (key, subjects) in lists {
            guard await isShown(key.destination) else { continue }
            let ids = Set(subjects.compactMap { reports[$0].map { RosterID($0.id) } }.filter { $0.reference == nil })
            let labels = ids.isEmpty ? [:] : try await outbox.rosterLabels(of: ids, in: key)?.labels ?? [:]
            let new = try await newLabels(Set(subjects.compactMap(\.id.reference)), in: key)
            let created = ids.isEmpty ? [:] : try await delivered(in: key).created
            for subject in subjects {
                guard let id = reports[subject].map({ RosterID($0.id) }) else { continue }
                reports[subject]?.label = created[id]?.label ?? labels[id] ?? subject.id.reference.flatMap { new[$0] }
            }
        }
        return reports
    }

    /// The subject in an answer. `row` is the server's id; nil if the row is not created yet.
    private static func report(_ subject: Subject, _ field: String, _ resource: Resource, row: RosterID?) -> SubjectReport {
        var report = SubjectReport(resource: resource.name, field: field, id: subject.id.rawValue)
        guard subject.id.reference != nil else { return report }
        if let row {
            (report.id, report.reference) = (row.rawValue, subject.id.rawValue)
        } else {
            (report.isNew, report.title) = (true, resource.title.one)
        }
        return report
    }

    /// Changes that the stored list lacks. A created row has its submitted name while the entry with its values waits.
    func delivered(in key: RosterKey) async throws(OutboxError) -> DeliveredRows {
        var found = DeliveredRows()
        guard let backend = keepers[key.destination.backend]?.backend, let resource = backend.resource(key.resource) else { return found }
        var creates: Set<MutationID> = []
        for change in rosters.changes(in: key).values {
            switch change {
            case .named(let create, _): creates.insert(create)
            case .deleted(let row): found.deleted.insert(row)
            }
        }
        let seconds = backend.routes.filter { backend.creates(route: $0) == resource.name }.compactMap(backend.then(route:))
        for (entry, create) in try await outbox.changes(by: seconds, at: key.destination) where entry == create.follower {
            creates.insert(create)
        }
        let rows = try await outbox.bindings(of: creates.union(found.deleted.compactMap(\.reference)))
        found.deleted = Set(found.deleted.map { row in row.reference.flatMap { rows[$0] } ?? row })
        let labels = try await newLabels(creates.intersection(rows.keys), in: key)
        for (create, label) in labels {
            if let row = rows[create], !found.deleted.contains(row) { found.created[row] = (create, label) }
        }
        return found
    }

    /// The submitted names by create; none once everything is delivered and the list `key` was read again.
    func newLabels(_ creates: Set<MutationID>, in key: RosterKey) async throws(OutboxError) -> [MutationID: String] {
        guard !creates.isEmpty, let resource = keepers[key.destination.backend]?.backend.resource(key.resource) else { return [:] }
        // Until the second entry is delivered, the server may have another name.
        var parts = try await outbox.contents(of: creates.flatMap { [$0.follower, $0] }) { mutation in
            mutation.destination == key.destination ? resource.labelParts(in: mutation) : []
        }
        for case (let entry, .named(_, let delivered)) in rosters.changes(in: key) where parts[entry] == nil { parts[entry] = delivered }
        let labels = creates.compactMap { create -> (MutationID, String)? in
            let (second, first) = (parts[create.follower] ?? [], parts[create] ?? [])
            let both = (0..<max(second.count, first.count)).map { index -> JSONValue? in
                let submitted = second.indices.contains(index) ? second[index] : nil
                return submitted ?? (first.indices.contains(index) ? first[index] : nil)
            }
            return resource.label(of: both).map { (create, $0) }
        }
        return Dictionary(uniqueKeysWithValues: labels)
    }

    func report(_ subject: Subject?) async throws(OutboxError) -> SubjectReport? {
        guard let subject else { return nil }
        return try await reports([subject])[subject]
    }

    /// True for the signed-in account, at the address where it accepted the entry.
    func isShown(_ destination: Destination) async -> Bool {
        guard view.seesPeople, let keeper = keepers[destination.backend] else { return false }
        guard keeper.foreignTo == nil || destination.account.namesItsServer else { return false }
        let snapshot = await keeper.snapshot
        return snapshot.state == .signedIn && snapshot.account?.id == destination.account
    }
}

extension Backend {
    /// The field with the subject's id; for a created row, the field of entries that refer to it.
    fileprivate func field(of subject: Subject) -> (field: String, resource: Resource)? {
        guard let created = subject.created else { return subjectField(route: subject.route) }
        guard let resource = resource(created) else { return nil }
        let (fields, second) = (references(to: resource), then(route: subject.route))
        return (fields.first { $0.route == second } ?? fields.first).map { (field: $0.field, resource: resource) }
    }
}

extension ControlHandler {
    func names(for view: ObserverView) -> Names { Names(keepers: keepers, outbox: outbox, rosters: rosters, view: view) }
}
