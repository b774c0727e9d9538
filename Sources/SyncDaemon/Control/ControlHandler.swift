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
    let rejected: RejectedConfiguration
    let stateDirectory: String
    let log: Logger

    /// The keeper of the named backend, or of the only one.
    func keeper(_ named: String?) throws(Problem) -> SessionKeeper {
        if let named {
            guard let keeper = keepers[named] else { throw .unknownBackend(named, known: keepers.keys.sorted()) }
            return keeper
        }
        guard keepers.count == 1, let only = keepers.values.first else { throw .backendNotNamed(known: keepers.keys.sorted()) }
        return only
    }

    func commands(for backend: String) -> NextCommands {
        NextCommands(
            backend: keepers.count > 1 ? backend : nil, means: keepers[backend]?.backend.signInMeans ?? .password,
            needsNames: keepers[backend]?.backend.needsNames ?? false)
    }
}
