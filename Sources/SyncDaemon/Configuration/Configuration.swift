import Backends
import Capture
import ControlServer
import Delivery
import Foundation

/// Everything that an administrator may set. Each key of `homing.yaml` has its place here.
package struct Configuration: Sendable {
    /// The outbox, the sessions and the key live here; one daemon at a time.
    package var stateDirectory: String
    /// The control socket.
    package var socket: String
    /// The folder with one profile for each backend.
    package var backends: String
    /// The drop folder.
    package var spool: Spool
    package var delivery = DispatchState.Policy()
    package var limits = TransportLimits()
    /// The largest that the outbox may become, in bytes.
    package var maxBytes: Int64 = 2 << 30
    /// How long a delivered entry's row stays listed, in seconds; its receipt stays for good.
    package var keepDelivered: TimeInterval = 30 * 86_400
    /// The groups with a role on the control channel.
    package var access = AccessGroups.usual

    /// The file it was read from.
    package var file = "homing.yaml"
    /// The lines of keys that only together with the profiles, or with the file system, show a mistake.
    package var lines: [String: Int] = [:]

    package struct Spool: Sendable, Equatable {
        package var directory: String
        /// The profile that dropped files go to; nil where one backend is configured.
        package var backend: String?
        /// The route by which they go.
        package var route = "measurement"
        /// Whether anything is taken out of it.
        package var isEnabled = true
        /// What becomes of files that are dropped while no account is signed in.
        package var unclaimed = UnclaimedFiles.ask
    }

    /// What holds where nothing is configured.
    package init(places: Places) {
        stateDirectory = places.state
        socket = places.socket
        backends = places.configuration + "/backends"
        spool = Spool(directory: places.state + "/spool")
    }
}
