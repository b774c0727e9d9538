import Files
import Foundation
import SystemPackage
import Testing

final class DurableFileTests {
    private let folder = NSTemporaryDirectory() + "homing-" + UUID().uuidString
    private var file: DurableFile { DurableFile(path: "\(folder)/file") }
    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func replacesWholeContentAndLeavesNothingBeside() throws {
        #expect(try file.read() == nil)
        let long = Data(repeating: 1, count: 100_000)
        try file.replace(with: long)
        #expect(try file.read() == long)
        try file.replace(with: Data())
        #expect(try file.read() == Data())
        #expect(file.mode == 0o600)
        #expect(try names == ["file"])
    }

    @Test func belongsToRootOrTheDaemon() throws {
        #expect(file.isOwned())
        try file.replace(with: Data([1]))
        #expect(file.isOwned(byRootOr: geteuid()))
        #expect(file.isOwned(byRootOr: geteuid() + 1) == (geteuid() == 0))
    }

    @Test(.enabled(if: geteuid() == 0, "takes root: it changes the owner")) func aFileOfAnotherUserIsNotRoots() throws {
        try file.replace(with: Data([1]))
        #expect(chown(file.path, 61_001, 61_001) == 0)
        #expect(!file.isOwned())
        #expect(file.isOwned(byRootOr: 61_001))
    }

    @Test func removesDraftOfCrashedRun() throws {
        try Data(repeating: 9, count: 9).write(to: URL(fileURLWithPath: file.path + ".tmp"))
        try file.replace(with: Data([1]))
        #expect(try file.read() == Data([1]))
        #expect(try names == ["file"])
    }

    @Test func creatingNeverOverwrites() throws {
        let isExclusive = try holdsFirstContent("file") { try $0.create(with: $1) }
        #expect(isExclusive)
        #expect(try names == ["file"])
    }

    /// Control: the check above notices a creation that overwrites.
    @Test func overwritingCreationIsNoticed() throws {
        let isExclusive = try holdsFirstContent("other") { file, content in
            try file.replace(with: content)
            return true
        }
        #expect(!isExclusive)
    }

    private func holdsFirstContent(_ name: String, _ create: (DurableFile, Data) throws -> Bool) throws -> Bool {
        let file = DurableFile(path: "\(folder)/\(name)")
        let wasNew = try create(file, Data([1]))
        let isNewAgain = try create(file, Data([2]))
        return try wasNew && !isNewAgain && file.read() == Data([1])
    }

    @Test func errorNamesThePathAndTheReason() throws {
        let error = try #require(#expect(throws: FileError.self) { try DurableFile(path: "/nowhere/file").replace(with: Data()) })
        #expect(error.code == .noSuchFileOrDirectory && error.path == "/nowhere" && !error.isForWantOfRoom)
        #expect(error.description == "Could not open /nowhere: No such file or directory.")
    }

    @Test func unreadableFileReadsAsNothing() throws {
        #expect(try file.readOrNothing() == nil)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(try file.readOrNothing() == Data())
        let error = try #require(#expect(throws: FileError.self) { try file.read() })
        #expect(error.code == .isDirectory && error.description == "Could not read \(file.path): Is a directory.")
    }

    @Test func makesFolderForItsOwnerAndKeepsExistingOne() throws {
        try DurableFile.makeFolder("\(folder)/inner")
        #expect(DurableFile(path: "\(folder)/inner").mode == 0o700)
        try DurableFile(path: "\(folder)/inner/file").replace(with: Data([1]))
        try DurableFile.makeFolder("\(folder)/inner")
        #expect(try DurableFile(path: "\(folder)/inner/file").read() == Data([1]))
        #expect(throws: FileError.self) { try DurableFile.makeFolder("\(folder)/nowhere/inner") }
    }

    @Test func movingKeepsTheBytesAndReplaces() throws {
        try DurableFile.makeFolder("\(folder)/inner")
        let target = DurableFile(path: "\(folder)/inner/target")
        try target.replace(with: Data([1]))
        try file.replace(with: Data([7]))
        try file.sync()
        try file.move(to: target.path)
        #expect(try target.read() == Data([7]))
        #expect(!file.exists)
        #expect(throws: FileError.self) { try file.move(to: target.path) }
        #expect(throws: FileError.self) { try file.sync() }
    }

    @Test func removingSucceedsWithoutFile() throws {
        try file.replace(with: Data([1]))
        try file.remove()
        #expect(!file.exists)
        try file.remove()
    }
}
