import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Capture

@Suite struct FolderCountsTests {
    private let directory: TemporaryDirectory
    private let faults = FileFaults()
    private let folders: SpoolFolders

    init() throws {
        directory = try TemporaryDirectory()
        var folders = SpoolFolders(root: directory.path)
        folders.calls = faults.calls
        self.folders = folders
        try folders.make()
    }

    private func changedAt(_ folder: String) -> FileTime? { folders.status(of: FilePath(directory(folder))).map { FileTime($0.st_ctim) } }

    private func put(_ name: String) throws {
        let path = directory(name)
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
    }

    @Test func countsAreCurrentAfterEveryChange() throws {
        let counts = FolderCounts(folders)
        #expect(counts.now == (0, 0))
        for name in ["new/a", "new/users/b", "new/users/5/c", "new/users/5/d", "new/users/6/e"] { try put(name) }
        #expect(counts.now == (5, 0))
        for name in ["new/.h", "new/x.part", "new/users/5/x.tmp", "new/users/.h/a", "new/sub/a"] { try put(name) }
        #expect(counts.now == (5, 0))
        #expect(rename(directory("new/x.part"), directory("new/x")) == 0)
        #expect(counts.now == (6, 0))
        // A person may have removed the `.reason` file of `b`. The third one belongs to no file.
        for name in ["refused/a", "refused/a.reason", "refused/c.reason", "refused/b", "refused/.copying"] { try put(name) }
        #expect(counts.now == (6, 2))
        try FileManager.default.removeItem(atPath: directory("new/users/5"))
        #expect(counts.now == (4, 2))
        try put("new/users/5/c")
        #expect(counts.now == (5, 2))
        // Files that are taken but not stored yet count as waiting.
        try put("taken/d")
        #expect(counts.now == (6, 2))
    }

    @Test func unchangedFolderIsNotListedAgain() throws {
        try put("new/a")
        try put("new/users/5/a")
        // Every timestamp counts as old enough.
        let counts = FolderCounts(folders, coarseness: { _ in -.infinity })
        #expect(counts.now == (2, 0))
        let listed = faults.foldersListed
        #expect(listed.sorted() == ["new", "new/users", "new/users/5", "refused", "taken", "unclaimed"].map { directory($0) })
        for _ in 1...3 { #expect(counts.now == (2, 0)) }
        #expect(faults.foldersListed == listed)
        let before = changedAt("new/users/5")
        var number = 1
        while changedAt("new/users/5") == before {
            number += 1
            try put("new/users/5/\(number)")
        }
        #expect(counts.now == (1 + number, 0))
        #expect(faults.foldersListed == listed + [directory("new/users/5")])
    }

    @Test func oneLookGivesCountsAndNames() throws {
        for name in ["new/a", "refused/b", "refused/b.reason", "unclaimed/c", "unclaimed/d"] { try put(name) }
        // Each look lists all folders.
        let files = FolderCounts(folders, coarseness: { _ in .infinity }).all
        #expect(files == DroppedFiles(waiting: 1, refused: 1, unclaimed: 2, refusedNames: ["b"], firstUnclaimed: "c"))
        #expect(faults.foldersListed.count { $0 == directory("refused") } == 1)
    }

    @Test func recentlyChangedFolderIsListedAgain() throws {
        try put("new/a")
        let counts = FolderCounts(folders, coarseness: { _ in .infinity })
        #expect(counts.now == (1, 0))
        #expect(counts.now == (1, 0))
        #expect(faults.foldersListed.count { $0 == directory("new") } == 2)
    }
}
