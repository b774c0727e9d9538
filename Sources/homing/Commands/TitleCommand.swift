import ArgumentParser
import ControlAPI

/// Lists are commands too: ‘homing people’ is ‘homing roster people’. The daemon knows their names from its profiles.
enum TitleCommand {
    /// `arguments` with `roster` in front if the first one is the name of a list, and not of a command.
    static func expanded(_ arguments: [String], lists: () async -> RosterList?) async -> [String] {
        guard let first = arguments.first, !first.hasPrefix("-"), !commands.contains(first), let lists = await lists(),
            !lists.named(first).isEmpty
        else { return arguments }
        return ["roster"] + arguments
    }

    /// `help` is the parser's own.
    private static let commands = Set(Homing.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
}
