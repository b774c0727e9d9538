import Outbox
import ServiceLifecycle

/// Keeps the service manager's status line (`systemctl status`) at what `homing status` says first: one sentence, told when it changes.
///
/// Asleep while nothing happens; in a rush it looks once a second, and spends at most a tenth of the time.
struct StatusLine: Service {
    let notifier: ServiceNotifier
    /// Each tells that the sentence may have changed.
    let news: [Signal]
    /// The sentence as it is now; nil where it cannot be told.
    let sentence: @Sendable () async -> String?
    var shortestPause = Duration.seconds(1)

    func run() async throws {
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        look.yield()
        try? await cancelWhenGracefulShutdown {  // `try?`: cancelled while asleep, that is how this ends
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
        var told: String?
        for await _ in looks {
            let started = ContinuousClock.now
            if let sentence = await sentence(), sentence != told {
                notifier.tell(.status(sentence))
                told = sentence
            }
            try await Task.sleep(for: max(shortestPause, (ContinuousClock.now - started) * 9), clock: .continuous)
        }
    }
}
