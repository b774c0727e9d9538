import Foundation
import SyncModel
import Testing

struct SystemClockTests {
    /// The deadline is from a clock that was decades ahead and was corrected before the sleep.
    @Test func clockSetBackBeforeSleepDoesNotProlongIt() async throws {
        let ahead = Date().addingTimeInterval(30 * 365 * 86_400)
        try await SystemClock().sleep(from: ahead, until: ahead.addingTimeInterval(0.01))
    }
}
