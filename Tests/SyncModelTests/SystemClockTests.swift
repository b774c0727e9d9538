import Foundation
import SyncModel
import Testing

struct SystemClockTests {
    /// What was decided by a clock that was decades ahead, and is slept by one that has been set right in between.
    @Test(.timeLimit(.minutes(60))) func aClockThatIsSetBackBeforeTheSleepBeginsDoesNotProlongIt() async throws {
        let ahead = Date().addingTimeInterval(30 * 365 * 86_400)
        try await SystemClock().sleep(from: ahead, until: ahead.addingTimeInterval(0.01))
    }
}
