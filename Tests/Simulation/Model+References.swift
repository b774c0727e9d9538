import Foundation
import Outbox
import SyncModel

extension Model {
    /// Creates, and what refers to the rows that they create.
    struct References {
        /// By create. Kept when only the receipt is left.
        private(set) var sequences: [MutationID: Int64] = [:]
        /// The accepted creates of an account, oldest first.
        private(set) var creates: [Destination: [MutationID]] = [:]
        /// In order, until the create is delivered.
        fileprivate(set) var dependents: [MutationID: [Int64]] = [:]
        /// The ids in the receipts of creates.
        fileprivate(set) var rows: [MutationID: RosterID] = [:]
        /// The sequences of discarded entries.
        var discarded: Set<Int64> = []
        /// How often an entry was put on hold for its create, and released again.
        fileprivate(set) var held = 0
        fileprivate(set) var released = 0

        mutating func add(_ item: Item) {
            if item.createsRow {
                sequences[item.id] = item.sequence
                creates[item.destination, default: []].append(item.id)
            }
            guard let create = item.needs, rows[create] == nil else { return }
            dependents[create, default: []].append(item.sequence)
            if item.state == .held { held += 1 }
        }

        /// One of the newest creates of the account.
        func create(_ pick: Int, at destination: Destination) -> MutationID? {
            let newest = (creates[destination] ?? []).suffix(8)
            return newest.isEmpty ? nil : newest[newest.endIndex - 1 - pick % newest.count]
        }
    }

    /// The state of a create; nil for an unknown one.
    func state(of create: MutationID) -> Entry.State? {
        references.sequences[create].flatMap { items[$0]?.state } ?? pruned[create]
    }

    /// The backend's id of the row; nil until the create is delivered.
    func binding(of create: MutationID) -> RosterID? { state(of: create) == .delivered ? references.rows[create] : nil }

    /// The state that keeps an entry on hold, of the create that it refers to.
    func obstacle(_ item: Item) -> Entry.State? {
        guard let create = item.needs, let state = state(of: create) else { return nil }
        return [.dead, .held, .discarded].contains(state) ? state : nil
    }

    /// True if an entry of another lane that had to be delivered first was discarded, so that a person decides.
    func hasLostParent(_ item: Item) -> Bool { item.parent.map(references.discarded.contains) ?? false }

    /// Why the outbox refuses an entry that refers to this create; nil if it does not.
    func refusal(of create: MutationID?) -> OutboxError? {
        guard let create else { return nil }
        return switch state(of: create) {
        case nil: .noSuchCreate(create)
        case .discarded: replacement(of: create).map { OutboxError.createReplaced(create, by: $0) } ?? .createDiscarded(create)
        default: nil
        }
    }

    /// The create at the end of a chain of replacements; nil if that was discarded, and for a create that was not replaced.
    private func replacement(of create: MutationID) -> MutationID? {
        var last = create
        while let next = replacements[last] { last = next }
        return state(of: last).flatMap { $0 == .discarded ? nil : last }
    }

    /// Undelivered, in order.
    func dependents(of create: MutationID) -> [Int64] {
        (references.dependents[create] ?? []).filter { items[$0]?.isOpen == true }
    }

    // MARK: Rows

    /// The lane of entries about a row, by its reference or by the backend's id.
    static func lane(of row: RosterID) -> Lane { Lane("\(Wire.resource)/\(row)") }

    /// The first entry that must take effect before this one: of its lane, and of all entries about its row.
    func head(of item: Item) -> Int64? {
        guard let row = item.row else { return head(of: item.lane, at: item.destination) }
        let names = [RosterID(createdBy: row)] + (references.rows[row].map { [$0] } ?? [])
        return names.compactMap { head(of: Self.lane(of: $0), at: item.destination) }.min()
    }

    /// Stores the id of a row in the receipt of its create.
    mutating func bind(_ sequence: Int64, to remoteID: String?) {
        guard let item = items[sequence], item.createsRow, let id = remoteID.map({ RosterID($0) }) else { return }
        references.rows[item.id] = id
    }

    // MARK: Holding and releasing

    /// Holds a pending entry for another one, and then what refers to it.
    mutating func hold(_ sequence: Int64) {
        guard items[sequence]?.state == .pending else { return }
        change(sequence) {
            $0.state = .held
            $0.holdReason = .dependency
        }
        holdDependents(of: sequence)
    }

    /// If the entry failed, or is held or discarded.
    mutating func holdDependents(of sequence: Int64) {
        guard let item = items[sequence], item.createsRow, [.dead, .held, .discarded].contains(item.state) else { return }
        for dependent in references.dependents[item.id] ?? [] where items[dependent]?.state == .pending {
            references.held += 1
            hold(dependent)
        }
    }

    /// If the entry is pending or delivered. A person decides about entries that had to follow a discarded one.
    mutating func releaseDependents(of sequence: Int64) {
        guard let item = items[sequence], item.createsRow, [.pending, .delivered].contains(item.state) else { return }
        for dependent in references.dependents[item.id] ?? [] { release(dependent) }
        if item.state == .delivered { references.dependents[item.id] = nil }
    }

    mutating func release(_ sequence: Int64) {
        guard let item = items[sequence], item.state == .held, item.holdReason == .dependency, obstacle(item) == nil,
            !hasLostParent(item)
        else { return }
        references.released += 1
        putBack(sequence) {
            $0.state = .pending
            $0.holdReason = nil
        }
    }

    /// Changes an entry that may return to its lane while a later one is sent.
    mutating func putBack(_ sequence: Int64, _ body: (inout Item) -> Void) {
        guard let item = items[sequence] else { return }
        let isOvertaken =
            !item.blocks && inflight.contains { items[$0].map { ($0.lane, $0.destination) == (item.lane, item.destination) } ?? false }
        change(sequence) {
            body(&$0)
            $0.isRevived = $0.isRevived || isOvertaken
        }
        releaseDependents(of: sequence)
    }
}
