import Foundation
import SyncModel

/// Effects at the backends.
struct Ledger {
    struct Effect {
        var count = 0
        var remoteID: String
        /// When a list shows it, in seconds of true time.
        var visibleAt: TimeInterval
        var account: AccountID

        /// As receipts have it.
        var id: String { remoteID.filter { $0 != "\"" } }
    }

    private(set) var effects: [MutationID: Effect] = [:]
    /// In seconds of true time.
    private var knownSince: [MutationID: TimeInterval] = [:]
    /// Requests without a response that may still arrive, until a moment in true time.
    private(set) var late: [(item: Model.Item, account: AccountID, until: TimeInterval)] = []
    /// Effects beyond the first of each key, and those recorded as uncertain.
    private(set) var duplicates = 0
    private(set) var uncertainDuplicates = 0

    func has(_ id: MutationID) -> Bool { effects[id] != nil }
    func isExpected(_ id: MutationID) -> Bool { late.contains { $0.item.id == id } }

    /// The rows that a list shows at `time`, in the order of their effects.
    func rows(_ route: RouteKind, at destination: Destination, _ items: [Model.Item], time: TimeInterval) -> [(
        id: MutationID, remoteID: String
    )] {
        items.filter { $0.route == route && $0.destination == destination }.sorted { $0.sequence < $1.sequence }.compactMap { item in
            effects[item.id].flatMap { $0.visibleAt <= time ? (item.id, $0.remoteID) : nil }
        }
    }

    static func most(_ route: RouteKind) -> Int { route == .blind ? 3 : 1 }

    /// Takes effect unless the backend honors keys and remembers this one.
    ///
    /// - Parameters:
    ///   - wasUncertain: the sender recorded that an earlier send may have taken effect.
    ///   - lag: seconds until a list shows it.
    mutating func take(
        _ item: Model.Item, as account: AccountID, wasUncertain: Bool, keyLifetime: TimeInterval?, lag: TimeInterval, at time: TimeInterval
    ) throws {
        if account != item.destination.account {
            throw Violation("I8", "entry \(item.sequence) of \(item.destination) took effect under the credentials of \(account)")
        }
        if item.route == .keyed, let since = knownSince[item.id], keyLifetime.map({ time - since < $0 + Self.grace }) ?? true { return }
        knownSince[item.id] = time
        var effect = effects[item.id] ?? Effect(remoteID: Wire.remoteID(item.sequence), visibleAt: time + lag, account: account)
        effect.count += 1
        effects[item.id] = effect
        guard effect.count > 1 else { return }
        duplicates += 1
        if wasUncertain { uncertainDuplicates += 1 }
        guard effect.count <= Self.most(item.route), wasUncertain else {
            throw Violation(
                "I3", "entry \(item.sequence) (\(item.route)) took effect \(effect.count) times, recorded as uncertain: \(wasUncertain)")
        }
    }

    /// Seconds for which a backend remembers a key longer, for requests in flight.
    private static let grace: TimeInterval = 120

    mutating func expect(_ item: Model.Item, as account: AccountID, until: TimeInterval) { late.append((item, account, until)) }

    mutating func arrive(at index: Int) -> (item: Model.Item, account: AccountID) {
        let request = late.remove(at: index)
        return (request.item, request.account)
    }
}
