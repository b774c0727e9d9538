import Foundation
import SyncModel

/// The parameters of a world. Each enables a random subset of the faults (swarm testing), since a constant fault hides others.
package struct Plan: Codable, Sendable, Equatable {
    /// For the core's jitter.
    package var seed: UInt64
    var backends: [Backend]
    var accounts: Int
    /// For each backend and account.
    var lanes: Int
    var inFlight: Int
    var faults: [Fault]
    var steps: Int
    /// Operations end in the order in which they began.
    var isOrderly: Bool
    /// Seconds until a list shows an effect.
    var listLag: TimeInterval

    struct Backend: Codable, Sendable, Equatable {
        var name: String
        var hasHealthRoute: Bool
        /// Seconds for which it remembers the key of a request; nil for ever.
        var keyLifetime: TimeInterval?
    }

    package enum Fault: String, Codable, Sendable, CaseIterable {
        case offline, lostBefore, lostAfter, lostLate, serverErrors, timeouts, throttling, sessionsEnd, accountsChange, forbidden, refusals
        case portal, stillUnauthorized, atMostOnce, failingLookUps, diskFull, crashes, clockSteps, pauses, hurries, networkChanges, signOuts
        case stops, locks, persons, pruning, curses, lateTimers, undeclared, brokenPromises, lists, dependencies, outages
        case references, discardsLater, fixes
    }

    func has(_ fault: Fault) -> Bool { faults.contains(fault) }

    package init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.seed = generator.next()
        let density = [0.1, 0.3, 0.6, 0.9][Int.random(in: 0..<4, using: &generator)]
        var faults = Fault.allCases.filter { _ in Double.random(in: 0..<1, using: &generator) < density }
        // People and a backend's memory use the wall clock, which clock steps invalidate.
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
