import Backends
import ControlAPI
import Foundation

/// What `homingd check` says: everything that is wrong in the configuration and in the profiles, at once.
package struct ConfigurationCheck: Sendable {
    package let isGood: Bool
    package let text: String

    /// Reads both and writes nothing.
    package static func run(file: String?, environment: [String: String]) -> ConfigurationCheck {
        let configuration: Configuration
        let backends: [Backend]
        do {
            (configuration, backends) = try read(file: file, environment: environment, deviceID: "check")
        } catch {
            let count = error.all.count == 1 ? "1 mistake" : "\(error.all.count) mistakes"
            return ConfigurationCheck(isGood: false, text: error.description + "\n\(count). Nothing was changed.")
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

    /// Reads the configuration and the profiles that it names. Throws all mistakes of both.
    static func read(
        file: String?, environment: [String: String], deviceID: String
    ) throws(Mistakes) -> (Configuration, [Backend]) {
        let log = MistakeLog()
        let configuration = Configuration.read(file: file, environment: environment, log: log)
        do throws(Mistakes) {
            let backends = try ProfileLibrary.load(
                directory: configuration.backends, deviceID: deviceID, version: HomingVersion.current)
            if log.all.isEmpty { try Daemon.check(configuration, against: backends) }
            try log.check()
            return (configuration, backends)
        } catch {
            throw log.all.isEmpty ? error : Mistakes(log.all + error.all.filter { !log.all.contains($0) })
        }
    }
}
