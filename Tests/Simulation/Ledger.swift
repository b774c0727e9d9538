import Foundation
import SyncModel

/// What has taken effect at the backends, by mutation, and under which account's credentials.
struct Ledger {
    /// What a backend has of one mutation.
    struct Effect {
        var count = 0
        var remoteID: String
        /// When a list shows it, in seconds of true time: a list may lag behind.
        var visibleAt: TimeInterval
        /// The account whose credentials the request bore.
        var account: AccountID
    }

    private(set) var effects: [MutationID: Effect] = [:]
    /// Since when the backend knows the key, in seconds of true time.
    private var knownSince: [MutationID: TimeInterval] = [:]
    /// Requests whose answer was lost and that have not arrived yet, with the last moment (true time) at which they can.
    private(set) var late: [(item: Model.Item, account: AccountID, until: TimeInterval)] = []
    /// Effects beyond the first of each key: all, and those that the outbox had recorded as uncertain.
    private(set) var duplicates = 0
    private(set) var uncertainDuplicates = 0

    func has(_ id: MutationID) -> Bool { effects[id] != nil }
    func isExpected(_ id: MutationID) -> Bool { late.contains { $0.item.id == id } }

    /// What a list shows of a route of one destination at that time, in the order in which it took effect.
    func rows(_ route: RouteKind, at destination: Destination, _ items: [Model.Item], time: TimeInterval) -> [(
        id: MutationID, remoteID: String
    )] {
        items.filter { $0.route == route && $0.destination == destination }.sorted { $0.sequence < $1.sequence }.compactMap { item in
            effects[item.id].flatMap { $0.visibleAt <= time ? (item.id, $0.remoteID) : nil }
        }
    }

    /// Effects that a mutation may have at most, however often its outcome was left open.
    static func most(_ route: RouteKind) -> Int { route == .blind ? 3 : 1 }

    /// A request arrives and does its work, unless the backend heeds keys and remembers this one.
    ///
    /// - Parameters:
    ///   - wasUncertain: the sender had recorded that an earlier send may have taken effect.
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

    /// How much longer than it says a backend remembers, for what was on its way, in seconds.
    private static let grace: TimeInterval = 120

    mutating func expect(_ item: Model.Item, as account: AccountID, until: TimeInterval) { late.append((item, account, until)) }

    /// Takes out the late request at `index`.
    mutating func arrive(at index: Int) -> (item: Model.Item, account: AccountID) {
        let request = late.remove(at: index)
        return (request.item, request.account)
    }
}
