import Backends
import Delivery
import Foundation
import Outbox
import Roster
import Sessions
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct DispatcherTests {
    private static func dispatcher(_ store: Store, keepers: [SessionKeeper] = []) throws -> Dispatcher {
        let rosters = RosterKeeper(outbox: store.outbox, keepers: keepers, clock: store.clock, seed: 1, log: .silent)
        return try Dispatcher(
            outbox: store.outbox, keepers: keepers, rosters: rosters, clock: store.clock, policy: .init(), seed: 1, log: .silent)
    }

    /// On a full disk the loop may never end. Here it does not run at all.
    @Test func cancellationEndsWaitForTheLoop() async throws {
        let store = try Store()
        let dispatcher = try Self.dispatcher(store)
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
        try store.outbox.close()
    }

    @Test func recordsGateChangesInOrderBeforeItEnds() async throws {
        let store = try Store()
        let (directory, clock) = (store.directory, store.clock)
        try FileManager.default.createDirectory(atPath: directory("profiles"), withIntermediateDirectories: true)
        try directory.write(CourierTests.profile, to: "profiles/breathesafe.yaml")
        let backend = try ProfileLibrary.load(directory: directory("profiles"), deviceID: "d", version: "1")[0]
        let keeper = try SessionKeeper(backend: backend, outbox: store.outbox, transport: ScriptedBackend(), clock: clock, log: .silent)
        let dispatcher = try Self.dispatcher(store, keepers: [keeper])
        let pause = Pause(backend: "breathesafe", reason: "backup", since: clock.now, until: nil, by: "ann")
        for number in 1...50 {
            dispatcher.pause(pause, revision: Int64(2 * number))
            dispatcher.resume(backend: "breathesafe", revision: Int64(2 * number + 1))
        }
        dispatcher.stop()
        try await dispatcher.run()
        let events = try await store.outbox.events(since: 0, limit: 1000).filter { $0.kind == .gateChanged }
        #expect(events.compactMap { $0.detail["gate"] } == (1...50).flatMap { _ in ["paused", "signInRequired"] })
        try store.outbox.close()
    }
}
