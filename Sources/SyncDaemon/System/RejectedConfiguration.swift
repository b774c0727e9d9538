import Backends
import ControlAPI
import Outbox
import Synchronization

/// What a reload found wrong, until one finds all well: the configuration from before stays in force, and the status says so.
final class RejectedConfiguration: Sendable {
    /// Told when it has changed.
    let changed = Signal()
    private let current = Mutex<String?>(nil)

    /// Why the newest configuration is not in force; nil where it is.
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

extension Attention {
    /// - Parameter reason: why the configuration that was changed is not in force.
    init(rejectedConfiguration reason: String) {
        self.init(
            code: "configuration-rejected",
            text: "The configuration was changed and is not in force, because \(reason). The one from before is.",
            next: "See all mistakes with ‘homingd check’, mend them, and reload: ‘systemctl reload homingd’.")
    }
}
