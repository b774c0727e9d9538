/// Only the daemon knows the members of a row, so each is an option: ‘--first-name Anna’ is ‘--set first_name=Anna’.
enum FormOptions {
    /// The options of `homing roster`; a member with such a name needs `--set`.
    static let reserved: Set = [
        "after", "backend", "find", "help", "id", "json", "limit", "refresh", "set", "socket", "strict", "version",
        "yes",
    ]

    /// The arguments with `--set` in place of options for members, after `roster LIST add` or `roster LIST edit`.
    static func expanded(_ arguments: [String]) -> [String] {
        guard arguments.count > 3, arguments[0] == "roster", RosterAction(rawValue: arguments[2])?.takesForm == true else {
            return arguments
        }
        var words = Array(arguments.prefix(3))
        var rest = arguments.dropFirst(3)
        while let word = rest.popFirst() {
            if word == "--" { return words + [word] + rest }
            guard let (name, value) = member(word) else {
                words.append(word)
                continue
            }
            if let value {
                words += ["--set", "\(name)=\(value)"]
            } else if let next = rest.first, !next.hasPrefix("--") {
                words += ["--set", "\(name)=\(next)"]
                rest.removeFirst()
            } else {
                words += ["--set", name]
            }
        }
        return words
    }

    /// The option for a member: `--first-name`.
    static func option(for member: String) -> String {
        let name = member.replacing("_", with: "-")
        return reserved.contains(name) ? "--set \(member)=" : "--\(name)"
    }

    private static func member(_ word: String) -> (name: String, value: String?)? {
        guard word.hasPrefix("--"), !word.hasPrefix("---") else { return nil }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = parts.first, !option.isEmpty, !reserved.contains(option) else { return nil }
        return (option.replacing("-", with: "_"), parts.count > 1 ? parts[1] : nil)
    }
}
