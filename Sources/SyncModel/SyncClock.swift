import Foundation

package protocol SyncClock: Sendable {
    var now: Date { get }
    /// Sleeps for the span from `begin`, a recent `now`: reading `now` again after the clock was set back could turn seconds into years.
    func sleep(from begin: Date, until deadline: Date) async throws
}

/// Sleeps on the continuous clock, which includes suspend and ignores steps of the wall clock.
package struct SystemClock: SyncClock {
    package init() {}
    package var now: Date { Date() }
    package func sleep(from begin: Date, until deadline: Date) async throws {
        try await Task.sleep(for: Duration(clampingSeconds: deadline.timeIntervalSince(begin)), clock: .continuous)
    }
}

extension Duration {
    package var seconds: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
