import Delivery
import Foundation
import Outbox
import SyncModel

extension RouteKind {
    var traits: RouteTraits {
        switch self {
        case .found: RouteTraits(canLookUp: true, isAtMostOnce: false)
        case .keyed: RouteTraits(canLookUp: false, isAtMostOnce: false, isRepeatable: true)
        case .blind: RouteTraits(canLookUp: false, isAtMostOnce: false)
        case .once: RouteTraits(canLookUp: false, isAtMostOnce: true)
        case .onceFound: RouteTraits(canLookUp: true, isAtMostOnce: true)
        }
    }
}

extension Model {
    /// Evidence against an entry, computed independently of the core.
    enum Evidence {
        /// Another entry of its route got through after this one failed.
        case contrast
        /// No other entry of its route was tried since, and its last counted attempt is long ago.
        case alone
        case none
    }

    /// Notes how a try ended, in true time.
    ///
    /// - Parameter fate: nil for a look-up alone.
    mutating func tried(_ sequence: Int64, _ fate: Fate?, isCalledOff: Bool, _ evidence: Evidence, at time: TimeInterval) {
        change(sequence) {
            $0.lastFate = fate
            if let fate, !isCalledOff, fate.asksForPause {
                if evidence == .contrast { $0.countable += 1 }
                $0.throttledAt = time
                if fate.leavesItOpen { $0.failedAt = time }
                return
            }
            guard let fate, !isCalledOff, fate.mayCount || fate.leavesItOpen else { return }
            // A lost response with a look-up does not count unless other entries get through.
            if evidence == .contrast || (evidence == .alone && (fate.mayCount || !$0.route.traits.canLookUp)) { $0.countable += 1 }
            $0.failedAt = time
        }
    }

    /// Applies a settlement and checks that it is allowed.
    ///
    /// - Parameter time: true time.
    mutating func settle(_ settled: Settled, at now: Date, time: TimeInterval, _ ledger: Ledger) throws {
        let sequence = settled.entry.sequence
        guard let item = items[sequence], item.state == .inflight else { return }
        let failure = settled.settlement.failure
        change(sequence) {
            $0.uncertain = failure?.outcomeUnknown ?? false
            if settled.isDoubtful { $0.doubts += 1 }
            if let attempt = settled.attempt { $0.looks = Self.looks(after: attempt, item, isUncertain: $0.uncertain) }
            if settled.counts {
                $0.attempts += 1
                $0.countedAt = time
            }
            switch settled.settlement {
            case .delivered: $0.state = .delivered
            case .retry(let at, _):
                $0.state = .pending
                $0.due = at.ms
                $0.aside = false
            case .released(let until, _):
                $0.state = .pending
                $0.due = until <= now ? 0 : until.ms
                $0.aside = false
                if settled.attempt != nil { $0.releases += 1 }
            case .aside(let until, _):
                $0.state = .pending
                $0.due = max(now, until).ms
                $0.aside = true
                if settled.attempt != nil { $0.releases += 1 }
            case .held(let reason, _):
                $0.state = .held
                $0.holdReason = reason
            case .dead: $0.state = .dead
            }
        }
        if case .delivered(let receipt) = settled.settlement {
            if !receipt.foundByLookup { recall(item.route, at: item.destination) }
            bind(sequence, to: receipt.remoteID)
            releaseDependents(of: sequence)
        }
        holdDependents(of: sequence)
        try check(items[sequence] ?? item, settled, ledger)
    }

    private static func looks(after attempt: Attempt, _ item: Item, isUncertain: Bool) -> Int {
        switch attempt.verdict {
        case .unknown where !attempt.wasSent && isUncertain: item.looks + 1
        case .unreachable, .throttled, .unauthorized: item.looks
        default: 0
        }
    }

    private func check(_ item: Item, _ settled: Settled, _ ledger: Ledger) throws {
        if case .delivered(let receipt) = settled.settlement {
            guard let effect = ledger.effects[item.id] else { throw Violation("I2", "entry \(item.sequence) is delivered, and not there") }
            if receipt.remoteID != effect.id {
                throw Violation("I2", "entry \(item.sequence) is \(effect.id) there, and its receipt says \(receipt.remoteID ?? "nothing")")
            }
        }
        if item.attempts > min(item.countable, Self.attempts) {
            throw Violation("I7", "entry \(item.sequence) has \(item.attempts) attempts, of which \(item.countable) may count")
        }
        try checkEnd(item, settled)
    }

    /// Entries fail or are held only because of their own requests.
    private func checkEnd(_ item: Item, _ settled: Settled) throws {
        let met = item.lastFate.map(\.rawValue) ?? "a look-up"
        func refuse(_ what: String) throws {
            throw Violation("blame", "entry \(item.sequence) (\(item.route)) \(what) after \(met), with \(item.attempts) attempts")
        }
        switch settled.settlement {
        case .dead:
            if !item.uncertain, item.lastFate == .refusedDeclared || item.attempts >= Self.attempts { return }
            try refuse("failed")
        case .held(.forbidden, _):
            if item.lastFate == .deniedDeclared || item.attempts >= Self.attempts { return }
            try refuse("is held as forbidden")
        case .held(.unknownOutcome, _):
            if !item.uncertain { try refuse("is held, and its outcome is known") }
        case .held(let reason, _): try refuse("is held as \(reason)")
        case .delivered, .retry, .released, .aside: break
        }
    }
}
