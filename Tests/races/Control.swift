import Dispatch
import Synchronization

/// `make races` must report nothing here without an argument, and a race with one.
@main enum Control {
    final class Guarded: Sendable {
        let count = Mutex(0)
        let pair = Mutex((first: 0, second: [0]))
    }
    // SAFETY: none; the race is intended.
    final class Unguarded: @unchecked Sendable { var count = 0 }

    static func main() {
        let (guarded, unguarded) = (Guarded(), Unguarded())
        let isRacing = CommandLine.arguments.count > 1
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<200_000 {
                guarded.count.withLock { $0 += 1 }
                guarded.pair.withLock { $0.second[0] += 1 }
                if isRacing { unguarded.count += 1 }
            }
        }
    }
}
