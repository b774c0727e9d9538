import Backends
import Foundation

/// Tests that iterate over these files include new ones automatically.
enum ShippedProfiles {
    static let project = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized.path
    static let folder = project + "/config/backends"

    /// The texts by file name without `.yaml`.
    static func files() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
        let pairs = try names.map { ($0.replacing(".yaml", with: ""), try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    static func names() throws -> [String] { try files().filter { $0.value.contains("\nbase_url: ") }.keys.sorted() }

    /// The profiles that others extend.
    static func presets() throws -> Set<String> {
        Set(try files().values.flatMap { $0.matches(of: /\nextends: ([a-z0-9_-]+)/).map { String($0.output.1) } })
    }

    static func backends() throws -> [Backend] { try ProfileLibrary.load(directory: folder, deviceID: "device-1", version: "1.0") }
}
