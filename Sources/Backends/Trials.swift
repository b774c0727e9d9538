import SyncModel
import Synchronization

/// The trial requests that succeeded. They depend on the route and the fields only, and most submissions repeat an earlier one's.
final class Trials: Sendable {
    private struct Trial: Hashable {
        let route: String
        let fields: [String: JSONValue]
        let hasPayload: Bool
    }

    private let succeeded = Mutex<Set<Trial>>([])
    private static let most = 1000

    /// Runs `work`, unless it succeeded before. Remembers whole numbers only: ids, but no names or long texts.
    func run(_ route: String, _ fields: [String: JSONValue], hasPayload: Bool, _ work: () throws(Failure) -> Void) throws(Failure) {
        let isKept = fields.values.allSatisfy { if case .int = $0 { true } else { false } }
        guard isKept else { return try work() }
        let trial = Trial(route: route, fields: fields, hasPayload: hasPayload)
        if succeeded.withLock({ $0.contains(trial) }) { return }
        try work()
        succeeded.withLock { succeeded in
            if succeeded.count >= Self.most { succeeded = [] }
            succeeded.insert(trial)
        }
    }
}
