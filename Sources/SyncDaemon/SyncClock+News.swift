import Foundation
import SyncModel

extension SyncClock {
    /// Sleeps until `deadline`, nil for ever. False if `news` came first.
    func isReached(_ deadline: Date?, from now: Date, unless news: AsyncStream<Void>) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await news.first { _ in true }
                return false
            }
            if let deadline {
                group.addTask {
                    try await self.sleep(from: now, until: deadline)
                    return true
                }
            }
            defer { group.cancelAll() }
            let isReached = try await group.next() ?? false
            try Task.checkCancellation()
            return isReached
        }
    }
}
