import ArgumentParser
import ControlAPI
import SyncModel

/// Explains a mistyped command, or an option that is misplaced or has one hyphen. The parser itself explains a mistyped option.
struct Mistyping {
    /// Names of lists, which are commands too.
    let lists: [String]

    /// Nil for any other mistake.
    func problem(in arguments: [String]) -> Problem? {
        guard let first = arguments.first else { return nil }
        if first.hasPrefix("-") { return misplaced(arguments) }
        guard commands.contains(first) || first == "help" else { return unknown(first) }
        return withOneHyphen(arguments)
    }

    private var commands: [String] { Self.types.compactMap { $0.configuration.commandName } + lists.map { $0.lowercased() } }

    private static var types: [any ParsableCommand.Type] { Homing.configuration.subcommands }

    private func unknown(_ word: String) -> Problem {
        let similar = word.lowercased().similar(among: Set(commands)).map { "‘homing \($0.asArgument)’" }
        return .invalid(
            "There is no command ‘\(word.printable)’.",
            next: similar.isEmpty ? "To see the commands, run: homing --help" : "Did you mean \(similar.joined(separator: " or "))?")
    }

    private func misplaced(_ arguments: [String]) -> Problem? {
        guard let index = arguments.firstIndex(where: commands.contains) else { return nil }
        let right = [arguments[index]] + arguments[..<index] + arguments[(index + 1)...]
        let words = right.map { $0.hasPrefix("-") ? $0.printable : $0.asArgument }
        return .invalid(
            "The option ‘\(arguments[0].printable)’ is before the command.",
            next: "Options come after the command: homing \(words.joined(separator: " "))")
    }

    private func withOneHyphen(_ arguments: [String]) -> Problem? {
        guard let command = Self.types.first(where: { $0.configuration.commandName == arguments[0] }) else { return nil }
        let help = Homing.helpMessage(for: command)
        let options = Set(help.split { !$0.isLetter && $0 != "-" }.map(String.init))
        let wrong = arguments.prefix { $0 != "--" }.first { word in
            word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2 && options.contains("-" + word.prefix { $0 != "=" })
        }
        guard let wrong else { return nil }
        return .invalid("There is no option ‘\(wrong.printable)’.", next: "Did you mean ‘-\(wrong.printable)’?")
    }
}
