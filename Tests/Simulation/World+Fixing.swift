import Foundation
import Outbox
import SyncModel

/// A person replaces an entry by a corrected one, perhaps twice.
extension World {
    struct Fix {
        let mutation: Mutation
        let sequence: Int64
        let lane: Lane
    }

    /// Also of entries that are being sent, and of some that are settled: both are refused.
    func fix(_ pick: Int, _ row: Int?, isByID: Bool) async throws {
        let items = model.items.values.filter { $0.isOpen || $0.sequence.isMultiple(of: 8) }.sorted { $0.sequence < $1.sequence }
        guard !items.isEmpty else { return }
        let old = items[pick % items.count]
        let draft = try await correction(of: old, row, isByID: isByID)
        var mutation = mutation(of: draft, old.route, old.onDead, after: old.after, at: old.destination)
        if sabotage != .keepsReplaced { mutation.supersedes = old.id }
        let result = try await replaced(by: mutation)
        if let refusal = model.refusal(of: draft.needsCreate ? draft.row : nil) ?? model.refusal(ofReplacing: old) {
            refused += 1
            guard sabotage == .keepsReplaced || result == .failure(refusal) else {
                throw Violation("I3", "a correction of entry \(old.sequence) should be refused (\(refusal)), and the outbox says \(result)")
            }
            return happened("fixRefused")
        }
        try arriveLate(old.id)
        if ledger.has(old.id) { throw Violation("I3", "entry \(old.sequence) was replaced, and took effect") }
        model.replace(old, by: draft.id)
        try accept(draft, mutation, result, old.route, nil)
        met("fixFollowed", times: model.takeOver(old, as: model.newest))
        fixes.append(Fix(mutation: mutation, sequence: model.newest, lane: draft.lane))
        happened("fixed")
        arrive()
    }

    /// The outbox knows the new entry, and changes nothing.
    func repeatFix(_ fix: Fix) async throws {
        let result = try await replaced(by: fix.mutation)
        let state = model.items[fix.sequence]?.state ?? model.pruned[fix.mutation.id]
        let duplicate = Enqueued.duplicate(sequence: fix.sequence, of: fix.mutation.destination, fix.lane)
        let isKnown =
            switch result {
            case .failure(.discarded), .failure(.replaced): state == .discarded
            default: state != .discarded && result == .success(duplicate)
            }
        guard isKnown else {
            throw Violation("I3", "the repeated correction \(fix.mutation.id) should be known, and the outbox says \(result)")
        }
        happened("fixRepeated")
    }

    private func replaced(by mutation: Mutation) async throws -> Result<Enqueued, OutboxError> {
        let options = EnqueueOptions(by: "a person", mustReplace: true)
        let results = try await outbox.enqueue([mutation], accountLabel: nil, at: now, options).results
        guard let result = results.first else { throw Violation("I1", "a correction was left without a result") }
        return result
    }

    /// I3: of an entry and its replacement, one takes effect.
    func checkNotReplaced(_ item: Model.Item) throws {
        if let new = model.replacements[item.id] {
            throw Violation("I3", "entry \(item.sequence) took effect, although \(new) has replaced it")
        }
    }
}
