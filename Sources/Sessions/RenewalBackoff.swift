import Foundation
import SyncModel

/// Pauses after failed renewals, so that not every entry asks for one.
struct RenewalBackoff: Sendable, Equatable {
    private var current: Pause?
    private var failuresInARow = 0
    /// Why the last renewal failed; nil if it succeeded.
    var failure: Failure?

    private struct Pause: Sendable, Equatable {
        let until: Date
        let failure: Failure
        /// The server named the time, so no person can shorten it.
        let isAsked: Bool
    }

    /// The first and the longest pause of our own, in seconds.
    private static let first: TimeInterval = 5
    private static let ceiling: TimeInterval = 600
    /// The longest without a connection.
    private static let connecting: TimeInterval = 15

    /// Each pause of our own is twice as long as the previous one.
    mutating func begin(_ failure: Failure, asked: Date?, now: Date) {
        failuresInARow += 1
        self.failure = failure
        let own = min(failure.reason == .offline ? Self.connecting : Self.ceiling, Self.first * pow(2, Double(min(failuresInARow, 32) - 1)))
        current = Pause(until: asked ?? now.addingTimeInterval(own), failure: failure, isAsked: asked != nil)
    }

    /// Nil when over.
    func running(at now: Date) -> (until: Date, failure: Failure)? {
        let longest = current?.isAsked == true ? ServerPause.longest : Self.ceiling
        guard let current, !current.until.hasCome(at: now, longest: longest) else { return nil }
        return (current.until, current.failure)
    }

    mutating func end() { self = RenewalBackoff() }

    /// The pause in seconds of a kept password: many refusals lock an account.
    var passwordPause: TimeInterval { min(3600, 300 * pow(2, Double(min(failuresInARow, 8)))) }

    /// A person or the network wants a renewal now.
    mutating func hurry() { if current?.isAsked == false { current = nil } }
}
