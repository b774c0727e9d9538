import Backends
import Foundation
import SyncModel

/// A key of `homing.yaml`: its declaration, and how it is read.
struct ConfigurationKey: Sendable {
    typealias Reader = @Sendable (_ table: StrictTable, _ key: String, _ folder: String, _ configuration: inout Configuration) -> Void

    private(set) var declared: DeclaredKey
    /// Assigns a valid value; nil for the keys that `NotifyConfiguration` reads.
    let reader: Reader?

    /// - Parameter usual: words for a default that depends on the station; nil for the value of a new `Configuration`.
    init(path: String, type: String, example: String, meaning: String, usual: String? = nil, reader: Reader? = nil) {
        declared = DeclaredKey(path: path, type: type, example: example, meaning: meaning, usual: usual)
        self.reader = reader
    }

    /// With words for the default.
    func usually(_ words: String) -> ConfigurationKey {
        var key = self
        key.declared.usual = words
        return key
    }

    func counted(in unit: String) -> ConfigurationKey {
        var key = self
        key.declared.unit = unit
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
        return ConfigurationKey(path: path, type: type, example: example, meaning: meaning) { table, key, _, configuration in
            if let value = table.int(key, in: range) { set(&configuration, value) }
        }.counted(in: unit)
    }

    static func seconds(
        _ path: String, in range: ClosedRange<Double>, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, Duration) -> Void
    ) -> ConfigurationKey {
        let type = "number, \(Configuration.text(range.lowerBound)) to \(Configuration.text(range.upperBound))"
        return ConfigurationKey(path: path, type: type, example: example, meaning: meaning) { table, key, _, configuration in
            if let value = table.seconds(key, in: range) { set(&configuration, value) }
        }.counted(in: "seconds")
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
