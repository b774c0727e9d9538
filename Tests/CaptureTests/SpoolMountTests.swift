import Foundation
import Glibc
import Outbox
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// A user's folder on another file system: files are copied out of it.
@Suite struct SpoolMountTests {
    private static func name(_ account: Account = .ann, folder: String? = "5", id: Int = 1) -> TakenName {
        TakenName(id: Samples.id(id), backend: "breathesafe", account: account.id, folder: folder, original: "a.json")
    }

    @Test func filesAreCopiedOutAndRemoved() async throws {
        let drop = try Drop(calls: FileFaults.mounted("/users/5").calls)
        for number in 1...100 { try drop.put(Drop.capture(number), "new/users/5/\(number).json", age: Double(900 - number)) }
        try drop.put("no capture", "new/users/5/bad.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == (1...100).map(Drop.capture))
        #expect(try drop.names("new/users/5").isEmpty)
        #expect(try drop.names("taken").isEmpty)
        #expect(try drop.names("refused") == ["bad.json", "bad.json.reason"])
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func doesNotTakeFileThatCannotBeRemoved() async throws {
        let faults = FileFaults.mounted("/users/5")
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        faults.set { $0.unlink = { $0.contains("/users/5/") ? EPERM : nil } }
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().isEmpty)
        #expect(try drop.names("taken").isEmpty)
        #expect(drop.spool.counts() == (1, 0))
        #expect(drop.spool.stuckFiles.count == 1)
        #expect(drop.spool.stuckFiles.example?.reason == "Operation not permitted")
        #expect(drop.log.all.count == 1)
        faults.set { $0.unlink = { _ in nil } }
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(try drop.names("new/users/5").isEmpty)
        #expect(drop.spool.stuckFiles.count == 0)
    }

    /// For example, on a read-only file system.
    @Test func leavesFileThatCannotBeRenamedInPlace() async throws {
        let faults = FileFaults(
            .init(rename: { path, target in path.contains("/users/5/") ? target.contains("/taken/") ? EXDEV : EROFS : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        #expect(try drop.names("new/users/5") == ["a.json"])
        #expect(try drop.names("taken").isEmpty)
        #expect(drop.spool.stuckFiles.example?.path == drop.path("new/users/5/a.json"))
        #expect(drop.spool.stuckFiles.example?.reason == "Read-only file system")
    }

    @Test func copiesFileAgainIfItChangesMeanwhile() async throws {
        let faults = FileFaults.mounted("/users/5")
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        faults.set { errors in
            let mounted = errors.rename
            errors.rename = { path, target in
                // The copy exists by now.
                if target.contains("/.taking~"), let handle = FileHandle(forWritingAtPath: path) {
                    handle.seekToEndOfFile()
                    handle.write(Data(" ".utf8))
                }
                return mounted(path, target)
            }
        }
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(try drop.names("taken").isEmpty)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1) + " "])
        #expect(try drop.names("new/users/5").isEmpty)
    }

    @Test func doesNotCopyOversizedFile() async throws {
        let drop = try Drop(calls: FileFaults.mounted("/users/5").calls)
        try drop.put("{}", "new/users/5/large.json")
        try #require(truncate(drop.path("new/users/5/large.json"), off_t(Mutation.largestPayload + 1)) == 0)
        try drop.put(Drop.capture(1), "new/users/5/small.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(try drop.names("new/users/5") == ["large.json"])
        #expect(drop.spool.stuckFiles.example?.reason == "File too large")
    }

    /// Every state that a crash can leave: the source bound or not; the copy started, complete or stored.
    @Test(arguments: ["bound", "bound and begun", "begun", "copied", "stored"])
    func crashWhileCopyingCausesNoDuplicate(state: String) async throws {
        var drop = try Drop(calls: FileFaults.mounted("/users/5").calls)
        let name = Self.name()
        let bound = "new/users/5/.taking~" + name.text
        try drop.put(Drop.capture(1), state == "begun" ? "new/users/5/a.json" : bound)
        #expect(drop.spool.counts().waiting == 1)
        if state.hasSuffix("begun") { try drop.put("{\"half", "taken/.copying") }
        if state == "copied" || state == "stored" { try drop.put(Drop.capture(1), "taken/" + name.text) }
        if state == "stored" {
            _ = try await Intake(outbox: drop.outbox, addressing: drop.addressing, clock: drop.clock).accept(
                Submission(route: "measurement", id: name.id, fields: ["user_id": 5], payload: Data(Drop.capture(1).utf8)))
        }
        try drop.restart()
        await drop.spool.sweep()
        let entries = try await drop.entries()
        #expect(entries.count == 1)
        if state != "begun" { #expect(entries.first?.id == name.id) }
        #expect(try await drop.documents() == [Drop.capture(1)])
        for folder in ["new/users/5", "taken", "refused"] { #expect(try drop.names(folder).isEmpty, "\(folder)") }
    }

    @Test func boundFileWaitsForItsOwnAccount() async throws {
        let drop = try Drop(calls: FileFaults.mounted("/users/5").calls)
        let name = Self.name(.bob)
        try drop.put(Drop.capture(1), "new/users/5/.taking~" + name.text, age: 90)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (1, 0))
        #expect(drop.spool.stuckFiles.count == 1)
        #expect(drop.spool.stuckFiles.example?.reason == "it waits for account 2 at breathesafe to sign in")
        #expect(drop.log.all.count == 1)
        drop.addressing.signIn(.bob)
        await drop.spool.sweep()
        #expect(try await drop.documents(of: .bob) == [Drop.capture(1)])
        #expect(try drop.names("new/users/5").isEmpty)
        #expect(drop.spool.stuckFiles.count == 0)
    }

    /// Otherwise a user could drop files for another user.
    @Test func doesNotTakeBoundFileFromWrongFolder() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/6/.taking~" + Self.name(folder: "5").text)
        try drop.put(Drop.capture(2), "new/.taking~" + Self.name(folder: "5").text)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.counts() == (0, 0))
    }

    @Test func bindsFileWithLongestName() async throws {
        let drop = try Drop(calls: FileFaults.mounted("/users/1").calls)
        let folder = String(repeating: "1", count: 90)
        try drop.put(Drop.capture(1), "new/users/\(folder)/" + String(repeating: "x", count: 250) + ".json")
        await drop.spool.sweep()
        #expect(try await drop.entries().map(\.lane) == [Lane("users/" + folder)])
        #expect(drop.spool.stuckFiles.count == 0)
    }
}
