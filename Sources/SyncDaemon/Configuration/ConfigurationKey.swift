import Backends
import Foundation
import SyncModel

/// A key of `homing.yaml`: how it is read, and what the reference says of it.
struct ConfigurationKey: Sendable {
    typealias Reader = @Sendable (_ table: StrictTable, _ key: String, _ folder: String, _ configuration: inout Configuration) -> Void

    /// Dotted, such as `delivery.attempts`.
    let path: String
    let type: String
    /// Empty without one.
    var unit = ""
    /// In the syntax of the file.
    let example: String
    /// One sentence.
    let meaning: String
    /// Words for a default that depends on the station; nil for the value of a new `Configuration`.
    var usual: String?
    /// Assigns a valid value; nil for the keys that `NotifyConfiguration` reads.
    var reader: Reader?

    /// Empty for the top level.
    var table: String { path.split(separator: ".").dropLast().joined(separator: ".") }
    var name: String { path.split(separator: ".").last.map(String.init) ?? path }

    /// With words for the default.
    func usually(_ words: String) -> ConfigurationKey {
        var key = self
        key.usual = words
        return key
    }
}

/// The types of values. `set` assigns a valid one.
extension ConfigurationKey {
    static func path(
        _ path: String, _ example: String, _ meaning: String, set: @escaping @Sendable (inout Configuration, String) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, type: "path", example: example, meaning: meaning) { table, key, folder, configuration in
            if let value = table.filePath(key, from: folder) { set(&configuration, value) }
        }
    }

    static func text(
        _ path: String, _ example: String, _ meaning: String, set: @escaping @Sendable (inout Configuration, String) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, type: "text", example: example, meaning: meaning) { table, key, _, configuration in
            if let value = table.text(key) { set(&configuration, value) }
        }
    }

    static func bool(
        _ path: String, _ example: String, _ meaning: String, set: @escaping @Sendable (inout Configuration, Bool) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, type: "true or false", example: example, meaning: meaning) { table, key, _, configuration in
            if let value = table.bool(key) { set(&configuration, value) }
        }
    }

    static func int(
        _ path: String, in range: ClosedRange<Int>, _ unit: String, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, Int) -> Void
    ) -> ConfigurationKey {
        let type = "whole number, \(range.lowerBound) to \(range.upperBound)"
        return ConfigurationKey(path: path, type: type, unit: unit, example: example, meaning: meaning) { table, key, _, configuration in
            if let value = table.int(key, in: range) { set(&configuration, value) }
        }
    }

    static func seconds(
        _ path: String, in range: ClosedRange<Double>, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, Duration) -> Void
    ) -> ConfigurationKey {
        let type = "number, \(Configuration.text(range.lowerBound)) to \(Configuration.text(range.upperBound))"
        return ConfigurationKey(
            path: path, type: type, unit: "seconds", example: example, meaning: meaning
        ) { table, key, _, configuration in
            if let value = table.seconds(key, in: range) { set(&configuration, value) }
        }
    }
}

extension StrictTable {
    /// A path; a relative one starts at `folder`.
    func filePath(_ key: String, from folder: String) -> String? {
        guard let text = text(key) else { return nil }
        guard !text.hasPrefix("~") else {
            reject(key, expected: "a path without ~, which only a shell expands")
            return nil
        }
        return text.hasPrefix("/") ? text : URL(fileURLWithPath: folder + "/" + text).standardizedFileURL.path
    }
}
