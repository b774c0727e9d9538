import ControlAPI
import Foundation
import Notifying
import SyncModel
import Synchronization

/// Performs `NotifyRules`: follows the daemon, also across its restarts, and shows the messages.
struct Notifier: Sendable {
    var look: @Sendable () async throws(Problem) -> Status
    /// Passes the events after `since` to `each` until the stream ends.
    var events: @Sendable (_ since: Int64, _ each: (Event) async throws -> Bool) async throws -> Void
    var show: @Sendable (NotifyMessage) async -> Void
    var now: @Sendable () -> Date = { Date() }
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The minimum time between calls of `look`.
    static let pace = Duration.seconds(1)
    /// Between the times at which messages may become due without an event.
    static let tick = Duration.seconds(5)
    /// In seconds. Some problems appear without an event.
    static let longestWithoutLook: TimeInterval = 60

    private final class Shared: Sendable {
        let rules: Mutex<NotifyRules>
        let isStale = Mutex(true)
        init(_ rules: NotifyRules) { self.rules = Mutex(rules) }
    }

    /// Runs until the task is cancelled.
    func run(_ rules: NotifyRules) async {
        let shared = Shared(rules)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask { await follow(shared, wake) }
            group.addTask {
                // `try?`: cancellation ends the loop.
                while (try? await pause(Self.tick)) != nil { wake.yield() }
            }
            await notify(shared, wakes)
            group.cancelAll()
        }
    }

    /// Follows the events from where it stopped; reconnects after the daemon was unreachable.
    private func follow(_ shared: Shared, _ wake: AsyncStream<Void>.Continuation) async {
        var failures = 0
        while !Task.isCancelled {
            do throws(Problem) {
                let status = try await look()
                await perform(shared) { $0.saw(status, at: $1) }
                failures = 0
                // A store that was replaced counts from the beginning.
                let cursor = min(status.cursor, shared.rules.withLock { $0.cursor })
                // `try?`: the stream ends when the daemon restarts; the next `look` finds it again.
                try? await events(cursor) { event in
                    shared.rules.withLock { $0.saw(event) }
                    shared.isStale.withLock { $0 = true }
                    wake.yield()
                    return !Task.isCancelled
                }
            } catch {
                failures += 1
                await perform(shared) { $0.sawNoAnswer(at: $1) }
            }
            // `try?`: on cancellation the loop ends.
            try? await pause(.seconds(min(15, 1 << min(failures, 4))))
        }
    }

    private func notify(_ shared: Shared, _ wakes: AsyncStream<Void>) async {
        var looked = now()
        for await _ in wakes {
            let wasStale = shared.isStale.withLock { isStale in
                defer { isStale = false }
                return isStale
            }
            if wasStale || looked.hasAged(Self.longestWithoutLook, at: now()) {
                looked = now()
                // Without an answer, the station's state is unknown; `follow` looks again.
                if let status = try? await look() { await perform(shared) { $0.saw(status, at: $1) } }
            } else {
                await perform(shared) { $0.messages(at: $1) }
            }
            // `try?`: on cancellation the loop ends.
            if (try? await pause(Self.pace)) == nil { return }
        }
    }

    /// Shows the messages of a step at the present time.
    private func perform(_ shared: Shared, _ step: (inout NotifyRules, Date) -> [NotifyMessage]) async {
        let time = now()
        for message in shared.rules.withLock({ step(&$0, time) }) { await show(message) }
    }
}
