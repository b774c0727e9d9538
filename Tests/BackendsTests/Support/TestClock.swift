import Foundation
import SyncModel
import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: SyncClock {
    private let time = Mutex(noon)

    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(until deadline: Date) async throws { throw CancellationError() }
}
