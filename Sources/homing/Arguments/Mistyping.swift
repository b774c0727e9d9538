import ArgumentParser
import ControlAPI

/// Explains arguments that the parser refuses because of a mistyped command, or of an option that is misplaced or has one hyphen. The parser
/// itself suggests the right option for a mistyped one.
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
        let similar = similar(to: word.lowercased()).map { "‘homing \($0.asArgument)’" }
        return .invalid(
            "There is no command ‘\(word.printable)’.",
            next: similar.isEmpty ? "To see the commands, run: homing --help" : "Did you mean \(similar.joined(separator: " or "))?")
    }

    /// The closest commands, at most three.
    private func similar(to word: String) -> [String] {
        let most = word.count < 4 ? 1 : word.count < 8 ? 2 : 3
        let distances = Set(commands).map { command in
            (command: command, distance: word.count > 2 && command.hasPrefix(word) ? 1 : word.distance(to: command))
        }
        guard let least = distances.map({ $0.distance }).min(), least <= most else { return [] }
        return Array(distances.filter { $0.distance == least }.map { $0.command }.sorted().prefix(3))
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

extension String {
    /// How many characters to insert, remove, replace or swap with the next one (optimal string alignment).
    func distance(to other: String) -> Int {
        let (a, b) = (Array(self), Array(other))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = Swift.min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = Swift.min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
