import Foundation

/// The page of `homing dashboard` in Chromium: its weight, its first paint, and its pauses in a burst of events. A script beside the acts of
/// the dashboard measures them, with the Python packages that `make dashboard` uses.
struct Pages {
    let tools: Tools

    func measure() async throws -> [Row] {
        let figures = FileManager.default.currentDirectoryPath + "/.bench-page-\(UUID().uuidString.prefix(8)).json"
        let folder = "\(Station.project)/Tests/dashboard"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: folder + "/run")
        process.arguments = [tools.programs]
        var environment = ProcessInfo.processInfo.environment
        (environment["PLAY"], environment["FIGURES"]) = (folder + "/measure.py", figures)
        environment["QUICK"] = tools.isQuick ? "1" : nil
        process.environment = environment
        // What it says is no part of the table.
        process.standardOutput = FileHandle.standardError
        try process.run()
        try await eventually(seconds: 1800) { !process.isRunning }
        guard process.terminationStatus == 0 else { throw BenchError("\(folder)/measure.py failed") }
        guard FileManager.default.fileExists(atPath: figures) else {
            return [Row(part: "page", what: "not measured, because Chromium is missing", value: 0, unit: "")]
        }
        let rows = try JSONDecoder().decode([Row].self, from: try Data(contentsOf: URL(fileURLWithPath: figures)))
        try FileManager.default.removeItem(atPath: figures)
        return rows
    }
}
