import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel

/// Implements the control channel: forwards each call to the responsible component.
struct ControlHandler: ControlService {
    let keepers: [String: SessionKeeper]
    let outbox: Outbox
    let intake: Intake
    let dispatcher: Dispatcher
    let spool: Spool
    let clock: any SyncClock
    let startedAt: Date
    /// For calls that do more for administrators.
    let policy: AccessPolicy
    let rejected: RejectedConfiguration
    let stateDirectory: String
    let log: Logger

    /// The keeper of the named backend, or of the only one.
    func keeper(_ named: String?) throws(Problem) -> SessionKeeper {
        let known = keepers.keys.sorted().joined(separator: ", ")
        if let named {
            guard let keeper = keepers[named] else {
                throw .notFound("There is no backend ‘\(named)’. Configured: \(known).")
            }
            return keeper
        }
        guard keepers.count == 1, let only = keepers.values.first else {
            throw .invalid(
                "More than one backend is configured: \(known).", next: "Name one of them with --backend (or backend= in the query).")
        }
        return only
    }

    func commands(for backend: String) -> NextCommands {
        NextCommands(
            backend: keepers.count > 1 ? backend : nil, means: keepers[backend]?.backend.signInMeans ?? .password,
            needsNames: keepers[backend]?.backend.needsNames ?? false)
    }

    /// Runs an outbox operation and converts errors to problems.
    func stored<T>(_ work: () async throws(OutboxError) -> T) async throws(Problem) -> T {
        do { return try await work() } catch { throw Problem(error) }
    }
}
