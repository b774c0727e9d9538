import Foundation
import SyncModel

/// I4 for what waits for other entries: nothing stays for ever.
extension World {
    /// After the faults, an entry stays only if it failed or is on hold, or waits for such an entry.
    func checkWaiting() throws {
        for item in model.open {
            if let reason = unexcused(item) { throw Violation("I4", "entry \(item.sequence) (\(item.route)) still waits, \(reason)") }
        }
    }

    /// Entries that wait for a pending one are excused, because that one is judged itself.
    private func unexcused(_ item: Model.Item) -> String? {
        switch item.state {
        case .delivered, .discarded, .dead: return nil
        case .inflight: return "in flight"
        case .held:
            guard item.holdReason == .dependency, item.needs != nil, !model.hasLostParent(item) else { return nil }
            return model.obstacle(item) == nil ? "on hold for a create that is on its way or delivered" : nil
        case .pending:
            if let obstacle = model.obstacle(item) { return "pending behind a create that is \(obstacle)" }
            let isBehind = model.first(of: item.lane, at: item.destination).map { $0 < item.sequence } ?? false
            return isBehind || model.mustWait(item) ? nil : "with nothing before it"
        }
    }

    /// People settle everything that failed or is on hold, and the backends accept all of it. Then nothing is left.
    func putRight(within limit: TimeInterval) async throws {
        if model.open.isEmpty { return }
        model.liftCurses()
        // Each round settles at least the oldest entry, after at most one more hold.
        for _ in 0...2 * model.open.count {
            let stopped = model.open.filter { $0.state != .pending }.map(\.sequence).sorted()
            if stopped.isEmpty { break }
            for sequence in stopped { try await putRight(sequence) }
            try await restAsEachAccount(within: limit)
        }
        if let left = model.open.min(by: { $0.sequence < $1.sequence }) {
            throw Violation("I4", "entry \(left.sequence) (\(left.route)) is \(left.state) after people have put everything right")
        }
        try await checkStore()
    }

    private func putRight(_ sequence: Int64) async throws {
        // It may have been released with its create.
        guard let item = model.items[sequence], item.state == .dead || item.state == .held else { return }
        if item.discard != nil {
            if sequence.isMultiple(of: 2) { try await restore(item) } else { try await discard(item) }
        } else if let obstacle = model.obstacle(item) {
            try await retry(item)
            if obstacle == .discarded { try await discard(item) }
        } else if item.mayHaveTakenEffect {
            try await resolve(item)
        } else {
            try await retry(item)
        }
    }
}
