import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Roster
import Sessions
import SyncModel

/// Implements the control channel: forwards each call to the responsible component.
struct ControlHandler: Sendable {
    let keepers: [String: SessionKeeper]
    let outbox: Outbox
    let intake: Intake
    let dispatcher: Dispatcher
    let rosters: RosterKeeper
    let spool: Spool
    let clock: any SyncClock
    let startedAt: Date
    let rejected: RejectedConfiguration
    let stateDirectory: String
    /// Its `device-id`.
    let station: String
    /// In seconds; delivered entries and events are removed after that.
    let keepDelivered: TimeInterval
    let keys: KeyKeeper
    let examination: Examination
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

    func facts(_ requester: Requester, _ backend: String, _ account: AccountID?) -> Logger.Metadata {
        var facts: Logger.Metadata = ["backend": "\(backend)", "uid": "\(requester.uid)", "pid": "\(requester.pid)"]
        if let account { facts["account"] = "\(account)" }
        return facts
    }

    func denied(_ call: String, by peer: Peer) async {
        // `try?`: the journal has it too; a full disk must not make the refusal a daemon failure.
        try? await outbox.record([SyncEvent(at: clock.now, .denied, detail: ["by": peer.description, "call": call])])
    }
}

extension Caller {
    /// Dropping entries needs an administrator; for others they are held (DroppingAtSignOut).
    var mayDestroy: Bool { access >= .administer }
}

extension Requester {
    init(_ peer: Peer) { self.init(uid: peer.uid, pid: peer.pid, name: UserName(peer.uid).short) }
}
