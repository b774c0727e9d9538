import Foundation
import Testing

@testable import SyncDaemon

@Suite struct NotificationRetryTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)

    @Test func givesUpAfterADayOfCountedTries() {
        var retry = NotificationRetry()
        let steps = (0...26).map { retry.step(after: .failed(), attempts: $0, at: now) }
        #expect(steps[0] == .countAndWait(attempts: 1, until: now + 30) && steps[1] == .countAndWait(attempts: 2, until: now + 300))
        #expect((2...25).allSatisfy { steps[$0] == .countAndWait(attempts: $0 + 1, until: now + 3600) } && steps[26] == .giveUp)
    }

    @Test func refusalForGoodEndsTheMessage() {
        var retry = NotificationRetry()
        #expect(retry.step(after: .unreachable, attempts: 0, at: now) == .wait(until: now + 5))
        #expect(retry.step(after: .refused, attempts: 0, at: now) == .giveUp)
        #expect(retry.step(after: .unreachable, attempts: 0, at: now) == .wait(until: now + 5))
    }

    @Test func respectsRetryAfterUpToAnHour() {
        var retry = NotificationRetry()
        #expect(retry.step(after: .failed(retryAfter: 120), attempts: 0, at: now) == .countAndWait(attempts: 1, until: now + 120))
        #expect(retry.step(after: .failed(retryAfter: 9000), attempts: 0, at: now) == .countAndWait(attempts: 1, until: now + 3600))
    }

    @Test func outageNeverCountsAndPausesGrowToTenMinutes() {
        var retry = NotificationRetry()
        let pauses = (0...9).map { _ in retry.step(after: .unreachable, attempts: 3, at: now) }
        #expect(pauses.first == .wait(until: now + 5) && pauses.last == .wait(until: now + 600))
        #expect(retry.step(after: .delivered, attempts: 3, at: now) == .remove)
        #expect(retry.step(after: .unreachable, attempts: 0, at: now) == .wait(until: now + 5))
    }
}
