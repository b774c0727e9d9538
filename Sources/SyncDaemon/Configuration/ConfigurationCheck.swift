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
        do { (configuration, backends) = try read(file: file, environment: environment) } catch {
            let count = error.all.count == 1 ? "1 mistake" : "\(error.all.count) mistakes"
            return ConfigurationCheck(isGood: false, text: "\(error)\n\(count). Nothing was changed.")
        }
        let lines = backends.map { "  \($0.name): \($0.baseURL), routes \($0.routes.joined(separator: ", "))" }
        return ConfigurationCheck(
            isGood: true,
            text: ([
                "The configuration is good.", "state: \(configuration.stateDirectory)", "socket: \(configuration.socket)",
                "spool: \(configuration.spool.isEnabled ? configuration.spool.directory : "off")",
                "roles: \(configuration.access.sentence)",
                "backends in \(configuration.backends):",
            ] + lines).joined(separator: "\n"))
    }

    /// The configuration, once nothing is wrong with it, with the profiles, and with how they fit together; else all mistakes of all of them.
    package static func configuration(file: String?, environment: [String: String]) throws(Mistakes) -> Configuration {
        try read(file: file, environment: environment).configuration
    }

    /// Both, with nothing wrong in them; throws all mistakes of both.
    static func read(
        file: String?, environment: [String: String], deviceID: String = "check"
    ) throws(Mistakes) -> (configuration: Configuration, backends: [Backend]) {
        let log = MistakeLog()
        // Where the file cannot be read, nobody knows where the profiles are.
        guard let configuration = Configuration.read(file: file, environment: environment, log: log) else { throw Mistakes(log.all) }
        let inConfiguration = log.all
        let backends = ProfileLibrary.read(
            directory: configuration.backends, deviceID: deviceID, version: HomingVersion.current, log: log)
        let inProfiles = log.all.dropFirst(inConfiguration.count)
        do { try Daemon.check(configuration, against: backends) } catch {
            for mistake in error.all where !isConsequence(mistake, inConfiguration, inProfiles, route: configuration.spool.route) {
                log.add(mistake)
            }
        }
        try log.check()
        return (configuration, backends)
    }

    /// Whether `mistake`, in how configuration and profiles fit together, may only follow from one found in either of them.
    private static func isConsequence(
        _ mistake: Mistake, _ inConfiguration: [Mistake], _ inProfiles: some Sequence<Mistake>, route: String
    ) -> Bool {
        if inConfiguration.contains(where: { ["spool", "backends", mistake.key].contains($0.key) }) { return true }
        // A profile with mistakes may be missing, or lack a route that is mistaken itself.
        return inProfiles.contains { mistake.key != "spool.route" || $0.key == "routes" || $0.key.hasPrefix("routes.\(route)") }
    }
}
