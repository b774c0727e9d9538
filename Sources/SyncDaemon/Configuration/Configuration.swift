import Backends
import Capture
import ControlServer
import Delivery
import Foundation

/// All settings of `homing.yaml`.
package struct Configuration: Sendable {
    /// The folder of the outbox, the sessions and the key; one daemon at a time.
    package var stateDirectory: String
    package var socket: String
    /// The folder with one profile per backend.
    package var backends: String
    package var spool: SpoolSettings
    package var delivery = DispatchState.Policy()
    package var limits = TransportLimits()
    /// The outbox limit in bytes.
    package var maxBytes: Int64 = 2 << 30
    /// Seconds for which a delivered entry stays listed; receipts stay for ever.
    package var keepDelivered: TimeInterval = 30 * 86_400
    package var access = AccessGroups.usual
    /// Nil for no notifications.
    package var notify: NotifyConfiguration?

    package var file = "homing.yaml"
    /// The files that were read, in this order: `file` and its drop-ins.
    var files: [String] = []
    /// The places of keys that are checked later, against profiles or the file system.
    var keyPlaces: [String: KeyPlace] = [:]

    /// Where a key was read.
    struct KeyPlace: Sendable, Equatable {
        let file: String
        let line: Int?
    }

    package init(places: Places) {
        stateDirectory = places.state
        socket = places.socket
        backends = places.configuration + "/backends"
        spool = SpoolSettings(directory: places.state + "/spool")
    }
}
