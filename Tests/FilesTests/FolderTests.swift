import Files
import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

final class FolderTests {
    private let path = NSTemporaryDirectory() + "homing-" + UUID().uuidString
    private let (old, new) = (Data("old".utf8), Data("new content".utf8))
    private var content: Data? { FileManager.default.contents(atPath: path + "/file") }
    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try old.write(to: URL(fileURLWithPath: path + "/file"))
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    @Test func replacementIsCompleteBeforeItTakesTheName() throws {
        let isOld = try isOldUntilReplaced { try $0.replace("file", with: new, via: "draft") }
        #expect(isOld)
        #expect(content == new)
        #expect(try names == ["file"])
    }

    /// Control: the check above notices a write in place.
    @Test func writeInPlaceIsNoticed() throws {
        let isOld = try isOldUntilReplaced { try $0.write(new, to: "file", mode: 0o600) }
        #expect(!isOld)
        #expect(content == new)
    }

    /// True if the file has its old content before each call that `replace` makes.
    private func isOldUntilReplaced(_ replace: (Folder) throws -> Void) throws -> Bool {
        let seen = Contents(path: path + "/file")
        try replace(Folder(FilePath(path), calls: Folder.Calls { _, _, _ in seen.note() }))
        let contents = seen.all
        return !contents.isEmpty && contents.allSatisfy { $0 == old }
    }

    private final class Contents: Sendable {
        private let path: String
        private let noted = Mutex<[Data?]>([])

        init(path: String) { self.path = path }

        var all: [Data?] { noted.withLock(\.self) }
        func note() { noted.withLock { $0.append(FileManager.default.contents(atPath: path)) } }
    }

    /// A crash after the rename must not leave another mode. The umask of a process would remove some of these bits.
    @Test func modeIsCompleteBeforeTheNameIsThere() throws {
        let modes = Mutex<[mode_t]>([])
        let calls = Folder.Calls { (kind, path, _) throws(FileError) in
            guard kind == .rename else { return }
            var facts = stat()
            _ = stat(path.string, &facts)
            modes.withLock { $0.append(facts.st_mode & 0o7777) }
        }
        let folder = try Folder(FilePath(path), calls: calls)
        try folder.replace("file", with: new, mode: 0o666, via: "draft")
        try folder.make("inner", mode: 0o777, via: "draft")
        #expect(modes.withLock(\.self) == [0o666, 0o777])
        #expect(folder.status(of: "file").map { $0.st_mode & 0o7777 } == 0o666)
        #expect(folder.status(of: "inner").map { $0.st_mode & 0o7777 } == 0o777)
        try folder.make("inner", mode: 0o700, via: "draft")
        #expect(folder.status(of: "inner").map { $0.st_mode & 0o7777 } == 0o777)
        #expect(try names == ["file", "inner"])
    }

    @Test(arguments: [ENOSPC, EDQUOT, EIO]) func failedReplacementLeavesTheOldFileAlone(code: Int32) throws {
        let calls = Folder.Calls { (kind, path, _) throws(FileError) in
            if kind == .rename { throw FileError(Errno(rawValue: code), path, .write) }
        }
        let folder = try Folder(FilePath(path), calls: calls)
        let error = try #require(#expect(throws: FileError.self) { try folder.replace("file", with: new, via: "draft") })
        #expect(error.code.rawValue == code && error.isForWantOfRoom == (code != EIO))
        #expect(content == old)
        #expect(try names == ["file"])
    }

    @Test func creatingLeavesExistingFileAlone() throws {
        let folder = try Folder(FilePath(path))
        #expect(try !folder.create("file", with: new, via: "draft"))
        #expect(content == old)
        #expect(try folder.create("another", with: new, via: "draft"))
        #expect(try names == ["another", "file"])
    }

    @Test func renamingNeverReplaces() throws {
        let folder = try Folder(FilePath(path))
        try folder.write(new, to: "draft", mode: 0o600)
        let error = try #require(#expect(throws: FileError.self) { try folder.rename("draft", to: folder, "file") })
        #expect(error.code == .fileExists && error.path == FilePath(path + "/draft"))
        #expect(content == old)
    }

    @Test func followsNoLinkBelowTheFolder() throws {
        symlink("/etc", path + "/link")
        symlink("/etc/passwd", path + "/linked")
        let folder = try Folder(FilePath(path))
        #expect(throws: FileError.self) { try folder.folder("link") }
        #expect(throws: FileError.self) { try folder.open("linked") }
        try folder.write(new, to: "linked", mode: 0o600)
        #expect(folder.status(of: "linked")?.isPlain == true)
    }
}
