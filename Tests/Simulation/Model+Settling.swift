import Delivery
import Foundation
import Outbox
import SyncModel

extension RouteKind {
    var traits: RouteTraits {
        switch self {
        case .found: RouteTraits(canLookUp: true, isAtMostOnce: false)
        case .keyed, .blind: RouteTraits(canLookUp: false, isAtMostOnce: false)
        case .once: RouteTraits(canLookUp: false, isAtMostOnce: true)
        case .onceFound: RouteTraits(canLookUp: true, isAtMostOnce: true)
        }
    }
}

extension Model {
    /// Notes that a try ended in this way, in true time, before anything is made of it.
    ///
    /// - Parameter isSeenWell: something shows that the backend was well, or it is so long ago that it has to be presumed.
    mutating func tried(_ sequence: Int64, _ attempt: Attempt, isSeenWell: Bool, from begin: TimeInterval) {
        let mayCount =
            switch attempt.verdict {
            case .transient: isSeenWell
            case .unknown(let failure): !attempt.route.canLookUp && failure.reason != .stopping
            default: false
            }
        change(sequence) {
            if attempt.wasMade { $0.triedAt = begin }
            if mayCount { $0.countable += 1 }
        }
    }

    /// What a settlement makes of its entry, and whether it may.
    ///
    /// - Parameter time: true time.
    mutating func settle(_ settled: Settled, at now: Date, time: TimeInterval, _ ledger: Ledger) throws {
        let sequence = settled.entry.sequence
        guard let item = items[sequence], item.state == .inflight else { return }
        let failure = settled.settlement.failure
        change(sequence) {
            $0.uncertain = failure?.outcomeUnknown ?? false
            if settled.counts {
                $0.attempts += 1
                $0.countedAt = time
            }
            switch settled.settlement {
            case .delivered: $0.state = .delivered
            case .retry(let at, _):
                $0.state = .pending
                $0.due = at.ms
            case .released(let until, _):
                $0.state = .pending
                $0.due = until <= now ? 0 : until.ms
                if settled.attempt != nil { $0.releases += 1 }
            case .held(let reason, _):
                $0.state = .held
                $0.holdReason = reason
            case .dead: $0.state = .dead
            }
        }
        try check(items[sequence] ?? item, settled, ledger)
    }

    private func check(_ item: Item, _ settled: Settled, _ ledger: Ledger) throws {
        if item.state == .delivered, !ledger.has(item.id) { throw Violation("I2", "entry \(item.sequence) is delivered, and not there") }
        if item.attempts > min(item.countable, Self.attempts) {
            throw Violation("I7", "entry \(item.sequence) has \(item.attempts) attempts, of which \(item.countable) may count")
        }
        if case .dead = settled.settlement {
            if case .permanent = settled.attempt?.verdict { return }
            guard item.attempts >= Self.attempts else {
                throw Violation("I7", "entry \(item.sequence) died after \(item.attempts) attempts")
            }
        }
    }
}
