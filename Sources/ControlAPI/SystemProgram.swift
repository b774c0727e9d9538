import Foundation
import Glibc

/// A program of the system, such as systemctl, with a time limit.
package enum SystemProgram {
    package struct Outcome: Sendable, Equatable {
        package var code: Int32
        /// Standard output.
        package var text: String

        package init(code: Int32, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// Nil if the program could not be started, or did not end in time. Its output must fit in a pipe (64 KiB).
    package static func run(_ path: String, _ arguments: [String], within limit: Duration = .seconds(2)) async -> Outcome? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        let (ends, end) = AsyncStream<Bool>.makeStream()
        process.terminationHandler = {
            end.yield($0.terminationReason == .exit)
            end.finish()
        }
        // `try?`: a program that could not be started has no outcome.
        guard (try? process.run()) != nil else { return nil }
        let timer = Task {
            // Cancelled when the process has ended.
            try await Task.sleep(for: limit)
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        defer { timer.cancel() }
        let hasExited = await ends.first { _ in true } ?? false
        // `try?`: no output means no outcome.
        guard hasExited, let said = try? output.fileHandleForReading.readToEnd() ?? Data() else { return nil }
        return Outcome(code: process.terminationStatus, text: String(decoding: said, as: UTF8.self))
    }
}
