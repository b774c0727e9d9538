import Backends
import ControlAPI
import Outbox
import Sessions
import SyncModel

/// The row that an entry refers to, such as the measured person.
struct Subject: Hashable {
    let destination: Destination
    let route: String
    let id: RosterID

    /// Nil without an id.
    init?(_ destination: Destination, route: String, _ id: RosterID?) {
        guard let id else { return nil }
        (self.destination, self.route, self.id) = (destination, route, id)
    }

    init?(_ entry: Entry) { self.init(entry.destination, route: entry.route, entry.mutation.subject) }

    init?(_ receipt: ReceiptRecord) { self.init(receipt.destination, route: receipt.route, receipt.subject) }
}

/// Joins names to ids when an answer is made. Names are stored only in rosters, which end with the session.
struct Names {
    let keepers: [String: SessionKeeper]
    let outbox: Outbox
    let view: ObserverView

    /// Reads each list at most once.
    func reports(_ subjects: [Subject?]) async throws(OutboxError) -> [Subject: SubjectReport] {
        var reports: [Subject: SubjectReport] = [:]
        var lists: [RosterKey: Set<RosterID>] = [:]
        for subject in Set(subjects.compactMap(\.self)) {
            let backend = keepers[subject.destination.backend]?.backend
            guard let (field, resource) = backend?.subjectField(route: subject.route) else { continue }
            reports[subject] = SubjectReport(resource: resource.name, field: field, id: subject.id.rawValue)
            lists[RosterKey(destination: subject.destination, resource: resource.name), default: []].insert(subject.id)
        }
        for (key, ids) in lists {
            guard await isShown(key.destination), let labels = try await outbox.rosterLabels(of: ids, in: key)?.labels else { continue }
            for (subject, report) in reports where subject.destination == key.destination && report.resource == key.resource {
                reports[subject]?.label = labels[subject.id]
            }
        }
        return reports
    }

    func report(_ subject: Subject?) async throws(OutboxError) -> SubjectReport? {
        guard let subject else { return nil }
        return try await reports([subject])[subject]
    }

    /// Only the names of the signed-in account, at the address where it accepted the entry.
    private func isShown(_ destination: Destination) async -> Bool {
        guard view.seesPeople, let keeper = keepers[destination.backend] else { return false }
        guard keeper.foreignTo == nil || SessionKeeper.namesItsServer(destination.account) else { return false }
        let snapshot = await keeper.snapshot
        return snapshot.state == .signedIn && snapshot.account?.id == destination.account
    }
}

extension ControlHandler {
    func names(for view: ObserverView) -> Names { Names(keepers: keepers, outbox: outbox, view: view) }
}
