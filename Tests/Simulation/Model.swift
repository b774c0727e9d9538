import Delivery
import Foundation
import Outbox
import SyncModel

/// The expected content of the outbox, computed independently in memory.
struct Model {
    struct Item: Equatable {
        let sequence: Int64
        let id: MutationID
        let destination: Destination
        let lane: Lane
        let route: RouteKind
        let onDead: Mutation.OnDead
        let curse: Curse?
        /// A lane with earlier entries that go first, and the last of them.
        let after: Lane?
        let parent: Int64?
        var state = Entry.State.pending
        var holdReason: HoldReason?
        /// Unix milliseconds; 0 for at once.
        var due: Int64 = 0
        var attempts = 0
        var releases = 0
        var crashes = 0
        var uncertain = false
        var aside = false
        /// Consecutive failed look-ups, and all sends with unknown outcomes.
        var looks = 0
        var doubts = 0
        /// Tries that may count since a person reset the attempts.
        var countable = 0
        /// The last failed and the last counted send, in true time.
        var failedAt, countedAt: TimeInterval?
        /// When the server last throttled it, in true time.
        var quietedAt: TimeInterval?
        /// In true time.
        let acceptedAt: TimeInterval
        /// Nil after a look-up alone.
        var lastFate: Fate?
        /// Put back into its lane, by a person or because others got through, perhaps while a later entry is sent.
        var isRevived = false

        var blocks: Bool {
            switch state {
            case .pending: !(aside && onDead == .skip)
            case .inflight: true
            case .dead, .held: onDead == .halt
            case .delivered, .discarded: false
            }
        }
    }

    static let horizon: TimeInterval = 6 * 3600 + 60
    static let stuckLooks = 3
    static let attempts = 3

    private(set) var items: [Int64: Item] = [:]
    /// Sequences that block their lane.
    private var lanes: [Destination: [Lane: [Int64]]] = [:]
    private(set) var inflight: Set<Int64> = []
    private var asides: Set<Int64> = []
    /// Entries with only a receipt left.
    private(set) var pruned: [MutationID: Entry.State] = [:]
    private(set) var newest: Int64 = 0

    var open: [Item] { items.values.filter { $0.state != .delivered && $0.state != .discarded } }

    /// The first entry of the lane that was never put back.
    func head(of item: Item) -> Int64? { lanes[item.destination]?[item.lane]?.first { items[$0]?.isRevived == false } }

    mutating func add(_ item: Item) throws {
        guard item.sequence > newest else { throw Violation("I1", "sequence \(item.sequence) was given out after \(newest)") }
        newest = item.sequence
        put(item)
    }

    private mutating func put(_ item: Item) {
        items[item.sequence] = item
        if item.state == .inflight { inflight.insert(item.sequence) } else { inflight.remove(item.sequence) }
        if item.aside, item.state == .pending { asides.insert(item.sequence) } else { asides.remove(item.sequence) }
        var line = lanes[item.destination]?[item.lane] ?? []
        let index = line.firstIndex { $0 >= item.sequence } ?? line.count
        let isThere = index < line.count && line[index] == item.sequence
        if isThere == item.blocks { return }
        if item.blocks { line.insert(item.sequence, at: index) } else { line.remove(at: index) }
        lanes[item.destination, default: [:]][item.lane] = line
    }

    mutating func change(_ sequence: Int64, _ body: (inout Item) -> Void) {
        guard var item = items[sequence] else { return }
        body(&item)
        put(item)
    }

    /// Entries that may be claimed once due: the heads of lanes and those set aside. Excludes lanes with an entry in flight and entries that wait for
    /// another lane.
    func waiting(at destination: Destination) -> [Item] {
        let first = (lanes[destination] ?? [:]).values.compactMap { $0.first.flatMap { items[$0] } }
        let aside = asides.compactMap { items[$0] }.filter { aside in
            aside.destination == destination && !aside.blocks && lanes[destination]?[aside.lane]?.first.map { aside.sequence < $0 } ?? true
        }
        let busy = Set(inflight.compactMap { items[$0] }.filter { $0.destination == destination }.map(\.lane))
        return (first + aside).filter { $0.state == .pending && !busy.contains($0.lane) && !mustWait($0) }
    }

    /// True if an entry that goes first, in another lane, is not settled, or the parent failed or is held.
    func mustWait(_ item: Item) -> Bool {
        guard let after = item.after else { return false }
        if let parent = item.parent.flatMap({ items[$0] }), parent.state == .dead || parent.state == .held { return true }
        return items.values.contains {
            $0.destination == item.destination && $0.lane == after && $0.sequence < item.sequence
                && ($0.state == .pending || $0.state == .inflight)
        }
    }

    func last(of lane: Lane, at destination: Destination) -> Int64? {
        items.values.filter { $0.lane == lane && $0.destination == destination && $0.state != .delivered && $0.state != .discarded }
            .map(\.sequence).max()
    }

    /// In Unix milliseconds; nil if none waits.
    func nextDue(_ destination: Destination) -> Int64? { waiting(at: destination).map(\.due).min() }

    func nextDueByRoute(_ destination: Destination) -> [String: Int64] {
        Dictionary(waiting(at: destination).map { ($0.route.rawValue, $0.due) }, uniquingKeysWith: min)
    }

    mutating func claim(
        _ orders: [Destination: ClaimOrder], at now: Date
    ) -> (sequences: [Int64], nextDue: [Destination: [String: Int64]]) {
        var sequences: [Int64] = []
        var nextDue: [Destination: [String: Int64]] = [:]
        for (destination, order) in orders.sorted(by: { $0.key < $1.key }) {
            let latest = now.addingTimeInterval(Self.horizon).ms
            for item in waiting(at: destination) where item.due > latest { change(item.sequence) { $0.due = 0 } }
            var order = order
            while let chosen = chosen(order, destination, now) {
                for item in chosen {
                    change(item.sequence) { $0.state = .inflight }
                    sequences.append(item.sequence)
                    order.count -= 1
                    if order.probes.removeValue(forKey: item.route.rawValue) != nil { order.closed.insert(item.route.rawValue) }
                }
            }
            let next = nextDueByRoute(destination)
            if !next.isEmpty { nextDue[destination] = next }
        }
        return (sequences, nextDue)
    }

    /// One entry per lane: probes first, then the earliest due; nil if there is none.
    private func chosen(_ order: ClaimOrder, _ destination: Destination, _ now: Date) -> [Item]? {
        let due = waiting(at: destination).filter { $0.due <= now.ms }.sorted { ($0.due, $0.sequence) < ($1.due, $1.sequence) }
        let probes = order.probes.sorted { $0.key < $1.key }.compactMap { route, avoided in
            let candidates = due.filter { $0.route.rawValue == route }.prefix(2)
            return candidates.first { $0.sequence != avoided } ?? candidates.first
        }
        let others = due.filter { !order.closed.contains($0.route.rawValue) && order.probes[$0.route.rawValue] == nil }
        var lanes: Set<Lane> = []
        let chosen = (probes + others).filter { lanes.insert($0.lane).inserted }.prefix(max(0, order.count))
        return chosen.isEmpty ? nil : Array(chosen)
    }

    mutating func recover(isFault: Bool, due: Date) {
        for sequence in inflight {
            change(sequence) {
                $0.crashes += isFault ? 1 : 0
                $0.uncertain = true
                $0.doubts += 1
                $0.looks = 0
                $0.due = due.ms
                $0.state = $0.crashes >= 3 ? .held : .pending
                if $0.state == .held { $0.holdReason = .poison }
            }
        }
    }

    mutating func makeDue(backend: String?, at now: Date) {
        for destination in lanes.keys where backend == nil || destination.backend == backend {
            for item in waiting(at: destination) where item.due > now.ms && (!item.uncertain || item.route.traits.canLookUp) {
                change(item.sequence) { $0.due = 0 }
            }
        }
    }

    /// After a delivery of the route, entries set aside return to their lanes.
    mutating func recall(_ route: RouteKind, at destination: Destination) {
        for sequence in asides {
            guard let item = items[sequence], item.route == route, item.destination == destination, item.looks < Self.stuckLooks else {
                continue
            }
            change(sequence) {
                $0.aside = false
                $0.isRevived = true
                $0.due = 0
            }
        }
    }

    mutating func discard(_ item: Item) {
        change(item.sequence) {
            $0.state = .discarded
            $0.holdReason = nil
        }
        for dependent in items.values where dependent.parent == item.sequence && dependent.state == .pending {
            change(dependent.sequence) {
                $0.state = .held
                $0.holdReason = .dependency
            }
        }
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
    }

    /// Only receipts of settled entries stay.
    mutating func prune() {
        for item in items.values where item.state == .delivered || item.state == .discarded {
            pruned[item.id] = item.state
            items[item.sequence] = nil
        }
    }
}

extension Date {
    /// Unix milliseconds, as the outbox rounds them.
    var ms: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
    init(ms: Int64) { self.init(timeIntervalSince1970: Double(ms) / 1000) }
}
