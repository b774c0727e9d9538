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
        var curse: Curse?
        /// A lane with earlier entries that go first, and the last of them.
        let after: Lane?
        var parent: Int64?
        var createsRow = false
        /// The create of the row that it refers to.
        var row: MutationID?
        /// It does not have the backend's id of the row, and waits for the create.
        var needsCreate = false
        var state = Entry.State.pending
        var holdReason: HoldReason?
        /// Being discarded: its earlier state, and when it is destroyed, in Unix milliseconds.
        var discard: Discard?
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
        var throttledAt: TimeInterval?
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
            case .dead, .held: onDead == .halt && holdReason != .discarding
            case .delivered, .discarded: false
            }
        }

        var isOpen: Bool { state != .delivered && state != .discarded }
        var mayHaveTakenEffect: Bool { uncertain || doubts > 0 || holdReason == .unknownOutcome }
        /// The create that it waits for, or once waited for.
        var needs: MutationID? { needsCreate ? row : nil }
    }

    struct Discard: Equatable {
        let state: Entry.State
        let holdReason: HoldReason?
        let due: Int64
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
    /// The number of undelivered entries.
    private var occupancy: [Destination: [Lane: Int]] = [:]
    var references = References()
    /// New entries by the ids of those that they replaced.
    var replacements: [MutationID: MutationID] = [:]

    var open: [Item] { items.values.filter(\.isOpen) }

    /// The first entry of the lane that was never put back.
    func head(of lane: Lane, at destination: Destination) -> Int64? {
        lanes[destination]?[lane]?.first { items[$0]?.isRevived == false }
    }

    /// The first entry that keeps later ones of the lane back.
    func first(of lane: Lane, at destination: Destination) -> Int64? { lanes[destination]?[lane]?.first }

    func isOccupied(_ lane: Lane, at destination: Destination) -> Bool { occupancy[destination]?[lane] != nil }

    mutating func add(_ item: Item) throws {
        guard item.sequence > newest else { throw Violation("I1", "sequence \(item.sequence) was given out after \(newest)") }
        newest = item.sequence
        put(item)
        references.add(item)
    }

    private mutating func put(_ item: Item) {
        let wasOpen = items[item.sequence]?.isOpen ?? false
        items[item.sequence] = item
        if item.isOpen != wasOpen {
            let count = (occupancy[item.destination]?[item.lane] ?? 0) + (item.isOpen ? 1 : -1)
            occupancy[item.destination, default: [:]][item.lane] = count > 0 ? count : nil
        }
        if item.state == .inflight { inflight.insert(item.sequence) } else { inflight.remove(item.sequence) }
        if item.aside, item.state == .pending { asides.insert(item.sequence) } else { asides.remove(item.sequence) }
        var line = lanes[item.destination]?[item.lane] ?? []
        let index = line.firstIndex { $0 >= item.sequence } ?? line.count
        let isThere = index < line.count && line[index] == item.sequence
        if isThere == item.blocks { return }
        if item.blocks { line.insert(item.sequence, at: index) } else { line.remove(at: index) }
        lanes[item.destination, default: [:]][item.lane] = line.isEmpty ? nil : line
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

    /// True if an entry that goes first, in another lane, or the parent, is not settled, or the create that it needs is not delivered.
    func mustWait(_ item: Item) -> Bool {
        if let create = item.needs, state(of: create) != .delivered { return true }
        guard let after = item.after else { return false }
        // It may have replaced an earlier one.
        if let parent = item.parent.flatMap({ items[$0] }), parent.isOpen { return true }
        return items.values.contains {
            $0.destination == item.destination && $0.lane == after && $0.sequence < item.sequence
                && ($0.state == .pending || $0.state == .inflight)
        }
    }

    /// Not one that is being discarded.
    func last(of lane: Lane, at destination: Destination) -> Int64? {
        items.values.filter { $0.lane == lane && $0.destination == destination && $0.isOpen && $0.discard == nil }.map(\.sequence).max()
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

    mutating func liftCurses() {
        for item in items.values where item.curse != nil { change(item.sequence) { $0.curse = nil } }
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
                if $0.state == .held { $0.holdReason = .crashes }
            }
            holdDependents(of: sequence)
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
