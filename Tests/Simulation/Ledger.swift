import Foundation
import SyncModel

/// What has taken effect at the backends, by mutation.
struct Ledger {
    private(set) var effects: [MutationID: Int] = [:]
    /// Since when the backend knows the key, in seconds of true time.
    private var knownSince: [MutationID: TimeInterval] = [:]
    /// Requests whose answer was lost and that have not arrived yet, with the last moment (true time) at which they can.
    private(set) var late: [(item: Model.Item, until: TimeInterval)] = []
    /// Effects beyond the first of each key: all, and those that the outbox had recorded as uncertain.
    private(set) var duplicates = 0
    private(set) var uncertainDuplicates = 0

    func has(_ id: MutationID) -> Bool { effects[id] != nil }
    func isExpected(_ id: MutationID) -> Bool { late.contains { $0.item.id == id } }

    /// A request arrives and does its work, unless the backend heeds keys and remembers this one.
    ///
    /// - Parameter wasUncertain: the sender had recorded that an earlier send may have taken effect.
    mutating func take(_ item: Model.Item, wasUncertain: Bool, keyLifetime: TimeInterval?, at time: TimeInterval) throws {
        let count = effects[item.id] ?? 0
        if item.route == .keyed, let since = knownSince[item.id], keyLifetime.map({ time - since < $0 + Self.grace }) ?? true { return }
        knownSince[item.id] = time
        effects[item.id] = count + 1
        guard count > 0 else { return }
        duplicates += 1
        if wasUncertain { uncertainDuplicates += 1 }
        guard item.route == .blind, wasUncertain else {
            throw Violation(
                "I3", "entry \(item.sequence) (\(item.route)) took effect \(count + 1) times, recorded as uncertain: \(wasUncertain)")
        }
    }

    /// How much longer than it says a backend remembers, for what was on its way, in seconds.
    private static let grace: TimeInterval = 120

    mutating func expect(_ item: Model.Item, until: TimeInterval) { late.append((item, until)) }

    /// Takes out the late request at `index`.
    mutating func arrive(at index: Int) -> Model.Item { late.remove(at: index).item }
}
