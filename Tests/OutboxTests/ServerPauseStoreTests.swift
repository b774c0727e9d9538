import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ServerPauseStoreTests {
    private func serverPause(_ seconds: TimeInterval, since: Date, address: String = "https://lab.test:443") -> ServerPause {
        ServerPause(
            backend: "lab", address: address, since: since, until: since.addingTimeInterval(seconds),
            failure: Failure(.throttled, status: 429, "slower"))
    }

    /// Several sends are in progress at once, and each may be answered with its own Retry-After.
    @Test(arguments: [[3600, 5], [5, 3600]] as [[TimeInterval]])
    func keepsTheLongestWait(waits: [TimeInterval]) async throws {
        let store = try Store()
        for wait in waits { try await store.outbox.keep(serverPause(wait, since: store.clock.now)) }
        #expect(try store.outbox.serverPauses(at: store.clock.now) == [serverPause(3600, since: store.clock.now)])
    }

    /// Reads that wait for a thread hold the readers of the store.
    @Test(.timeLimit(.minutes(10))) func readsBesideManyOthersWithoutWaitingForThem() async throws {
        let store = try Store()
        let now = store.clock.now
        try await store.outbox.keep(serverPause(5, since: now))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...2000 {
                group.addTask {
                    number % 2 == 0 ? try store.outbox.serverPauses(at: now).count : try await store.outbox.lanes(limit: 1).count + 1
                }
            }
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test func replacesWaitOfAnotherAddressOrFromTheFuture() async throws {
        let store = try Store()
        let now = store.clock.now
        let ahead = serverPause(3600, since: now.addingTimeInterval(86_400))
        for earlier in [serverPause(3600, since: now, address: "https://old.test:443"), ahead] {
            try await store.outbox.keep(earlier)
            try await store.outbox.keep(serverPause(5, since: now))
            #expect(try store.outbox.serverPauses(at: now) == [serverPause(5, since: now)])
            #expect(try await store.outbox.serverPause(of: "lab", at: "https://lab.test:443", now: now) == serverPause(5, since: now))
            #expect(try await store.outbox.serverPause(of: "lab", at: "https://old.test:443", now: now) == nil)
        }
    }
}
