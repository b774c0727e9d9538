import ArgumentParser
import ControlAPI

/// ‘homing people’ is ‘homing roster people’, and ‘homing help people’ is ‘homing help roster people’. Only the daemon knows the names.
enum TitleCommand {
    /// The arguments with `roster` in front of the name of a list that is not a command, and with `FormOptions`.
    static func expanded(_ arguments: [String], lists: () async -> RosterList?) async -> [String] {
        FormOptions.expanded(await withCommand(arguments, lists: lists))
    }

    private static func withCommand(_ arguments: [String], lists: () async -> RosterList?) async -> [String] {
        guard let name = Self.name(in: arguments), !name.hasPrefix("-"), !commands.contains(name), let lists = await lists(),
            !lists.named(name).isEmpty
        else { return arguments }
        return isHelp(arguments) ? ["help", "roster"] + arguments.dropFirst() : ["roster"] + arguments
    }

    /// The word that may be the name of a list: the first one, or the one after `help`.
    static func name(in arguments: [String]) -> String? { arguments.dropFirst(isHelp(arguments) ? 1 : 0).first }

    private static func isHelp(_ arguments: [String]) -> Bool { arguments.first == "help" }

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
