import Backends
import Delivery
import Foundation
import Logging
import Outbox
import Roster
import Sessions
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
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: log)
        let dispatcher = try Dispatcher(outbox: outbox, keepers: [], rosters: rosters, clock: clock, policy: .init(), seed: 1, log: log)
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

    @Test func recordsGateChangesInOrderBeforeItEnds() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try FileManager.default.createDirectory(atPath: directory("profiles"), withIntermediateDirectories: true)
        try directory.write(CourierTests.profile, to: "profiles/breathesafe.yaml")
        let backend = try ProfileLibrary.load(directory: directory("profiles"), deviceID: "d", version: "1")[0]
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        let keeper = try SessionKeeper(backend: backend, outbox: outbox, transport: ScriptedBackend(), clock: clock, log: log)
        let rosters = RosterKeeper(outbox: outbox, keepers: [keeper], clock: clock, seed: 1, log: log)
        let dispatcher = try Dispatcher(
            outbox: outbox, keepers: [keeper], rosters: rosters, clock: clock, policy: .init(), seed: 1, log: log)
        let pause = Pause(backend: "breathesafe", reason: "backup", since: clock.now, until: nil, by: "ann")
        for number in 1...50 {
            dispatcher.pause(pause, revision: Int64(2 * number))
            dispatcher.resume(backend: "breathesafe", revision: Int64(2 * number + 1))
        }
        dispatcher.stop()
        try await dispatcher.run()
        let events = try await outbox.events(since: 0, limit: 1000).filter { $0.kind == .gateChanged }
        #expect(events.compactMap { $0.detail["gate"] } == (1...50).flatMap { _ in ["paused", "signInRequired"] })
        try outbox.close()
    }
}
