import Foundation
import SyncModel
import Testing

@Suite struct ClockChangesTests {
    private let now = Date(timeIntervalSince1970: 1_793_491_200)

    /// The noted time in seconds from now, and whether it is at least 60 seconds old.
    @Test(arguments: [
        (-60.001, true), (-60, true), (-59.999, false), (0, false), (59.999, false), (60, true), (1e9, true), (-1e9, true),
    ])
    func timeAgesByItsDistanceFromNow(offset: TimeInterval, hasAged: Bool) {
        let noted = now.addingTimeInterval(offset)
        #expect(noted.hasAged(60, at: now) == hasAged)
        #expect(noted.hasAged(60, at: now) == (abs(now.timeIntervalSince(noted)) >= 60))
        #expect(noted.hasAged(0, at: now))
    }

    /// The end of a wait of at most 60 seconds, in seconds from now, and whether it has come.
    @Test(arguments: [(-1e9, true), (-0.001, true), (0, true), (0.001, false), (59.999, false), (60, false), (60.001, true), (1e9, true)])
    func waitEndsAtItsEndOrIfImplausiblyLong(offset: TimeInterval, hasCome: Bool) {
        let end = now.addingTimeInterval(offset)
        #expect(end.hasCome(at: now, longest: 60) == hasCome)
        #expect(end.hasCome(at: now, longest: 60) == (end <= now || end > now.addingTimeInterval(60)))
    }

    /// The noted time in seconds from now, and whether it can be true.
    @Test(arguments: [(-1e9, true), (-0.001, true), (0, true), (0.001, false), (1e9, false)])
    func timeInTheFutureDoesNotCount(offset: TimeInterval, counts: Bool) {
        let noted = now.addingTimeInterval(offset)
        #expect(noted.unlessAhead(of: now) == (counts ? noted : nil))
    }

    /// A wait that a server asked for never seems impossibly long.
    @Test func longestWaitIsWithinTheHorizon() {
        #expect(ServerPause.longest == 21_600 && ServerPause.horizon == 21_660)
        #expect(!now.addingTimeInterval(ServerPause.longest).hasCome(at: now, longest: ServerPause.horizon))
    }
}
