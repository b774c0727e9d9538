import Backends
import ControlAPI
import Foundation
import Notifying

/// The file `notify.yaml` of the person who runs `homing notify`.
extension NotifySettings {
    /// In `$XDG_CONFIG_HOME/homing`, or else in `~/.config/homing`.
    static func path(environment: [String: String]) -> String {
        // The XDG Base Directory Specification says to ignore relative paths.
        let named = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? "\(environment["HOME"] ?? "/")/.config") + "/homing/notify.yaml"
    }

    /// The defaults without a file; otherwise throws all its mistakes together.
    static func load(_ path: String) throws(Problem) -> NotifySettings {
        guard FileManager.default.fileExists(atPath: path) else { return NotifySettings() }
        let mistakes = MistakeCollector()
        let settings: NotifySettings
        if let text = YAMLNode.text(of: path) {
            settings = read(text, file: path, mistakes)
        } else {
            settings = NotifySettings()
            let found = YAMLNode.unreadable("no readable file", at: path)
            mistakes.add(Mistake(file: path, key: "", found: found, expected: "the rules for notifications, as YAML"))
        }
        do throws(Mistakes) {
            try mistakes.check()
            return settings
        } catch {
            throw .invalid("The rules for notifications have mistakes.", next: error.description)
        }
    }

    private static func read(_ text: String, file: String, _ mistakes: MistakeCollector) -> NotifySettings {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard !lines.allSatisfy({ $0.isEmpty || $0.hasPrefix("#") }), let node = YAMLNode.parse(text, file: file, mistakes: mistakes),
            let table = StrictTable(node, mistakes: mistakes)
        else { return NotifySettings() }
        let settings = NotifySettings(table)
        table.close()
        return settings
    }
}
