import Delivery
import Foundation
import Outbox
import SyncModel

extension World {
    /// Fails on a full disk; the core gets the result later.
    func store(_ settled: [Settled], _ slots: [Destination: ClaimOrder]) async throws {
        if isDiskFull {
            met("diskFull")
            return underway.append(.mail(.storeFailed))
        }
        underway.append(.mail(.stored(try await write(settled, slots))))
    }

    func write(_ settled: [Settled], _ slots: [Destination: ClaimOrder]) async throws -> Claimed {
        let settled = sabotage == .countsOffline ? settled.map(Self.counted) : settled
        let now = now
        let claimed = try await outbox.settle(settled, thenClaim: slots, at: now)
        for item in settled { try model.settle(item, at: now, time: time, ledger) }
        for entry in claimed.entries { try checkClaim(entry) }
        // The claim decides the order: a person may still revive an earlier entry before the send begins.
        let expected = model.claim(slots, at: now)
        guard claimed.entries.map(\.sequence) == expected.sequences else {
            throw Violation("model", "a claim brought \(claimed.entries.map(\.sequence)), and should bring \(expected.sequences)")
        }
        guard claimed.nextDue.mapValues({ $0.mapValues(\.ms) }) == expected.nextDue else {
            throw Violation("model", "a claim says that the next is due \(claimed.nextDue), and it is \(expected.nextDue)")
        }
        return claimed
    }

    private static func counted(_ settled: Settled) -> Settled {
        guard case .released(let until, let failure) = settled.settlement, failure.reason == .offline else { return settled }
        return Settled(settled.entry, .retry(at: until, failure), attempt: settled.attempt)
    }

    func checkStore() async throws {
        let rows = try await outbox.entries(limit: 10_000)
        for row in rows {
            guard let item = model.items[row.sequence] else { throw Violation("I1", "entry \(row.sequence) should not be there") }
            let due = item.due != 0 ? Date(ms: item.due) : nil
            guard
                row.state == item.state, row.holdReason == item.holdReason, row.attempts == item.attempts, row.releases == item.releases,
                row.uncertain == item.uncertain, row.state != .pending || row.dueAt == due, row.id == item.id
            else { throw Violation("model", "the outbox holds \(row), and should hold \(item)") }
        }
        if rows.count != model.items.count { throw Violation("I1", "\(model.items.count) entries should be there, and \(rows.count) are") }
        guard try await outbox.derivedTablesMatch() else { throw Violation("model", "the derived tables differ from the entries") }
        try await checkReferences()
        try await checkReceipts()
    }

    private func checkReceipts() async throws {
        let receipts = try await outbox.receipts(limit: 100_000)
        let settled = model.items.values.filter { $0.state == .delivered || $0.state == .discarded }
        let expected = model.pruned.merging(settled.map { ($0.id, $0.state) }) { first, _ in first }
        let found = Dictionary(receipts.map { ($0.id, $0.outcome == .delivered ? Entry.State.delivered : .discarded) }) { first, _ in first
        }
        if found != expected { throw Violation("I1", "\(receipts.count) receipts do not show what became of \(expected.count) entries") }
        if let wrong = receipts.first(where: { $0.supersededBy != model.replacements[$0.id] }) {
            let new = wrong.supersededBy?.description ?? "nothing"
            throw Violation("I1", "the receipt of entry \(wrong.sequence) says that \(new) replaced it")
        }
        try await checkSettledTallies(receipts)
    }

    /// These include pruned entries, but no replaced ones.
    private func checkSettledTallies(_ receipts: [ReceiptRecord]) async throws {
        let kept = Dictionary(grouping: receipts.filter { $0.supersededBy == nil }) { receipt in
            "\(receipt.outcome.rawValue) \(receipt.route) of \(receipt.destination)"
        }
        let expected: [String: [Int]] = kept.mapValues { [$0.count, $0.map(\.size).reduce(0, +)] }
        var found: [String: [Int]] = [:]
        for tally in try await outbox.tallies() where tally.state == .delivered || tally.state == .discarded {
            found["\(tally.state.rawValue) \(tally.route) of \(tally.destination)"] = [tally.count, tally.bytes]
        }
        if found != expected { throw Violation("model", "the tallies of settled entries are \(found), and the receipts show \(expected)") }
    }
}
