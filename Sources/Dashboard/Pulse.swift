import Synchronization

/// Notices a frozen daemon: its stream of events no longer has a heartbeat.
final class Pulse: Sendable {
    private let silentChecks = Atomic(0)

    struct Lost: Error {}

    /// Something arrived.
    func beat() { silentChecks.store(0, ordering: .relaxed) }

    /// Throws if nothing has arrived since the second check before this one.
    func check() throws(Lost) {
        if silentChecks.add(1, ordering: .relaxed).newValue > 2 { throw Lost() }
    }
}
