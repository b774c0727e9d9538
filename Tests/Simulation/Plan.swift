import Delivery
import Foundation

/// What one world is made of. Each world enables a random part of the fault kinds (swarm testing): a fault that is always there hides others.
package struct Plan: Codable, Sendable, Equatable {
    /// Of the core's jitter.
    package var seed: UInt64
    var backends: [Backend]
    var accounts: Int
    /// For each backend and account.
    var lanes: Int
    var inFlight: Int
    var faults: [Fault]
    var steps: Int
    /// What is under way ends in the order in which it began.
    var isOrderly: Bool
    /// Seconds until a list shows what has taken effect.
    var listLag: TimeInterval

    struct Backend: Codable, Sendable, Equatable {
        var name: String
        var hasHealthRoute: Bool
        /// For how long it remembers the key of a request, in seconds; nil for ever.
        var keyLifetime: TimeInterval?
    }

    /// The kinds of trouble that a world may have.
    package enum Fault: String, Codable, Sendable, CaseIterable {
        case offline, lostBefore, lostAfter, lostLate, serverErrors, timeouts, throttling, sessionsEnd, accountsChange, forbidden, refusals
        case portal, stillUnauthorized, atMostOnce, failingLookUps, diskFull, crashes, clockSteps, pauses, hurries, networkChanges, signOuts
        case stops, locks, persons, pruning, curses, lateTimers, undeclared, brokenPromises, lists, dependencies, outages
    }

    func has(_ fault: Fault) -> Bool { faults.contains(fault) }

    package init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.seed = generator.next()
        let density = [0.1, 0.3, 0.6, 0.9][Int.random(in: 0..<4, using: &generator)]
        var faults = Fault.allCases.filter { _ in Double.random(in: 0..<1, using: &generator) < density }
        // A person and a backend's memory reckon by the calendar: a clock that jumps would prove nothing but that.
        let remembersBriefly = !faults.contains(.clockSteps) && Int.random(in: 0..<4, using: &generator) == 0
        if faults.contains(.clockSteps) { faults.removeAll { $0 == .lostLate || $0 == .lists } }
        self.faults = faults
        backends = (0..<Int.random(in: 1...3, using: &generator)).map {
            Backend(
                name: "backend\($0)", hasHealthRoute: Bool.random(using: &generator), keyLifetime: remembersBriefly ? 4 * 3600 : nil)
        }
        accounts = Int.random(in: 1...3, using: &generator)
        lanes = Int.random(in: 1...4, using: &generator)
        inFlight = Int.random(in: 1...4, using: &generator)
        steps = Int.random(in: 200...1600, using: &generator)
        isOrderly = Int.random(in: 0..<4, using: &generator) == 0
        listLag = faults.contains(.lists) ? [0.7, 5, 25][Int.random(in: 0..<3, using: &generator)] : 0
    }
}
