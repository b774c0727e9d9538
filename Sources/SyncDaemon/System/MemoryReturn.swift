import CSystemLinux
import Outbox
import ServiceLifecycle

/// Gives the system back what work has left free in the allocator, soon after it.
///
/// SQLite keeps the pages that a savepoint changes in memory, in small pieces. Freed among others that stay in use, the allocator holds on to
/// them: after a document of 32 MiB to a hundred MiB. Asleep while nothing happens; in a rush it spends at most a hundredth of the time.
struct MemoryReturn: Service {
    /// Tells that there was work.
    let work: Signal
    var shortestPause = Duration.seconds(1)

    func run() async throws {
        let done = work.listen()
        try? await cancelWhenGracefulShutdown {  // `try?`: cancelled while asleep, that is how this ends
            var pause = shortestPause
            for await _ in done {
                try await Task.sleep(for: pause, clock: .continuous)
                let taken = ContinuousClock().measure { homing_return_free_memory() }
                pause = max(shortestPause, taken * 99)
            }
        }
    }
}
