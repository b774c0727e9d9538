import Foundation
import Glibc
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import Capture

@Suite struct SpoolUnfinishedTests {
    /// The kernel refuses leases on other users' files, so open writers are not detected.
    private let unasked = FileFaults(.init(lease: { $0.contains("/new/") ? EACCES : nil }))

    @Test(arguments: [-2_000_000_000.0, 60]) func takesFileWithoutLeaseOnceItStopsChanging(age: TimeInterval) async throws {
        let drop = try Drop(calls: unasked.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: age)
        await drop.spool.sweep()
        drop.clock.advance(by: 4)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        // A program still writes to the file.
        let handle = try #require(FileHandle(forWritingAtPath: drop.path("new/users/5/a.json")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(" ".utf8))
        try handle.close()
        drop.clock.advance(by: 4)
        await drop.spool.sweep()
        drop.clock.advance(by: 4)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        drop.clock.advance(by: 1)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1) + " "])
    }

    @Test func takesFileWithoutLeaseOrEvent() async throws {
        let drop = try Drop(calls: unasked.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: -2_000_000_000)
        try await drop.running { news in
            await drop.clock.sleeps(after: 1)
            drop.clock.advance(by: 5)
            try await drop.stored(1, news)
        }
    }

    @Test func findsFilesInUnwatchedFolderWithinAMinute() async throws {
        let faults = FileFaults(.init(watch: { $0.hasSuffix("/users/5") ? ENOSPC : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: 90)
        try await drop.running { news in
            try await drop.stored(1, news)
            await drop.clock.sleeps(after: 0)
            try drop.put(Drop.capture(2), "new/users/5/b.json")
            drop.clock.advance(by: 60)
            try await drop.stored(2, news)
            try drop.put(Drop.capture(3), "new/users/6/c.json")
            try await drop.stored(3, news)
        }
        let told = drop.log.all.filter { $0.hasPrefix("Cannot watch a folder") }
        #expect(told.count == 1)
        #expect(told.first?.contains("No space left on device") == true)
        #expect(told.first?.hasSuffix("directory=\(drop.path("new/users/5")) error=No space left on device") == true)
    }

    @Test func findsFilesWithinAMinuteWithoutWatching() async throws {
        let drop = try Drop(calls: FileFaults(.init(beginWatching: EMFILE)).calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: 90)
        try await drop.running { news in
            try await drop.stored(1, news)
            await drop.clock.sleeps(after: 0)
            try drop.put(Drop.capture(2), "new/users/5/b.json")
            drop.clock.advance(by: 60)
            try await drop.stored(2, news)
        }
        #expect(drop.log.all.contains { $0.hasSuffix("directory=\(drop.path("new")) error=Too many open files") })
    }

    @Test func unchangedFoldersNeedNoSweep() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        drop.addressing.signIn(nil)
        // Waits until the last change is old enough to differ from a later one.
        repeat {
            try await Task.sleep(for: .milliseconds(20))
            await drop.spool.sweep()
        } while await drop.spool.mayHaveChanged
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        #expect(await drop.spool.mayHaveChanged)
    }

    @Test func openFileNeedsAnotherSweep() async throws {
        let drop = try Drop()
        try drop.put("", "new/users/5/open.json")
        let handle = try #require(FileHandle(forWritingAtPath: drop.path("new/users/5/open.json")))
        // The folders of `calm` are younger. Once it needs no sweep, only the open file can be why `drop` does.
        let calm = try Drop()
        repeat {
            try await Task.sleep(for: .milliseconds(20))
            await calm.spool.sweep()
            await drop.spool.sweep()
            #expect(await drop.spool.mayHaveChanged)
        } while await calm.spool.mayHaveChanged
        try handle.close()
    }

    /// A file belongs to the account that was signed in when it was begun.
    @Test(arguments: [Account.bob, nil]) func fileBelongsToAccountSignedInWhenBegun(next: Account?) async throws {
        let drop = try Drop(.ann)
        try drop.put("", "new/users/5/open.json")
        let handle = try #require(FileHandle(forWritingAtPath: drop.path("new/users/5/open.json")))
        try handle.write(contentsOf: Data(Drop.capture(1).utf8.prefix(10)))
        await drop.spool.sweep()
        drop.addressing.signIn(next)
        await drop.spool.sweep()
        try handle.write(contentsOf: Data(Drop.capture(1).utf8.dropFirst(10)))
        try drop.close(handle, "new/users/5/open.json")
        await drop.spool.sweep()
        await drop.signIn(.bob)
        try drop.put(Drop.capture(2), "new/users/5/other.json")
        await drop.spool.sweep()
        #expect(drop.spool.counts().waiting == 0)
        #expect(try await drop.documents(of: .ann) == [Drop.capture(1)])
        #expect(try await drop.documents(of: .bob) == [Drop.capture(2)])
    }

    @Test func replacementFileBelongsToCurrentAccount() async throws {
        let drop = try Drop(.ann, calls: unasked.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        await drop.signIn(.bob)
        try drop.put(Drop.capture(2), "new/users/5/a.json")
        await drop.spool.sweep()
        drop.clock.advance(by: 5)
        await drop.spool.sweep()
        #expect(try await drop.documents(of: .ann).isEmpty)
        #expect(try await drop.documents(of: .bob) == [Drop.capture(2)])
    }
}
