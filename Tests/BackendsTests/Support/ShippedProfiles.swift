import Backends
import Foundation

/// The files in config/backends: a new one is picked up by every test that goes through them.
enum ShippedProfiles {
    static let project = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized.path
    static let folder = project + "/config/backends"

    /// The texts by their names without `.yaml`.
    static func files() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
        let pairs = try names.map { ($0.replacing(".yaml", with: ""), try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The names of all that describe a backend, sorted.
    static func names() throws -> [String] { try files().filter { $0.value.contains("\nbase_url: ") }.keys.sorted() }

    /// What others extend.
    static func presets() throws -> Set<String> {
        Set(try files().values.flatMap { $0.matches(of: /\nextends: ([a-z0-9_-]+)/).map { String($0.output.1) } })
    }

    /// All of them; throws every mistake in any.
    static func backends() throws -> [Backend] { try ProfileLibrary.load(directory: folder, deviceID: "device-1", version: "1.0") }
}
