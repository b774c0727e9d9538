import Delivery
import Foundation
import Logging
import Outbox
import Roster
import SyncModel
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(60))) struct WatchdogTests {
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
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(at: directory("notify"))
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory("notify")]))
        let clock = SystemClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let rosters = RosterKeeper(outbox: outbox, keepers: [], clock: clock, seed: 1, log: log)
        let dispatcher = try Dispatcher(outbox: outbox, keepers: [], rosters: rosters, clock: clock, policy: .init(), seed: 1, log: log)
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
        try outbox.close()
    }
}
