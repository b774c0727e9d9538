import Foundation

/// Time, as the daemon sees it: the real one in production, one that a test moves by hand otherwise.
package protocol SyncClock: Sendable {
    var now: Date { get }
    /// Returns once as much time has passed as lies between `begin`, which is what `now` was a moment ago, and `deadline`; or throws when
    /// cancelled. (With `now` read anew, a clock that is set back in that moment would make of a pause of seconds one of years.)
    func sleep(from begin: Date, until deadline: Date) async throws
}

/// The machine's clock. Waiting uses the suspending-proof continuous clock, so that a stepped wall clock cannot stretch a sleep.
package struct SystemClock: SyncClock {
    package init() {}
    package var now: Date { Date() }
    package func sleep(from begin: Date, until deadline: Date) async throws {
        try await Task.sleep(for: Duration(clampingSeconds: deadline.timeIntervalSince(begin)), clock: .continuous)
    }
}

extension Duration {
    /// In seconds, with a fraction.
    package var seconds: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
