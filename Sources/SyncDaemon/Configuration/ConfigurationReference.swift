/// The reference of `homing.yaml`, from the declarations of its keys: the page ConfigurationReference, in Markdown.
package enum ConfigurationReference {
    package static var text: String {
        var tables: [String] = []
        for key in ConfigurationKey.all where !tables.contains(key.table) { tables.append(key.table) }
        return introduction + tables.map(section).joined()
    }

    private static let introduction = """
        # Configuration reference

        Every key of `homing.yaml`, with type, default, unit and example.

        ## Overview

        A key is optional unless its meaning says otherwise. The files of `homing.yaml.d` have the same keys, and add to `homing.yaml` or
        replace its keys. Relative paths start at the folder of `homing.yaml`. The defaults are those of the system service. Text that looks
        like a number, or is `true` or `false`, needs quotes. To check the configuration, run `homingd check`. To apply changes, run
        `systemctl reload homingd`.

        This page is the output of `homingd reference`, which comes from the declarations that the reader uses.

        """

    /// By key, as `homingd` has it without a configuration.
    static var defaults: [String: String] {
        let configuration = Configuration(places: Places(environment: [:], isRoot: true))
        return Dictionary(configuration.settings.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static func section(_ table: String) -> String {
        let values = defaults
        let rows = ConfigurationKey.all.filter { $0.table == table }.map { key in
            let usual = key.usual ?? "`\(values[key.path] ?? "")`"
            let unit = key.unit.isEmpty ? "–" : key.unit
            return "| `\(key.name)` | \(key.type) | \(usual) | \(unit) | `\(key.name): \(key.example)` | \(key.meaning) |\n"
        }
        let head = "| key | type | default | unit | example | meaning |\n|---|---|---|---|---|---|\n"
        return "\n## \(table.isEmpty ? "The top level" : "`\(table)`")\n\n\(head)\(rows.joined())"
    }
}
