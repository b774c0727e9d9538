import Backends
import ControlAPI
import Foundation

/// What `homingd check` says: everything that is wrong in the configuration and in the profiles, at once.
package struct ConfigurationCheck: Sendable {
    package let isGood: Bool
    package let text: String

    /// Reads both and writes nothing.
    package static func run(file: String?, environment: [String: String]) -> ConfigurationCheck {
        let log = MistakeLog()
        let configuration = Configuration.read(file: file, environment: environment, log: log)
        var mistakes = log.all
        var backends: [Backend] = []
        do {
            backends = try ProfileLibrary.load(directory: configuration.backends, deviceID: "check", version: HomingVersion.current)
            if mistakes.isEmpty { try Daemon.check(configuration, against: backends) }
        } catch {
            mistakes += error.all
        }
        guard mistakes.isEmpty else {
            let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
            return ConfigurationCheck(isGood: false, text: Mistakes(mistakes).description + "\n\(count). Nothing was changed.")
        }
        let lines = backends.map { "  \($0.name): \($0.baseURL), routes \($0.routes.joined(separator: ", "))" }
        return ConfigurationCheck(
            isGood: true,
            text: ([
                "The configuration is good.", "state: \(configuration.stateDirectory)", "socket: \(configuration.socket)",
                "spool: \(configuration.spool.directory)", "roles: \(configuration.access.sentence)",
                "backends in \(configuration.backends):",
            ] + lines).joined(separator: "\n"))
    }
}
