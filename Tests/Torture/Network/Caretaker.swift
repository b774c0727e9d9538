import ControlAPI
import Foundation
import Sandbox
import StationSupport

/// Whoever does what only a person can: signs in again, looks at the backend, and has things tried again.
struct Caretaker {
    let backend: FarBackend
    /// What was tried again because of this person, by id.
    private(set) var retried: Set<String> = []
    /// Since when each has been waiting for this person.
    private var seen: [String: ContinuousClock.Instant] = [:]

    /// How long a request that was cut off may still be on its way to the backend.
    private static let travel: Duration = .seconds(2)

    init(_ backend: FarBackend) { self.backend = backend }

    /// Sees to everything that waits for a person now. What was held because it may have arrived is tried again only if it has not, else it is
    /// done with.
    mutating func sees(to station: TestStation, handedIn: Int) async throws {
        // `try?`: the lies are told to people too, who try again.
        if try await station.report().session.state == "signInRequired" { try? await backend.signIn(station) }
        for entry in try await station.entries() where Self.isNeeded(by: entry) {
            guard backend.protection == .person else {
                _ = try await station.client.call(Endpoints.retry, RetryRequest(id: entry.id))
                retried.insert(entry.id)
                continue
            }
            let since = seen[entry.id] ?? .now
            seen[entry.id] = since
            guard ContinuousClock.now - since > Self.travel else { continue }
            seen[entry.id] = nil
            let arrived = Set(backend.effects(station.sandbox.ledger, of: handedIn).map { backend.submission($0).id })
            if arrived.contains(entry.id) {
                _ = try await station.client.call(Endpoints.discard, EntryReference(id: entry.id))
            } else {
                _ = try await station.client.call(Endpoints.retry, RetryRequest(id: entry.id))
            }
            retried.insert(entry.id)
        }
    }

    /// Whether it waits for a person, or may have arrived and cannot be looked up: then the daemon sends it again much later, unless a person
    /// says so.
    static func isNeeded(by entry: EntrySummary) -> Bool {
        if entry.state == "dead" || entry.state == "held" { return true }
        return entry.state == "pending" && entry.uncertain && !entry.canBeLookedUp && (entry.dueAt?.timeIntervalSinceNow ?? 0) > 60
    }

    /// Whether it has come to a good end: delivered, or found at the backend by this person.
    func isDone(_ entry: EntrySummary) -> Bool {
        entry.state == "delivered" || (backend.protection == .person && entry.state == "discarded" && retried.contains(entry.id))
    }
}
