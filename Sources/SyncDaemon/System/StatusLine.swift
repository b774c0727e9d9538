import Outbox
import ServiceLifecycle

/// The `systemctl status` line: the first sentence of `homing status`. Idle without changes; under load it checks once a second and uses at
/// most 10% of the time.
struct StatusLine: Service {
    let notifier: ServiceNotifier
    /// Fire when the sentence may have changed.
    let news: [Signal]
    /// The current sentence; nil if unavailable.
    let sentence: @Sendable () async -> String?
    var shortestPause = Duration.seconds(1)

    func run() async throws {
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        look.yield()
        await untilShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for signal in news {
                    let changes = signal.listen()
                    group.addTask { for await _ in changes { look.yield() } }
                }
                group.addTask { try await follow(looks) }
                try await group.waitForAll()
            }
        }
    }

    private func follow(_ looks: AsyncStream<Void>) async throws {
        var shown: String?
        for await _ in looks {
            let started = ContinuousClock.now
            if let sentence = await sentence(), sentence != shown {
                notifier.tell(.status(sentence))
                shown = sentence
            }
            try await Task.sleep(for: max(shortestPause, (ContinuousClock.now - started) * 9), clock: .continuous)
        }
    }
}
