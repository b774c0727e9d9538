import ControlAPI
import ControlServer
import Foundation
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    func receipts(_ request: ReceiptQuery, by caller: Caller) async throws -> ReceiptPage {
        let records = try await outbox.receipts(
            after: request.after, backend: request.backend, since: request.since, limit: request.limit)
        if records.isEmpty, let named = request.backend { _ = try keeper(named) }
        let view = ObserverView(caller)
        let labels = view.labels(try await outbox.accountLabels())
        let subjects = try await names(for: view).reports(records.map { Subject($0) })
        return ReceiptPage(
            receipts: records.map { record in
                report(record, email: labels[record.destination], subject: Subject(record).flatMap { subjects[$0] })
            },
            next: records.count == request.limit ? records.last?.sequence : nil)
    }

    func receipt(_ request: EntryReference, by caller: Caller) async throws -> ReceiptReport {
        let id = try await id(named: request.id)
        guard let record = try await outbox.receipt(id) else {
            let isKnown = try await outbox.entry(id) != nil
            guard isKnown else { throw OutboxError.notFound(id) }
            throw Problem.notFound(
                "Entry \(id) has no receipt yet: it was neither delivered nor discarded.",
                next: "To see why, run: homing why \(id)")
        }
        let view = ObserverView(caller)
        let labels = view.labels(try await outbox.accountLabels())
        return report(record, email: labels[record.destination], subject: try await names(for: view).report(Subject(record)))
    }

    private func report(_ record: ReceiptRecord, email: String?, subject: SubjectReport?) -> ReceiptReport {
        var report = ReceiptReport(record, email: email, subject: subject)
        report.title = keepers[record.destination.backend]?.backend.kind(route: record.route)
        return report
    }

    func lanes(_ request: LaneQuery, by caller: Caller) async throws -> LaneList {
        let records = try await outbox.lanes(limit: request.limit)
        let view = ObserverView(caller)
        let labels = view.labels(try await outbox.accountLabels())
        let subjects = try await names(for: view).reports(records.map { Subject($0) })
        return LaneList(
            lanes: records.map { record in
                var report = LaneReport(
                    backend: record.destination.backend, account: record.destination.account.rawValue, email: labels[record.destination],
                    lane: record.lane.rawValue, head: record.head.description, state: record.state.rawValue,
                    capturedAt: record.capturedAt, dueAt: record.dueAt, waiting: record.waiting)
                report.subject = Subject(record).flatMap { subjects[$0] }
                return report
            })
    }
}

extension ReceiptReport {
    fileprivate init(_ record: ReceiptRecord, email: String?, subject: SubjectReport?) {
        self.init(
            sequence: record.sequence, id: record.id.description, outcome: record.outcome.rawValue, capturedAt: record.capturedAt,
            settledAt: record.settledAt, backend: record.destination.backend, account: record.destination.account.rawValue, email: email,
            lane: record.lane.rawValue, route: record.route, remoteID: record.remoteID, status: record.status,
            foundByLookup: record.foundByLookup, attempts: record.attempts, size: record.size, discardedBy: record.discardedBy,
            altered: record.altered, acceptedAt: record.acceptedAt, unverified: record.unverified ? true : nil)
        self.subject = subject
        supersededBy = record.supersededBy?.description
        resolvedBy = record.resolvedBy
    }
}
