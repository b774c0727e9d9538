import Foundation
import Outbox
import SyncModel

/// What people do to entries.
extension Model {
    mutating func discard(_ item: Item) {
        change(item.sequence) {
            $0.state = .discarded
            $0.holdReason = nil
            $0.discard = nil
        }
        references.discarded.insert(item.sequence)
        for dependent in items.values where dependent.parent == item.sequence { hold(dependent.sequence) }
        holdDependents(of: item.sequence)
    }

    /// Why the outbox refuses a correction; nil if it does not.
    func refusal(ofReplacing item: Item) -> OutboxError? {
        if !item.isOpen { return .wrongState(item.id, item.state) }
        if let discard = item.discard { return .beingDiscarded(item.id, at: Date(ms: discard.due)) }
        if item.state == .inflight || item.mayHaveTakenEffect { return .mayBeDelivered(item.id) }
        return dependents(of: item.id).isEmpty ? nil : .hasDependents(item.id)
    }

    /// Discards an entry that another one replaces. Its followers are judged when that one is there.
    mutating func replace(_ item: Item, by new: MutationID) {
        change(item.sequence) {
            $0.state = .discarded
            $0.holdReason = nil
            $0.discard = nil
        }
        references.discarded.insert(item.sequence)
        replacements[item.id] = new
    }

    /// Entries that had to follow a replaced one follow the new one, if that is in the same lane and nothing in this lane follows another one. Otherwise
    /// a person decides. Returns how many follow it.
    mutating func takeOver(_ old: Item, as sequence: Int64) -> Int {
        let followers = items.values.filter { $0.parent == old.sequence && $0.isOpen }
        let followsAnother = open.contains { ($0.lane, $0.destination) == (old.lane, old.destination) && $0.after != nil }
        guard items[sequence]?.lane == old.lane, !followsAnother else {
            for follower in followers { hold(follower.sequence) }
            return 0
        }
        for follower in followers { change(follower.sequence) { $0.parent = sequence } }
        return followers.count
    }

    mutating func retry(_ item: Item, forgetsDoubt: Bool) {
        change(item.sequence) {
            $0.due = 0
            $0.uncertain = ($0.uncertain || $0.doubts > 0) && !forgetsDoubt
            $0.isRevived = $0.isRevived || $0.state != .pending || $0.aside
            $0.aside = false
            $0.looks = 0
            $0.doubts = 0
            $0.failedAt = nil
            $0.state = .pending
            $0.holdReason = nil
            $0.attempts = 0
            $0.crashes = 0
            $0.countable = 0
        }
        releaseDependents(of: item.sequence)
    }

    /// A person said that an entry took effect.
    mutating func resolve(_ item: Item, as remoteID: String?) {
        change(item.sequence) {
            $0.state = .delivered
            $0.holdReason = nil
            $0.uncertain = false
        }
        bind(item.sequence, to: remoteID)
        releaseDependents(of: item.sequence)
    }

    mutating func discardLater(_ item: Item, due: Int64) {
        change(item.sequence) {
            $0.discard = Discard(state: $0.state, holdReason: $0.holdReason, due: due)
            $0.state = .held
            $0.holdReason = .discarding
        }
        holdDependents(of: item.sequence)
    }

    mutating func restore(_ item: Item) {
        guard let origin = item.discard else { return }
        let isStranded = origin.state == .pending && (obstacle(item) != nil || hasLostParent(item))
        putBack(item.sequence) {
            $0.state = isStranded ? .held : origin.state
            $0.holdReason = isStranded ? .dependency : origin.holdReason
            $0.discard = nil
        }
        if item.needs != nil { release(item.sequence) }
    }

    /// Destroys what is due. A time that was set while the clock was ahead is corrected.
    mutating func discardDue(at now: Date) {
        let latest = now.addingTimeInterval(Outbox.longestGrace).ms
        let corrected = now.addingTimeInterval(Outbox.correctedGrace).ms
        for item in items.values {
            guard let plan = item.discard else { continue }
            if plan.due > latest {
                change(item.sequence) { $0.discard = Discard(state: plan.state, holdReason: plan.holdReason, due: corrected) }
            } else if plan.due <= now.ms {
                discard(item)
            }
        }
    }
}
