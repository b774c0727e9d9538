import Foundation

enum Captures {
    private static let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Data")

    static let plain = (1...12).map { String(format: "capture-%02d.json", $0) }
    /// The capture app's offline files, all of user 5.
    static let pending = (1...3).map { "measurements_5_176500000\($0).json" }

    static func content(of name: String) throws -> Data {
        let folder = plain.contains(name) ? "arkit" : "PendingMeasurements"
        return try Data(contentsOf: data.appendingPathComponent(folder).appendingPathComponent(name))
    }
}
