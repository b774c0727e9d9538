import Foundation
import StationSupport
import TestSupport

enum Tool {
    /// Includes folders that are not in an ordinary user's PATH.
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"

    /// Returns the output, or throws it on failure.
    @discardableResult
    static func run(_ command: String..., in folder: String = "/") async throws -> String {
        try await run(command, in: folder)
    }

    @discardableResult
    static func run(_ command: [String], in folder: String = "/") async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(["PATH": path]) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let (code, text) = try await process.ended()
        guard code == 0 else {
            let missing = code == 127 ? " Install it with ‘make test-deps’." : ""
            throw StationError("\(command.joined(separator: " ")) failed: \(text)\(missing)")
        }
        return text
    }
}
