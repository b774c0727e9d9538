import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct CrashMarkTests {
    /// How many descriptors of this process lead to the mark.
    private func descriptors(in directory: TemporaryDirectory) throws -> Int {
        let links = "/proc/self/fd"
        // `try?`: other tests close descriptors meanwhile.
        return try FileManager.default.contentsOfDirectory(atPath: links).count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\(name)")) == directory("crashed")
        }
    }

    /// The handler keeps one descriptor, which the next daemon of the process replaces.
    @Test func leavesNoDescriptorButThatOfTheHandler() throws {
        let directory = try TemporaryDirectory()
        do {
            let marks = try (1...3).map { _ in try CrashMark(directory: directory.path) }
            #expect(try descriptors(in: directory) >= 3)
            withExtendedLifetime(marks) {}
        }
        #expect(try descriptors(in: directory) <= 1)
    }

    @Test func cleanRunLeavesNoMark() throws {
        let directory = try TemporaryDirectory()
        #expect(try !CrashMark(directory: directory.path).earlierRunCrashed)
        try directory.write("!", to: "crashed")
        let mark = try CrashMark(directory: directory.path)
        #expect(mark.earlierRunCrashed)
        try mark.clear()
        #expect(try !CrashMark(directory: directory.path).earlierRunCrashed)
    }
}
