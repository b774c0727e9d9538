import Delivery
import Outbox
import SyncModel

/// Refusals of entries that a person has fixed, retried or discarded since. The server has not seen that change yet.
extension ControlHandler {
    /// By route, the gates of a backend that rest on one such refusal alone.
    func overcome(at backend: String) async throws(OutboxError) -> [String: RouteGate] {
        var overcome: [String: RouteGate] = [:]
        for (route, gate) in dispatcher.routeGates(of: backend) where try await refused(behind: gate)?.isOvercome == true {
            overcome[route] = gate
        }
        return overcome
    }

    /// The entry whose refusal alone closes a route.
    func refused(behind gate: RouteGate) async throws(OutboxError) -> Entry? {
        guard [.refused, .forbidden].contains(gate.failure.reason), let sequence = gate.entry,
            let entry = try await outbox.entries(after: sequence - 1, limit: 1).first, entry.sequence == sequence
        else { return nil }
        return entry
    }

    /// The gate of a backend: open if only an overcome refusal closes it; nil if it is not known.
    func gate(of backend: String, without overcome: [String: RouteGate]) -> Gate? {
        closing(backend, of: overcome) == nil ? dispatcher.gates[backend] : .open
    }

    /// The overcome refusal that closes all routes of a backend.
    func closing(_ backend: String, of overcome: [String: RouteGate]) -> RouteGate? {
        overcome.values.first { dispatcher.gates[backend] == .cooling(until: $0.until, $0.failure) }
    }
}
