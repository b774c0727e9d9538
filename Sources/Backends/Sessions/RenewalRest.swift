import Foundation
import SyncModel

/// How long nobody is asked to renew a session, after that has failed: so that not every entry asks again.
struct RenewalRest: Sendable {
    private var current: Current?
    private var failuresInARow = 0
    /// Why the last renewal failed; nil where it succeeded.
    var failure: Failure?

    private struct Current {
        let until: Date
        let failure: Failure
        /// The server named the time, so no person can shorten it.
        let isAsked: Bool
    }

    /// The first and the longest rest of our own, in seconds.
    private static let first: TimeInterval = 5
    private static let ceiling: TimeInterval = 600
    /// What Retry-After is clamped to, in seconds.
    private static let longestAsked: TimeInterval = 6 * 3600

    /// A renewal has failed. Each rest of our own is twice as long as the last one.
    mutating func begin(_ failure: Failure, asked: Date?, now: Date) {
        failuresInARow += 1
        self.failure = failure
        let own = min(Self.ceiling, Self.first * pow(2, Double(min(failuresInARow, 32) - 1)))
        current = Current(until: asked ?? now.addingTimeInterval(own), failure: failure, isAsked: asked != nil)
    }

    /// Until when, and why; nil where it is over, also where its end lies further ahead than any rest is long: then the clock was ahead when
    /// it began.
    func running(at now: Date) -> (until: Date, failure: Failure)? {
        guard let current else { return nil }
        let left = current.until.timeIntervalSince(now)
        return left > 0 && left <= (current.isAsked ? Self.longestAsked : Self.ceiling) ? (current.until, current.failure) : nil
    }

    /// A renewal has succeeded, or somebody has signed in.
    mutating func end() { self = RenewalRest() }

    /// How long a password rests after so many failures, in seconds: many wrong ones in a row lock an account.
    var passwordPause: TimeInterval { min(3600, 300 * pow(2, Double(min(failuresInARow, 8)))) }

    /// A person or the network wants it tried now.
    mutating func hurry() { if current?.isAsked == false { current = nil } }
}
