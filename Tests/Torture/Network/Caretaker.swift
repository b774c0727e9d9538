import ControlAPI
import Foundation
import Sandbox
import StationSupport

/// Does a person's work: signs in again, checks the backend, and retries entries.
struct Caretaker {
    let backend: FarBackend
    private(set) var retried: Set<String> = []
    /// Since when each entry waits for this person.
    private var seen: [String: ContinuousClock.Instant] = [:]

    /// How long a cancelled request may still be on its way to the backend.
    private static let travel: Duration = .seconds(2)

    init(_ backend: FarBackend) { self.backend = backend }

    /// Handles everything that needs a person now. Retries a held entry with an unknown outcome only if it did not arrive, and otherwise discards it.
    mutating func sees(to station: TestStation, handedIn: Int) async throws {
        // `try?`: faults hit sign-ins too; tried again.
        if try await station.report().session.state == "signInRequired" { try? await backend.signIn(station) }
        for entry in try await station.entries() where Self.isNeeded(by: entry) {
            guard backend.protection == .person else {
                _ = try await station.client.call(
                    Endpoints.retry, RetryRequest(id: entry.id, withoutLooking: entry.retryMayDuplicate == true))
                retried.insert(entry.id)
                continue
            }
            let since = seen[entry.id] ?? .now
            seen[entry.id] = since
            guard ContinuousClock.now - since > Self.travel else { continue }
            seen[entry.id] = nil
            let arrived = Set(backend.effects(station.sandbox.ledger, of: handedIn).map { backend.submission($0).id })
            if arrived.contains(entry.id) {
                _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: entry.id))
            } else {
                _ = try await station.client.call(
                    Endpoints.retry, RetryRequest(id: entry.id, withoutLooking: entry.retryMayDuplicate == true))
            }
            retried.insert(entry.id)
        }
    }

    /// True if an entry needs a person, or may have arrived and cannot be looked up. The daemon resends the latter only much later.
    static func isNeeded(by entry: EntrySummary) -> Bool {
        if entry.state == "dead" || entry.state == "held" { return true }
        return entry.state == "pending" && entry.uncertain && !entry.canBeLookedUp && (entry.dueAt?.timeIntervalSinceNow ?? 0) > 60
    }

    func isDone(_ entry: EntrySummary) -> Bool {
        entry.state == "delivered" || (backend.protection == .person && entry.state == "discarded" && retried.contains(entry.id))
    }
}
