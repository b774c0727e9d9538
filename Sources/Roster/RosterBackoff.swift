import Foundation
import SyncModel

/// Spaces out the reads of one backend after failures.
struct RosterBackoff: Sendable, Equatable {
    private var until: Date?
    private var failuresInARow = 0
    /// A new network or an opening gate does not end the pause.
    private var isFirm = false

    /// The first and the longest pause, in seconds.
    static let first: TimeInterval = 30
    static let ceiling: TimeInterval = 3600

    /// Full jitter below a bound that doubles, so that many devices do not return together; never less than the first pause. With `isFirm`,
    /// `hurry` does not end the pause.
    mutating func begin(isFirm: Bool = false, at now: Date, using generator: inout some RandomNumberGenerator) {
        self.isFirm = isFirm
        failuresInARow += 1
        let bound = min(Self.ceiling, Self.first * pow(2, Double(min(failuresInARow, 32) - 1)))
        until = now.addingTimeInterval(max(Self.first, .random(in: 0...bound, using: &generator)))
    }

    /// The store has no room, which a network or server does not change.
    mutating func beginLongest(at now: Date) { (until, isFirm) = (now.addingTimeInterval(Self.ceiling), true) }

    /// Nil when over.
    func running(at now: Date) -> Date? { until.flatMap { $0.hasCome(at: now, longest: Self.ceiling) ? nil : $0 } }

    /// Reads at once, but remembers the failures.
    mutating func hurry() { if !isFirm { until = nil } }

    mutating func end() { self = RosterBackoff() }
}
