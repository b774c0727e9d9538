import Foundation
import Testing
import Vault

final class DurableFileTests {
    private let folder = NSTemporaryDirectory() + "homing-" + UUID().uuidString
    private var file: DurableFile { DurableFile(path: "\(folder)/file") }
    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func contentIsReplacedWholeAndLeavesNothingBeside() throws {
        #expect(try file.read() == nil)
        let long = Data(repeating: 1, count: 100_000)
        try file.replace(with: long)
        #expect(try file.read() == long)
        try file.replace(with: Data())
        #expect(try file.read() == Data())
        #expect(file.mode == 0o600)
        #expect(try names == ["file"])
    }

    @Test func creatingNeverOverwrites() throws {
        #expect(try file.create(with: Data([1])))
        #expect(try !file.create(with: Data([2])))
        #expect(try file.read() == Data([1]))
        #expect(try names == ["file"])
    }

    @Test func aFolderThatIsNotThereIsASentence() throws {
        let error = try #require(#expect(throws: VaultError.self) { try DurableFile(path: "/nowhere/file").replace(with: Data()) })
        #expect(error.code == .fileSystem)
        #expect(error.description == "Could not write /nowhere/file: No such file or directory.")
    }

    @Test func aFolderIsMadeForItsOwnerAndOneThatIsThereStaysAsItIs() throws {
        try DurableFile.makeFolder("\(folder)/inner")
        #expect(DurableFile(path: "\(folder)/inner").mode == 0o700)
        try DurableFile(path: "\(folder)/inner/file").replace(with: Data([1]))
        try DurableFile.makeFolder("\(folder)/inner")
        #expect(try DurableFile(path: "\(folder)/inner/file").read() == Data([1]))
        #expect(throws: VaultError.self) { try DurableFile.makeFolder("\(folder)/nowhere/inner") }
    }

    @Test func puttingAsideKeepsTheBytes() throws {
        try file.replace(with: Data([7]))
        let path = try file.putAside(suffix: ".damaged")
        #expect(try DurableFile(path: path).read() == Data([7]))
        #expect(!file.exists)
    }
}
