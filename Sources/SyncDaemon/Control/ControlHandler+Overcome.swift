import Delivery
import Outbox
import SyncModel

/// Refusals of entries that a person has fixed, retried or discarded since. The server has not seen that change yet.
extension ControlHandler {
    /// By route, the gates of a backend that rest on one such refusal alone.
    func overcome(at backend: String) async throws(OutboxError) -> [String: RouteGate] {
        var overcome: [String: RouteGate] = [:]
        for (route, gate) in dispatcher.routeGates(of: backend) {
            guard [.refused, .forbidden].contains(gate.failure.reason), let sequence = gate.entry,
                let entry = try await outbox.entries(after: sequence - 1, limit: 1).first, entry.sequence == sequence, entry.isOvercome
            else { continue }
            overcome[route] = gate
        }
        return overcome
    }

    /// The gate of a backend: open if only an overcome refusal closes it; nil if it is not known.
    func gate(of backend: String, without overcome: [String: RouteGate]) -> Gate? {
        let gate = dispatcher.gates[backend]
        return overcome.values.contains { gate == .cooling(until: $0.until, $0.failure) } ? .open : gate
    }
}
