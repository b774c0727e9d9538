import Backends
import Capture
import ControlAPI
import Foundation

/// The result of `homingd check`: all mistakes in configuration and profiles.
package struct ConfigurationCheck: Sendable {
    package let isGood: Bool
    package let text: String

    /// Read-only.
    package static func run(file: String?, environment: [String: String]) -> ConfigurationCheck {
        let mistakes = MistakeCollector()
        let (configuration, backends) = readAll(file: file, environment: environment, deviceID: "check", mistakes: mistakes)
        let unread = configuration.map { configuration in
            DropIns(of: configuration.file).ignored.map {
                "\($0) is ignored: the name of an addition to the configuration must end in .yaml. Rename it."
            }
                + ProfileLibrary.ignored(in: configuration.backends).map {
                    "\(configuration.backends)/\($0) is ignored: the name of a profile must end in .yaml. Rename it."
                }
        }
        var lines: [String]
        if let configuration, mistakes.all.isEmpty {
            let isMissing = configuration.files.isEmpty
            lines = [isMissing ? "There is no \(configuration.file), so the defaults apply." : "The configuration is good."]
            if !isMissing {
                lines += ["files, in the order in which they are read:"] + configuration.files.map { "  \($0)" }
            }
            lines += [
                "state: \(configuration.stateDirectory)", "socket: \(configuration.socket)",
                "spool: \(configuration.spool.isEnabled ? configuration.spool.directory : "off")",
                "roles: \(configuration.access.sentence)", "notifications: \(configuration.notify?.places ?? "off")",
                "backends in \(configuration.backends):",
            ]
            lines += backends.map { "  \($0.name): \($0.baseURL), routes \($0.routes.joined(separator: ", "))" } + (unread ?? [])
        } else {
            let count = mistakes.all.count == 1 ? "1 mistake" : "\(mistakes.all.count) mistakes"
            lines = [Mistakes(mistakes.all).description] + (unread ?? []) + ["\(count)."]
        }
        return ConfigurationCheck(isGood: mistakes.all.isEmpty, text: lines.joined(separator: "\n"))
    }

    /// The valid configuration. Throws all mistakes of the configuration, the profiles and their combination.
    package static func configuration(file: String?, environment: [String: String]) throws(Mistakes) -> Configuration {
        try read(file: file, environment: environment).configuration
    }

    /// Reads the configuration and the profiles.
    static func read(
        file: String?, environment: [String: String], deviceID: String = "check"
    ) throws(Mistakes) -> (configuration: Configuration, backends: [Backend]) {
        let mistakes = MistakeCollector()
        let (configuration, backends) = readAll(file: file, environment: environment, deviceID: deviceID, mistakes: mistakes)
        guard let configuration, mistakes.all.isEmpty else { throw Mistakes(mistakes.all) }
        return (configuration, backends)
    }

    /// Reads files that are not in place yet: drop-ins by their paths, and another folder of profiles.
    /// With mistakes, a backend may be missing.
    static func preview(
        file: String?, environment: [String: String], planned: [String: YAMLNode], profiles: String?
    ) -> (mistakes: [Mistake], backends: [Backend]) {
        let mistakes = MistakeCollector()
        let (_, backends) = readAll(
            file: file, environment: environment, deviceID: "check", mistakes: mistakes, planned: planned, profiles: profiles)
        return (mistakes.all, backends)
    }

    /// Does the work of `read`; nil if the file cannot be read.
    private static func readAll(
        file: String?, environment: [String: String], deviceID: String, mistakes: MistakeCollector,
        planned: [String: YAMLNode] = [:], profiles: String? = nil
    ) -> (Configuration?, [Backend]) {
        // Without the file, the profile folder is unknown.
        guard let configuration = Configuration.read(file: file, environment: environment, mistakes: mistakes, planned: planned) else {
            return (nil, [])
        }
        configuration.checkPlaces(mistakes)
        let inConfiguration = mistakes.all
        let backends = ProfileLibrary.read(
            directory: profiles ?? configuration.backends, deviceID: deviceID, version: HomingVersion.current, mistakes: mistakes)
        let inProfiles = mistakes.all.dropFirst(inConfiguration.count)
        do { try Daemon.check(configuration, against: backends) } catch {
            for mistake in error.all where !isConsequence(mistake, inConfiguration, inProfiles, route: configuration.spool.route) {
                mistakes.add(mistake)
            }
        }
        configuration.checkWriters(mistakes)
        return (configuration, backends)
    }

    /// True if the mistake may only follow from another one.
    private static func isConsequence(
        _ mistake: Mistake, _ inConfiguration: [Mistake], _ inProfiles: some Sequence<Mistake>,
        route: String
    ) -> Bool {
        if inConfiguration.contains(where: { ["", "spool", "spool.enabled", "backends", mistake.key].contains($0.key) }) { return true }
        // A profile with mistakes may be missing, or lack an invalid route.
        return inProfiles.contains { mistake.key != "spool.route" || $0.key == "routes" || $0.key.hasPrefix("routes.\(route)") }
    }
}
