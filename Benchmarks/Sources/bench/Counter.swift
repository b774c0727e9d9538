import Synchronization

final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    /// Increments and returns the count.
    @discardableResult
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
