import ArgumentParser
import ControlAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import homing

@Suite struct BackupTests {
    private let directory: TemporaryDirectory
    private var path: String { directory("backup") }
    init() throws { directory = try TemporaryDirectory() }

    private func text() throws -> String { String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) }

    @Test func takesAFileAndForce() async throws {
        let command = try #require(try await Homing.asyncParseAsRoot(["backup", "a b", "--force"]) as? BackupCommand)
        #expect(command.file == "a b" && command.force)
        for wrong in [["backup"], ["backup", ""], ["backup", "-"]] {
            await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(wrong) }
        }
    }

    @Test func fileAppearsOnceItIsComplete() throws {
        let file = try UnfinishedFile(path, replaces: false)
        for part in ["one ", "two"] { try file.write(Data(part.utf8)) }
        #expect(try directory.names == ["backup.unfinished"])
        try file.finish()
        #expect(try directory.names == ["backup"])
        #expect(try text() == "one two")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test func existingFileStaysWithoutForce() throws {
        try directory.write("old", to: "backup")
        let problem = #expect(throws: Problem.self) { _ = try UnfinishedFile(path, replaces: false) }
        #expect(problem?.detail == "‘\(path)’ exists already.")
        #expect(problem?.next == "Name a new file, or add --force to replace this one.")
        let file = try UnfinishedFile(path, replaces: true)
        try file.write(Data("new".utf8))
        #expect(try text() == "old")
        file.discard()
        #expect(try directory.names == ["backup"])
        let again = try UnfinishedFile(path, replaces: true)
        try again.write(Data("new".utf8))
        try again.finish()
        #expect(try text() == "new")
    }

    /// For example, the store, or its key.
    @Test func onlyABackupIsReplaced() throws {
        try BackupCommand.requireBackup(path)
        try directory.write("SQLite format 3\0" + String(repeating: "x", count: 100), to: "backup")
        let problem = #expect(throws: Problem.self) { try BackupCommand.requireBackup(path) }
        #expect(problem?.detail == "‘\(path)’ exists already, and is not a backup.")
        let header = "SQLite format 3\0" + String(repeating: "x", count: 52) + "Homg" + String(repeating: "x", count: 28)
        try directory.write(header, to: "backup")
        try BackupCommand.requireBackup(path)
    }

    @Test func fullDiskIsNamed() throws {
        let problem = ExportFile.failed("b", ENOSPC)
        #expect(problem.detail == "‘b’ cannot be written: No space left on device.")
        #expect(problem.next == "Free some space there, or name a file on another disk.")
    }

    @Test func onlyAFileIsReplaced() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let problem = #expect(throws: Problem.self) { _ = try UnfinishedFile(path, replaces: true) }
        #expect(problem?.detail == "‘\(path)’ exists already, and is not a file.")
    }

    /// To open it would wait for a writer.
    @Test func pipeIsRefused() throws {
        try #require(mkfifo(path, 0o600) == 0)
        try BackupCommand.requireBackup(path)
        let problem = #expect(throws: Problem.self) { _ = try UnfinishedFile(path, replaces: true) }
        #expect(problem?.detail == "‘\(path)’ exists already, and is not a file.")
    }

    @Test func restOfAnInterruptedBackupIsReplaced() throws {
        try directory.write("a longer rest", to: "backup.unfinished")
        let file = try UnfinishedFile(path, replaces: false)
        try file.write(Data("new".utf8))
        try file.finish()
        #expect(try text() == "new")
        #expect(try directory.names == ["backup"])
    }

    @Test func placeThatDoesNotExistIsNamed() {
        let problem = #expect(throws: Problem.self) { _ = try UnfinishedFile(directory("no/backup"), replaces: false) }
        #expect(problem?.detail == "‘\(directory("no/backup"))’ cannot be written: No such file or directory.")
    }

    /// Without the key, the backup is useless.
    @Test func textNamesTheKey() {
        let service = BackupText.done("b", 1_200_000, isOfService: true)
        #expect(service.hasPrefix("The station was backed up to ‘b’ (1.2 MB).\nThe key is not in the file"), "\(service)")
        #expect(service.contains("\nsudo homingd key export /media/safe/homing.key.age --to RECIPIENT\n"), "\(service)")
        #expect(service.hasSuffix("\nsudo homingd key export /media/safe/homing.key --unencrypted"), "\(service)")
        let own = BackupText.done("b", 1, isOfService: false)
        #expect(own.contains("\nhomingd key export KEYFILE.age --to RECIPIENT\n") && own.hasSuffix("add: --config FILE"), "\(own)")
    }
}
