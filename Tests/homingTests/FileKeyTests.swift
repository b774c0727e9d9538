import ControlAPI
import Foundation
import SyncModel
import TestSupport
import Testing

@testable import homing

@Suite struct FileKeyTests {
    private let directory: TemporaryDirectory
    private let submission = Submission(route: "measurement", fields: ["user_id": "5"], payload: Data("{}".utf8))

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("{}", to: "a.json")
    }

    private func key(_ name: String, on fileSystem: String? = "ext4") throws -> FileKey? {
        let file = try #require(FileHandle(forReadingAtPath: directory(name)))
        return FileKey(file) { _ in fileSystem }
    }

    private func id(_ submission: Submission? = nil, of name: String = "a.json", for account: String = "1") throws -> String {
        let key = try #require(try self.key(name))
        return key.id(of: submission ?? self.submission, at: "b", for: account).description
    }

    @Test func unchangedFileHasOneID() throws {
        #expect(try id() == id())
        #expect(UUID(uuidString: try id()) != nil)
    }

    @Test func accountFieldsAndTimeMakeAnotherID() throws {
        var others = [submission, submission, submission, submission]
        others[0].fields = ["user_id": "6"]
        others[1].route = "fit_test"
        others[2].capturedAt = Date(timeIntervalSince1970: 1_765_000_000)
        others[3].supersedes = UUID().uuidString
        let ids = try others.map { try id($0) } + [id(), id(for: "2")]
        #expect(Set(ids).count == 6)
    }

    @Test func changedOrCopiedFileHasAnotherID() throws {
        let first = try id()
        try directory.write("{}", to: "b.json")
        #expect(try id(of: "b.json") != first)
        let date = Date(timeIntervalSince1970: 1_765_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: directory("a.json"))
        #expect(try id() != first)
    }

    @Test func onlyFilesHaveAKey() throws {
        try FileManager.default.createDirectory(atPath: directory("folder"), withIntermediateDirectories: true)
        #expect(try key("folder") == nil)
    }

    /// On the others, another file may get the same numbers, or the same file others.
    @Test(arguments: ["vfat", "exfat", "fuseblk", "btrfs", "nfs4", "cifs", "overlay", nil] as [String?])
    func onlyLastingNumbersMakeAKey(fileSystem: String?) throws {
        #expect(try key("a.json", on: fileSystem) == nil)
        #expect(try key("a.json", on: "xfs") == key("a.json"))
    }

    @Test func inputHasTheKeyOfItsFile() throws {
        let input = try SubmissionInput(name: directory("a.json")).document(inputIsTerminal: false)
        let file = try #require(FileHandle(forReadingAtPath: directory("a.json")))
        #expect(input.document.payload == Data("{}".utf8) && input.key == FileKey(file))
    }
}
