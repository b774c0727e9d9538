import ControlAPI
import Foundation
import Glibc

/// System directories for root and systemd units, otherwise the user's (XDG Base Directory Specification).
package struct Places: Sendable, Equatable {
    package var configuration: String
    package var state: String
    package var socket: String

    package init(environment: [String: String], isRoot: Bool = geteuid() == 0) {
        if isRoot || environment["STATE_DIRECTORY"] != nil {
            configuration = environment["CONFIGURATION_DIRECTORY"] ?? "/etc/homing"
            state = environment["STATE_DIRECTORY"] ?? "/var/lib/homing"
            socket = environment["RUNTIME_DIRECTORY"].map { "\($0)/\(SocketLocation.fileName)" } ?? SocketLocation.system
        } else {
            let home = environment["HOME"] ?? "/"
            func directory(_ variable: String, _ fallback: String) -> String {
                // The specification says to ignore relative paths.
                let named = environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
                return (named ?? "\(home)/\(fallback)") + "/homing"
            }
            configuration = directory("XDG_CONFIG_HOME", ".config")
            state = directory("XDG_STATE_HOME", ".local/state")
            socket = SocketLocation.user(environment: environment)
        }
    }

    package var configurationFile: String { configuration + "/homing.yaml" }
}
