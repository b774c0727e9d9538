import Backends
import Foundation
import SyncModel

/// A key of `homing.yaml`: its declaration, and how it is read.
struct ConfigurationKey: Sendable {
    typealias Reader = @Sendable (_ table: StrictTable, _ key: String, _ folder: String, _ configuration: inout Configuration) -> Void

    let declared: DeclaredKey
    /// Assigns a valid value; nil for the keys that `NotifyConfiguration` reads.
    let reader: Reader?

    init(_ declared: DeclaredKey, reader: Reader? = nil) {
        self.declared = declared
        self.reader = reader
    }
}

/// The types of values. `set` assigns a valid one. `usual` has words for a default that depends on the station.
extension ConfigurationKey {
    static func path(
        _ path: String, _ example: String, _ meaning: String, usual: String? = nil,
        set: @escaping @Sendable (inout Configuration, String) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: "path", example: example, meaning: meaning, usual: usual)
        return ConfigurationKey(declared) { table, key, folder, configuration in
            if let value = table.filePath(key, from: folder) { set(&configuration, value) }
        }
    }

    static func text(
        _ path: String, _ example: String, _ meaning: String, usual: String? = nil,
        set: @escaping @Sendable (inout Configuration, String) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: "text", example: example, meaning: meaning, usual: usual)
        return ConfigurationKey(declared) { table, key, _, configuration in
            if let value = table.text(key) { set(&configuration, value) }
        }
    }

    static func bool(
        _ path: String, _ example: String, _ meaning: String, set: @escaping @Sendable (inout Configuration, Bool) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: "true or false", example: example, meaning: meaning)
        return ConfigurationKey(declared) { table, key, _, configuration in
            if let value = table.bool(key) { set(&configuration, value) }
        }
    }

    static func int(
        _ path: String, in range: ClosedRange<Int>, _ unit: String, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, Int) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: StrictTable.expected(whole: range), example: example, meaning: meaning)
        return ConfigurationKey(declared.counted(in: unit)) { table, key, _, configuration in
            if let value = table.int(key, in: range) { set(&configuration, value) }
        }
    }

    static func seconds(
        _ path: String, in range: ClosedRange<Double>, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, Duration) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: StrictTable.expected(number: range), example: example, meaning: meaning)
        return ConfigurationKey(declared.counted(in: "seconds")) { table, key, _, configuration in
            if let value = table.seconds(key, in: range) { set(&configuration, value) }
        }
    }
}

extension StrictTable {
    /// A path, which is not empty; a relative one starts at `folder`.
    func filePath(_ key: String, from folder: String) -> String? {
        guard let text = read(key, expected: "a path", { node in node.text.flatMap { $0.isEmpty ? nil : $0 } }) else { return nil }
        guard !text.hasPrefix("~") else {
            reject(key, expected: "a path without ~, which only a shell expands")
            return nil
        }
        return text.hasPrefix("/") ? text : URL(fileURLWithPath: folder + "/" + text).standardizedFileURL.path
    }
}
