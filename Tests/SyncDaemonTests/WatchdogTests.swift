import Delivery
import Foundation
import Outbox
import Roster
import StoreSupport
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct WatchdogTests {
    @Test(
        arguments: [
            ([:], nil),
            (["WATCHDOG_USEC": "120000000"], .seconds(60)),
            (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "7"], .seconds(60)),
            (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
        ] as [([String: String], Duration?)])
    func intervalIsHalfTheTimeoutOfNamedProcess(environment: [String: String], interval: Duration?) {
        #expect(Watchdog.interval(environment: environment, pid: 7) == interval)
    }

    @Test func pingsOnlyWhileDispatcherRuns() async throws {
        let store = try Store()
        let notify = store.directory("notify")
        let receiver = try DatagramReceiver(at: notify)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": notify]))
        let rosters = RosterKeeper(outbox: store.outbox, keepers: [], clock: store.clock, seed: 1, log: .silent)
        let dispatcher = try Dispatcher(
            outbox: store.outbox, keepers: [], rosters: rosters, clock: store.clock, policy: .init(), seed: 1, log: .silent)
        let watchdog = Watchdog(dispatcher: dispatcher, notifier: notifier, interval: .milliseconds(5))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watchdog.run() }
            // The dispatcher's loop is not running.
            try await Task.sleep(for: .milliseconds(100))
            #expect(receiver.lines.isEmpty)
            group.addTask { try await dispatcher.run() }
            #expect(try await receiver.line(count: 3) { $0 == "WATCHDOG=1" } != nil)
            await dispatcher.finish(within: 1)
            let answer = await dispatcher.echo()
            #expect(!answer)
            // A ping requested before the end may still arrive.
            var told: Int
            repeat {
                told = receiver.lines.count
                try await Task.sleep(for: .milliseconds(100))
            } while receiver.lines.count != told
            group.cancelAll()
            try await group.waitForAll()
        }
        try store.outbox.close()
    }
}
