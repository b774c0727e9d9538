import ControlAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import homing

@Suite struct SubmissionInputTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func problem(_ name: String) throws -> Problem {
        try #require(#expect(throws: Problem.self) { try SubmissionInput(name: name).document(inputIsTerminal: false) })
    }

    /// The file is sparse, and would fill the memory if it were read.
    @Test func refusesALargeFileBySize() throws {
        try directory.write("", to: "large.json")
        try #require(truncate(directory("large.json"), off_t(3_000_000_000)) == 0)
        let problem = try problem(directory("large.json"))
        #expect(problem.code == .tooLarge)
        #expect(problem.detail == "‘\(directory("large.json"))’ is larger than 32 MiB, the limit for a payload. It has 3.0 GB.")
        #expect(problem.next == "Name the file of one capture, as the capture app wrote it.")
    }

    @Test func stopsReadingADeviceWithoutAnEnd() throws {
        let problem = try problem("/dev/zero")
        #expect(problem.code == .tooLarge && problem.detail == "‘/dev/zero’ is larger than 32 MiB, the limit for a payload.")
    }

    @Test func folderIsNoFile() throws {
        #expect(try problem(directory.path).next == "Name a file, not a folder.")
    }

    @Test(arguments: [(4, true), (5, true), (6, false)]) func readsUpToTheLimit(size: Int, fits: Bool) throws {
        let content = String(repeating: "x", count: size)
        try directory.write(content, to: "file")
        let file = try #require(FileHandle(forReadingAtPath: directory("file")))
        #expect(try file.contents(atMost: 5) == (fits ? Data(content.utf8) : nil))
        #expect(file.regularSize == size)
    }

    @Test(arguments: [(0, true), (5, true), (6, false)]) func readsAPipeUpToTheLimit(size: Int, fits: Bool) throws {
        let (pipe, content) = (Pipe(), Data(String(repeating: "x", count: size).utf8))
        try pipe.fileHandleForWriting.write(contentsOf: content)
        try pipe.fileHandleForWriting.close()
        #expect(pipe.fileHandleForReading.regularSize == nil)
        #expect(try pipe.fileHandleForReading.contents(atMost: 5) == (fits ? content : nil))
    }
}
