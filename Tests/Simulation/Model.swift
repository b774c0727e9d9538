import Delivery
import Foundation
import Outbox
import SyncModel

/// What the outbox must hold, reckoned apart from it in plain memory.
struct Model {
    struct Item: Equatable {
        let sequence: Int64
        let id: MutationID
        let destination: Destination
        let lane: Lane
        let route: RouteKind
        let onDead: Mutation.OnDead
        let curse: Curse?
        var state = Entry.State.pending
        var holdReason: HoldReason?
        /// Unix milliseconds; 0 for at once.
        var due: Int64 = 0
        var attempts = 0
        var releases = 0
        var crashes = 0
        var uncertain = false
        /// Tries since a person last gave it all its attempts that may count, by what they met.
        var countable = 0
        /// When its last try began, and when one last counted, in true time.
        var triedAt, countedAt: TimeInterval?
        /// A person has put it back in line, perhaps while a later one was being sent.
        var isRevived = false

        var blocks: Bool {
            switch state {
            case .pending, .inflight: true
            case .dead, .held: onDead == .halt
            case .delivered, .discarded: false
            }
        }
    }

    static let horizon: TimeInterval = 6 * 3600 + 60
    static let attempts = 3

    private(set) var items: [Int64: Item] = [:]
    /// Sequences of what is in line, in order.
    private var lanes: [Destination: [Lane: [Int64]]] = [:]
    private(set) var inflight: Set<Int64> = []
    /// What is known by its receipt alone, and how it was settled.
    private(set) var pruned: [MutationID: Entry.State] = [:]
    private(set) var newest: Int64 = 0

    /// What waits for something or somebody.
    var open: [Item] { items.values.filter { $0.state != .delivered && $0.state != .discarded } }

    /// What has stood at the head of its lane for as long as the later ones have been in it.
    func head(of item: Item) -> Int64? { lanes[item.destination]?[item.lane]?.first { items[$0]?.isRevived == false } }

    mutating func add(_ item: Item) throws {
        guard item.sequence > newest else { throw Violation("I1", "sequence \(item.sequence) was given out after \(newest)") }
        newest = item.sequence
        put(item)
    }

    private mutating func put(_ item: Item) {
        items[item.sequence] = item
        if item.state == .inflight { inflight.insert(item.sequence) } else { inflight.remove(item.sequence) }
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

    /// The heads of lanes that wait for their time; none where something of the lane is being sent.
    private func heads(_ destination: Destination) -> [Item] {
        (lanes[destination] ?? [:]).values.compactMap { line in
            guard let first = line.first, let head = items[first], head.state == .pending else { return nil }
            return line.contains(where: inflight.contains) ? nil : head
        }
    }

    /// When the first head of a lane is due, in Unix milliseconds; nil where none waits.
    func nextDue(_ destination: Destination) -> Int64? { heads(destination).map(\.due).min() }

    /// What a claim has to bring.
    mutating func claim(_ slots: [Destination: Int], at now: Date) -> (sequences: [Int64], nextDue: [Destination: Int64]) {
        var sequences: [Int64] = []
        var nextDue: [Destination: Int64] = [:]
        for (destination, count) in slots.sorted(by: { $0.key < $1.key }) {
            let due = heads(destination).filter { $0.due <= now.ms }.sorted { ($0.due, $0.sequence) < ($1.due, $1.sequence) }
            for item in due.prefix(count) {
                change(item.sequence) { $0.state = .inflight }
                sequences.append(item.sequence)
            }
            var next = self.nextDue(destination)
            let latest = now.addingTimeInterval(Self.horizon).ms
            if let time = next, time > latest {
                for item in heads(destination) where item.due > latest { change(item.sequence) { $0.due = 0 } }
                next = 0
            }
            nextDue[destination] = next
        }
        return (sequences, nextDue)
    }

    /// A new run finds what the last one left in flight.
    mutating func recover(isFault: Bool, due: Date) {
        for sequence in inflight {
            change(sequence) {
                $0.crashes += isFault ? 1 : 0
                $0.uncertain = true
                $0.due = due.ms
                $0.state = $0.crashes >= 3 ? .held : .pending
                if $0.state == .held { $0.holdReason = .poison }
            }
        }
    }

    mutating func makeDue(backend: String?, at now: Date) {
        for destination in lanes.keys where backend == nil || destination.backend == backend {
            for item in heads(destination) where item.due > now.ms && !item.uncertain { change(item.sequence) { $0.due = 0 } }
        }
    }

    mutating func retry(_ item: Item) {
        let isDecided = item.holdReason == .unknownOutcome || (item.state == .dead && !item.route.traits.canLookUp)
        change(item.sequence) {
            if !($0.state == .pending && $0.uncertain) { $0.due = 0 }
            $0.uncertain = $0.uncertain && !isDecided
            $0.isRevived = $0.isRevived || $0.state != .pending
            $0.state = .pending
            $0.holdReason = nil
            $0.attempts = 0
            $0.crashes = 0
            $0.countable = 0
        }
    }

    /// The rows of what is settled go; their receipts stay.
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
