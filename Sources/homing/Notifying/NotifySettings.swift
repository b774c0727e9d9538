import Backends
import ControlAPI
import Foundation

/// The settings of `homing notify`: the user's file `notify.yaml`.
struct NotifySettings: Equatable, Sendable {
    var deliveredAfterOutage = true
    var needsPerson = true
    var signIn = true
    var disk = true
    /// 0 for never.
    var noDeliveryHours = 24
    var quietHours: QuietHours?
    /// True if names of people may appear.
    var names = false

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
        var settings = NotifySettings()
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard !lines.allSatisfy({ $0.isEmpty || $0.hasPrefix("#") }), let node = YAMLNode.parse(text, file: file, mistakes: mistakes),
            let table = StrictTable(node, mistakes: mistakes)
        else { return settings }
        settings.deliveredAfterOutage = table.bool("delivered_after_outage") ?? settings.deliveredAfterOutage
        settings.needsPerson = table.bool("needs_person") ?? settings.needsPerson
        settings.signIn = table.bool("sign_in") ?? settings.signIn
        settings.disk = table.bool("disk") ?? settings.disk
        settings.noDeliveryHours = table.int("no_delivery_hours", in: 0...8760) ?? settings.noDeliveryHours
        settings.quietHours = table.read("quiet_hours", expected: "two different times of day, such as \"22:00-07:00\"") { node in
            node.text.flatMap(QuietHours.init)
        }
        settings.names = table.bool("names") ?? settings.names
        table.close()
        return settings
    }
}
