/// The declaration of a key of a YAML file, for its reader and for the reference.
package struct DeclaredKey: Sendable {
    /// Dotted, such as `delivery.attempts`. `NAME` stands for a user-chosen name.
    package let path: String
    /// The expected value. For a key of a profile, mistakes have the same words.
    package let type: String
    /// Empty without one.
    package private(set) var unit = ""
    /// In the syntax of the file.
    package let example: String
    /// One sentence.
    package let meaning: String
    /// The default in Markdown; nil for the value of a new `Configuration`.
    package private(set) var usual: String?
    /// A table without the key is a mistake.
    var isRequired = false

    package init(path: String, type: String, example: String, meaning: String, usual: String? = nil) {
        self.path = path
        self.type = type
        self.example = example
        self.meaning = meaning
        self.usual = usual
    }

    /// With words for the default, or with the default in backticks.
    package func usually(_ words: String) -> DeclaredKey {
        var key = self
        key.usual = words
        return key
    }

    /// With the unit of its value.
    package func counted(in unit: String) -> DeclaredKey {
        var key = self
        key.unit = unit
        return key
    }

    /// Empty for the top level.
    package var table: String { path.split(separator: ".").dropLast().joined(separator: ".") }
    package var name: String { path.split(separator: ".").last.map(String.init) ?? path }
}

extension DeclaredKey {
    /// The tables of a reference, in Markdown.
    ///
    /// - Parameter defaults: by path, for the keys without `usual`.
    package static func reference(of keys: [DeclaredKey], defaults: [String: String] = [:]) -> String {
        var tables: [String] = []
        for key in keys where !tables.contains(key.table) { tables.append(key.table) }
        return tables.map { table in
            let rows = keys.filter { $0.table == table }.map { $0.row(defaults[$0.path] ?? "") }
            let head = "| key | type | default | unit | example | meaning |\n|---|---|---|---|---|---|\n"
            return "\n## \(table.isEmpty ? "The top level" : "`\(table)`")\n\n\(head)\(rows.joined())"
        }.joined()
    }

    private func row(_ value: String) -> String {
        "| `\(name)` | \(type) | \(usual ?? "`\(value)`") | \(unit.isEmpty ? "–" : unit) | `\(name): \(example)` | \(meaning) |\n"
    }
}
