import Foundation
import Glibc
import Outbox
import SyncModel
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Capture

/// Files dropped while signed out have no account yet. See UnclaimedFiles.
@Suite struct SpoolUnclaimedTests {
    private static let ann = Destination(backend: "breathesafe", account: "1")

    private func dropThree(_ drop: Drop) throws {
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: 30)
        try drop.put(Drop.capture(2), "new/users/6/a.json", age: 20)
        try drop.put(try Captures.content(of: Captures.pending[0]), "new/" + Captures.pending[0], age: 10)
    }

    @Test(arguments: [UnclaimedFiles.ask, .hold]) func setsFilesAsideUntilClaimed(policy: UnclaimedFiles) async throws {
        let drop = try Drop(nil, unclaimed: policy)
        try dropThree(drop)
        await drop.spool.sweep()
        #expect(drop.spool.unclaimedFiles == 3 && drop.spool.files.firstUnclaimed == "users/5/a.json")
        #expect(drop.spool.counts() == (0, 0))
        await drop.signIn(.ann)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.unclaimedFiles == 3)

        #expect(try await drop.spool.claim(for: Self.ann, by: "uid 7, pid 8") == 3)
        #expect(drop.spool.unclaimedFiles == 0 && drop.spool.files.firstUnclaimed == nil)
        await drop.spool.sweep()
        let entries = try await drop.entries()
        #expect(entries.map(\.lane.rawValue).sorted() == ["users/5", "users/5", "users/6"])
        #expect(entries.allSatisfy { $0.destination == Self.ann })
        let event = try #require(try await drop.outbox.events(since: 0, limit: 100).first { $0.kind == .claimed })
        #expect(event.detail == ["by": "uid 7, pid 8", "files": "3"])
        #expect((event.backend, event.account) == ("breathesafe", "1"))
        #expect(try await drop.spool.claim(for: Self.ann, by: "uid 7, pid 8") == 0)
    }

    /// Dropped while signed out, before a person replaced the create.
    @Test func claimedFileForAReplacedCreateIsRefusedAndNamesTheNewOne() async throws {
        let drop = try Drop(nil)
        try await drop.create(1)
        try drop.put(Drop.capture(1), "new/users/@\(Samples.id(1))/a.json")
        await drop.spool.sweep()
        #expect(drop.spool.unclaimedFiles == 1)
        try await drop.create(2, replacing: 1)
        await drop.signIn(.ann)
        #expect(try await drop.spool.claim(for: Self.ann, by: "ann") == 1)
        await drop.spool.sweep()
        #expect(drop.spool.unclaimedFiles == 0)
        #expect(try drop.reason("a.json") == drop.refusal(of: 1, replacedBy: 2))
    }

    /// No sweep happens between the drop and the sign-in.
    @Test func doesNotTakeFilesFromBeforeSignIn() async throws {
        let drop = try Drop(nil)
        try dropThree(drop)
        drop.addressing.signIn(.bob)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.unclaimedFiles == 3)
        try drop.put(Drop.capture(9), "new/users/5/later.json")
        await drop.spool.sweep()
        #expect(try await drop.documents(of: .bob) == [Drop.capture(9)])
    }

    @Test func doesNotTakeFilesDroppedForAnotherAccount() async throws {
        let drop = try Drop(.ann)
        try dropThree(drop)
        drop.addressing.signIn(.bob)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.unclaimedFiles == 3)
    }

    /// The account changes after the sweep has set files aside, and before it takes any.
    @Test(.timeLimit(.minutes(5))) func takesNothingForAnAccountThatSignsInDuringTheSweep() async throws {
        let drop = try Drop(.ann)
        await drop.spool.sweep()
        try dropThree(drop)
        drop.addressing.whenAsked { [addressing = drop.addressing] in addressing.whenAsked { addressing.signIn(.bob) } }
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (3, 0) && drop.spool.unclaimedFiles == 0)
        await drop.spool.accountMayHaveChanged()
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 0) && drop.spool.unclaimedFiles == 3)
        #expect(try await drop.entries().isEmpty)
    }

    /// For files dropped while the daemon was down, the account is known only if it was signed in throughout.
    @Test(arguments: [(Account.ann, Account?.some(.ann), 3), (.ann, .bob, 0), (.ann, nil, 0)])
    func takesFilesAfterRestartOnlyForSameAccount(before: Account, after: Account?, stored: Int) async throws {
        var drop = try Drop(before)
        await drop.spool.sweep()
        try dropThree(drop)
        try drop.restart(accounts: ["breathesafe": after])
        await drop.spool.accountMayHaveChanged()
        await drop.spool.sweep()
        #expect(try await drop.entries().count == stored)
        #expect(drop.spool.unclaimedFiles == 3 - stored)
    }

    /// The same person signs in again, with a crash and no sweep in between.
    @Test func setsFilesAsideAfterSignOut() async throws {
        var drop = try Drop(.ann)
        await drop.signIn(nil)
        try dropThree(drop)
        try drop.restart()
        await drop.spool.accountMayHaveChanged()
        await drop.signIn(.ann)
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.unclaimedFiles == 3)
    }

    @Test func fileBegunWhileSignedOutStaysUnclaimed() async throws {
        let drop = try Drop(nil)
        try drop.put("", "new/users/5/open.json")
        let handle = try #require(FileHandle(forWritingAtPath: drop.path("new/users/5/open.json")))
        try handle.write(contentsOf: Data(Drop.capture(1).utf8.prefix(10)))
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (1, 0))
        await drop.signIn(.ann)
        try handle.write(contentsOf: Data(Drop.capture(1).utf8.dropFirst(10)))
        try drop.close(handle, "new/users/5/open.json")
        await drop.spool.sweep()
        #expect(drop.spool.counts().waiting == 0)
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.unclaimedFiles == 1)
    }

    /// The daemon restarts before the file is complete.
    @Test(.timeLimit(.minutes(5)), arguments: [nil, Account.bob])
    func unfinishedFileKeepsItsAccountOverRestart(before: Account?) async throws {
        var drop = try Drop(before)
        try drop.put("", "new/users/5/open.json")
        let handle = try #require(FileHandle(forWritingAtPath: drop.path("new/users/5/open.json")))
        await drop.spool.sweep()
        await drop.signIn(.ann)
        try drop.restart()
        try handle.write(contentsOf: Data(Drop.capture(1).utf8))
        try drop.close(handle, "new/users/5/open.json")
        await drop.spool.sweep()
        #expect(drop.spool.counts().waiting == 0)
        #expect(try await drop.documents(of: .ann).isEmpty)
        #expect(try await drop.documents(of: .bob).count == (before == nil ? 0 : 1))
        #expect(drop.spool.unclaimedFiles == (before == nil ? 1 : 0))
        await drop.spool.sweep()
        #expect(try drop.content("owners/unfinished").isEmpty)
    }

    @Test func nextAccountTakesUnclaimedFilesIfConfigured() async throws {
        var drop = try Drop(nil)
        try dropThree(drop)
        await drop.spool.sweep()
        drop.unclaimed = .next
        try drop.restart()
        await drop.signIn(.bob)
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 3)
        #expect(drop.spool.unclaimedFiles == 0)
    }

    @Test func resumesInterruptedClaim() async throws {
        var drop = try Drop(nil)
        try dropThree(drop)
        await drop.spool.sweep()
        await drop.signIn(.ann)
        let faults = FileFaults()
        let moved = Counter()
        faults.set { $0.rename = { _, target in target.contains("/taken/") && moved.next() > 1 ? EIO : nil } }
        drop.calls = faults.calls
        try drop.restart()
        #expect(try await drop.spool.claim(for: Self.ann, by: "ann") == 1)
        faults.clear()
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.unclaimedFiles == 2)
        #expect(try await drop.spool.claim(for: Self.ann, by: "ann") == 2)
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 3)
    }

    @Test func takenFileOfUnknownAccountWaitsForClaim() async throws {
        let drop = try Drop(.ann)
        let name = TakenName(id: Samples.id(1), backend: "breathesafe", account: "99", folder: "5", original: "a.json")
        try drop.put(Drop.capture(1), "taken/" + name.text)
        await drop.spool.sweep()
        #expect(drop.spool.unclaimedFiles == 1)
        _ = try await drop.spool.claim(for: Self.ann, by: "ann")
        await drop.spool.sweep()
        #expect(try await drop.entries().map(\.id) == [name.id])
    }

    @Test func setsAsideFilesOnAnotherFileSystem() async throws {
        let drop = try Drop(nil, calls: FileFaults.mounted("/users/5").calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        #expect(drop.spool.unclaimedFiles == 1)
        #expect(try drop.names("new/users/5").isEmpty)
        await drop.signIn(.ann)
        _ = try await drop.spool.claim(for: Self.ann, by: "ann")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    @Test func refusesForeignFileInUnclaimed() async throws {
        let drop = try Drop(.ann)
        try drop.put(Drop.capture(1), "unclaimed/stranger.json")
        #expect(try await drop.spool.claim(for: Self.ann, by: "ann") == 0)
        #expect(try drop.reason("stranger.json") == "The file was in unclaimed/, which only the daemon uses. Drop files into new/.")
    }

    @Test(arguments: [String(repeating: "a", count: 200), String(repeating: "ü/~%", count: 60), "x\ny", ""])
    func takesFilesForAnAccountOfAnyID(id: String) async throws {
        let long = Account(id: AccountID(id), label: "long@lab.test")
        let drop = try Drop(nil, calls: FileFaults.mounted("/users/6").calls)
        await drop.signIn(long)
        let name = String(repeating: "x", count: 250) + ".json"
        for user in [5, 6] { try drop.put(Drop.capture(user), "new/users/\(user)/\(name)", age: Double(10 - user)) }
        await drop.spool.sweep()
        #expect(try await drop.documents(of: long) == [5, 6].map(Drop.capture))
        #expect(drop.spool.counts() == (0, 0))
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
