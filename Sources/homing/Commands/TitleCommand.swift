import ArgumentParser
import ControlAPI

/// ‘homing people’ is ‘homing roster people’. The daemon knows the names from its profiles.
enum TitleCommand {
    /// The arguments with `roster` in front if the first one is the name of a list and not of a command, and with `FormOptions`.
    static func expanded(_ arguments: [String], lists: () async -> RosterList?) async -> [String] {
        FormOptions.expanded(await withCommand(arguments, lists: lists))
    }

    private static func withCommand(_ arguments: [String], lists: () async -> RosterList?) async -> [String] {
        guard let first = arguments.first, !first.hasPrefix("-"), !commands.contains(first), let lists = await lists(),
            !lists.named(first).isEmpty
        else { return arguments }
        return ["roster"] + arguments
    }

    /// The lists, for observers from `status`. With the error of `rosters` if they remain unknown: an observer learns that a list needs
    /// another role, and not that the command is unknown.
    static func lists(
        _ rosters: () async throws(Problem) -> RosterList, orOf status: () async throws(Problem) -> Status
    ) async -> (lists: RosterList?, problem: Problem?) {
        do throws(Problem) {
            return (try await rosters(), nil)
        } catch {
            guard error.code == .notPermitted else {
                return (nil, [.daemonNotRunning, .timeout].contains(error.code) ? error : nil)
            }
            // `try?`: the first problem says why.
            let known = (try? await status())?.backends.flatMap { backend in
                (backend.rosters ?? []).map {
                    RosterReport(backend: backend.name, resource: $0.resource, title: $0.title, state: $0.state)
                }
            }
            guard let known, !known.isEmpty else { return (nil, error) }
            return (RosterList(rosters: known), nil)
        }
    }

    /// `help` is the parser's own.
    private static let commands = Set(Homing.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
}
