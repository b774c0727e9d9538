import ControlAPI
import ControlServer
import Foundation
import Outbox
import SyncModel

extension ControlHandler {
    func receipts(_ request: ReceiptQuery, by caller: Caller) async throws -> ReceiptPage {
        let records = try await outbox.receipts(
            after: request.after, backend: request.backend, since: request.since, limit: request.limit)
        if records.isEmpty, let named = request.backend { _ = try keeper(named) }
        let labels = ObserverView(caller).labels(try await outbox.accountLabels())
        return ReceiptPage(
            receipts: records.map { ReceiptReport($0, email: labels[$0.destination]) },
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
        let labels = ObserverView(caller).labels(try await outbox.accountLabels())
        return ReceiptReport(record, email: labels[record.destination])
    }

    func lanes(_ request: LaneQuery, by caller: Caller) async throws -> LaneList {
        let records = try await outbox.lanes(limit: request.limit)
        let labels = ObserverView(caller).labels(try await outbox.accountLabels())
        return LaneList(
            lanes: records.map {
                LaneReport(
                    backend: $0.destination.backend, account: $0.destination.account.rawValue, email: labels[$0.destination],
                    lane: $0.lane.rawValue, head: $0.head.description, state: $0.state.rawValue, capturedAt: $0.capturedAt,
                    dueAt: $0.dueAt, waiting: $0.waiting)
            })
    }
}

extension ReceiptReport {
    fileprivate init(_ record: ReceiptRecord, email: String?) {
        self.init(
            sequence: record.sequence, id: record.id.description, outcome: record.outcome.rawValue, capturedAt: record.capturedAt,
            settledAt: record.settledAt, backend: record.destination.backend, account: record.destination.account.rawValue, email: email,
            lane: record.lane.rawValue, route: record.route, remoteID: record.remoteID, status: record.status,
            foundByLookup: record.foundByLookup, attempts: record.attempts, size: record.size, discardedBy: record.discardedBy,
            altered: record.altered, acceptedAt: record.acceptedAt, unverified: record.unverified ? true : nil)
    }
}
