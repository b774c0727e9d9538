import Backends
import Outbox
import Synchronization

/// The errors of the last reload; the previous configuration stays active. A good reload clears them.
final class RejectedConfiguration: Sendable {
    let changed = Signal()
    private let current = Mutex<String?>(nil)

    /// Nil if the newest configuration is active.
    var reason: String? { current.withLock(\.self) }

    func set(_ reason: String?) {
        current.withLock { $0 = reason }
        changed.send()
    }

    func set(_ mistakes: Mistakes) {
        let count = mistakes.all.count
        let example = mistakes.all.first.map { "\($0)" } ?? ""
        set(count == 1 ? "it has a mistake: \(example)" : "it has \(count) mistakes, the first: \(example)")
    }
}
