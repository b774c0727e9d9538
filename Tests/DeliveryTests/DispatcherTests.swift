import Delivery
import Foundation
import Logging
import Outbox
import SyncModel
import TestSupport
import Testing
import Vault

@Suite struct DispatcherTests {
    /// On a full disk the loop may never end. Here it does not run at all.
    @Test func cancellationEndsWaitForTheLoop() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        let dispatcher = try Dispatcher(
            outbox: outbox, keepers: [], clock: clock, policy: .init(), seed: 1,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let waits: [@Sendable () async -> Void] = [
            { await dispatcher.finish(within: 60) }, { await dispatcher.drain(backend: "breathesafe") },
        ]
        for work in waits {
            let (outcomes, post) = AsyncStream.makeStream(of: Bool.self)
            let task = Task {
                await work()
                post.yield(true)
            }
            // A limit, so that the test fails instead of hanging.
            let limit = Task {
                try await Task.sleep(for: .seconds(60))
                post.yield(false)
            }
            task.cancel()
            let hasEnded = await outcomes.first { _ in true }
            #expect(hasEnded == true)
            limit.cancel()
        }
        try outbox.close()
    }
}
