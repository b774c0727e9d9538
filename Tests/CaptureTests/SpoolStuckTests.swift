import Foundation
import Glibc
import Outbox
import SyncModel
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Capture

@Suite struct SpoolStuckTests {
    private func reported(_ drop: Drop) -> [String] { drop.log.all.filter { $0.hasPrefix("Cannot take a dropped file") } }

    @Test(arguments: [EACCES, EPERM, EROFS])
    func reportsImmovableFileOnceWithoutBlockingOthers(code: Int32) async throws {
        let faults = FileFaults(.init(rename: { path, _ in path.contains("/users/7/") ? code : nil }))
        let drop = try Drop(calls: faults.calls)
        for number in 1...2 { try drop.put(Drop.capture(number), "new/users/7/\(number).json", age: Double(90 - number)) }
        try drop.put(Drop.capture(3), "new/users/5/c.json")
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.counts() == (2, 0))
        let stuck = drop.spool.stuckFiles
        #expect(stuck.count == 2)
        #expect(
            stuck.example
                == StuckFile(
                    path: drop.path("new/users/7/1.json"), reason: String(cString: strerror(code)),
                    next: "Give homingd’s user write permission on the file’s folder.", cause: "system"))
        #expect(reported(drop).count == 2)

        faults.clear()
        await drop.spool.sweep()
        #expect(try await drop.documents() == [3, 1, 2].map(Drop.capture))
        #expect(drop.spool.stuckFiles.count == 0)
        #expect(drop.spool.stuckFiles.example == nil)
    }

    private func capture(_ number: Int, bytes: Int) -> String {
        #"{"average_measurements":{"1-2":{"value":\#(number),"description":"\#(Samples.noise(bytes))"}}}"#
    }

    /// Below a limit of 2 MiB, one of them fits, and two do not.
    private func large(_ number: Int) -> String { capture(number, bytes: 1200 << 10) }

    @Test func leavesFilesInPlaceWhileTheStoreIsGone() async throws {
        let drop = try Drop()
        let store = drop.directory("outbox.sqlite")
        try FileManager.default.moveItem(atPath: store, toPath: store + ".aside")
        try drop.put(Drop.capture(1), "new/users/7/1.json")
        await drop.spool.sweep()
        #expect(try drop.names("new/users/7") == ["1.json"])
        #expect(drop.spool.failure == nil && drop.log.all.isEmpty)
        try FileManager.default.moveItem(atPath: store + ".aside", toPath: store)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    @Test func sweepStopsAtALargeFileWithoutRoom() async throws {
        let drop = try Drop(maxBytes: 2 << 20)
        try drop.put(large(0), "new/users/7/before.json", age: 100)
        try drop.put(large(1), "new/users/7/large.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/7/after.json", age: 80)
        // These are more files than one batch holds.
        for number in 10..<90 { try drop.put(Drop.capture(number), "new/users/5/\(number).json", age: 70) }
        try drop.put(Drop.capture(3), "new/users/7/last.json", age: 60)
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.counts() == (83, 0))
        let stuck = drop.spool.stuckFiles
        #expect((stuck.count, stuck.waiting) == (83, 83))
        #expect(stuck.example?.path.hasSuffix("large.json") == true)
        #expect(stuck.example?.reason == "it does not fit in the outbox, which is limited to 2 MiB")
        let step = try #require(stuck.example?.next)
        #expect(step.hasPrefix("Wait for deliveries to free space, ") && step.hasSuffix(" run: systemctl reload homingd"))
        #expect(reported(drop).count == 1)
        #expect(reported(drop)[0].hasSuffix("large.json reason=it does not fit in the outbox, which is limited to 2 MiB"))
        #expect(!drop.log.all.contains { $0.hasPrefix("Failed to process the drop folder") })

        // Once there is room, the lanes continue in order.
        #expect(try await drop.documents() == [large(0)])
        await drop.spool.sweep()
        let later: [Int] = [2] + Array(10..<90) + [3]
        #expect(try await drop.documents() == [large(1)] + later.map(Drop.capture))
        #expect(drop.spool.stuckFiles.count == 0)
    }

    /// It is smaller than the limit, but does not fit beside what the store keeps, even when all entries are delivered.
    @Test func refusesALargeFileThatDeliveriesMakeNoRoomFor() async throws {
        let drop = try Drop(maxBytes: 2 << 20)
        try drop.put(Drop.capture(1), "new/users/7/before.json", age: 90)
        await drop.spool.sweep()
        try drop.put(capture(2, bytes: 2_000_000), "new/users/7/large.json", age: 80)
        try drop.put(Drop.capture(3), "new/users/7/after.json", age: 70)
        try drop.put(Drop.capture(4), "new/users/5/other.json", age: 60)
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 1))
        #expect(drop.spool.stuckFiles.count == 0 && drop.spool.failure == nil)
        #expect(try await drop.outbox.room() == .enough)
        let reason = try drop.reason("large.json")
        let size = try #require(reason.split(separator: " ").compactMap { Int64($0) }.first)
        #expect(size > drop.outbox.largestForAll && size < 2 << 20)
        #expect(
            reason == """
                The file takes \(size) bytes in the outbox; the limit is 2097152 (2 MiB), and deliveries do not make enough room for it. \
                Entries that have failed (‘homing list --state failed’) or are on hold (‘homing list --state held’) take room until you \
                decide on them. If there are none, or the file still does not fit, an administrator must raise outbox.max_bytes in the \
                configuration and reload homingd. Then drop the file into new/ again.
                """)
        #expect(try await drop.entries().count == 3)
    }

    @Test func retriesTheFileWithoutRoomFirstAfterAPause() async throws {
        let drop = try Drop(maxBytes: 2 << 20)
        let large = (1...2).map(large)
        try drop.put(large[0], "new/users/7/a.json", age: 90)
        try drop.put(large[1], "new/users/7/b.json", age: 80)
        try drop.put(Drop.capture(3), "new/users/7/c.json", age: 70)
        try drop.put(Drop.capture(4), "new/users/5/d.json", age: 60)
        try await drop.running { news in
            // The first timer is that of the one-minute sweep.
            await drop.clock.sleeps(after: 1)
            #expect(try await drop.documents() == [large[0]])
            // There is room now, but the pause is not over.
            #expect(drop.spool.counts() == (3, 0))
            #expect(drop.clock.slept == 2)
            drop.clock.advance(by: 1)
            try await drop.stored(4, news)
        }
        #expect(try await drop.documents() == [large[1], Drop.capture(3), Drop.capture(4)])
    }

    /// For example, without free descriptors for a moment. No event reports their end.
    @Test func retriesAFileWhoseFolderDidNotOpen() async throws {
        let left = Mutex<Int?>(nil)
        let faults = FileFaults()
        let drop = try Drop(calls: faults.calls)
        faults.set {
            $0.openFolder = { path in
                left.withLock { left in
                    // From the look at its owner to the look whether it is there.
                    if left == nil, path.hasSuffix("/owners") { left = 3 }
                    guard let count = left, count > 0 else { return nil }
                    left = count - 1
                    return EMFILE
                }
            }
        }
        let owner = OwnerKey(Destination(backend: "breathesafe", account: Account.ann.id))
        let name = TakenName(id: Samples.id(1), owner: owner, folder: "5", original: "a.json")
        try drop.put(Drop.capture(1), "taken/" + name.text)
        try await drop.running { news in
            // The first timer is that of the one-minute sweep.
            await drop.clock.sleeps(after: 1)
            #expect(try drop.names("taken") == [name.text])
            drop.clock.advance(by: 1)
            try await drop.stored(1, news)
        }
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    /// For example, after a power cut on a machine without a battery-backed clock.
    @Test func fileWaitingForRoomStaysFirstAfterClockSetBack() async throws {
        var drop = try Drop(maxBytes: 2 << 20)
        try drop.put(large(0), "new/users/7/before.json", age: 90)
        try drop.put(large(1), "new/users/7/large.json")
        await drop.spool.sweep()
        drop.clock.advance(by: -86_400)
        try drop.restart()
        try drop.put(Drop.capture(2), "new/users/7/after.json")
        for _ in 1...2 { await drop.spool.sweep() }
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.stuckFiles.count == 2)
        drop.outbox = try Outbox(file: drop.directory("other.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: drop.clock.now)
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.documents() == [large(1), Drop.capture(2)])
    }

    @Test func takesAtMostOneBatchWithoutRoom() async throws {
        let drop = try Drop(maxBytes: 2 << 20)
        try drop.put(large(0), "new/users/7/before.json")
        await drop.spool.sweep()
        try drop.put(large(1), "new/users/7/large.json", age: 900)
        for number in 2...300 { try drop.put(Drop.capture(number), "new/users/7/\(number).json", age: Double(900 - number)) }
        for _ in 1...5 { await drop.spool.sweep() }
        #expect(try await drop.entries().count == 1)
        #expect(try drop.names("taken").count == Spool.batch)
        #expect(drop.spool.counts() == (300, 0))
    }

    @Test func remainingFilesWaitIfASmallOneHasNoRoom() async throws {
        let drop = try Drop(maxBytes: 100 << 10)
        for number in 1...300 { try drop.put(Drop.capture(number), "new/users/\(number)/a.json", age: Double(900 - number)) }
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.counts().waiting == 300)
        // The first batch was taken, and every sweep tries it first.
        #expect(try drop.names("taken").count == 64)
        #expect(
            drop.log.all.filter { $0.hasPrefix("Failed to process the drop folder") } == [
                "Failed to process the drop folder directory=\(drop.path("").dropLast()) "
                    + "error=it does not fit in the outbox, which is limited to 102400 bytes"
            ])
    }

    @Test func reportsFailedSweepUntilOneSucceeds() async throws {
        let faults = FileFaults(.init(list: { $0.hasSuffix("/taken") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        #expect(
            drop.spool.failure
                == "Cannot use the folder \(drop.path("taken")): Permission denied. Check its owner and the disk. Nothing was lost.")
        faults.clear()
        await drop.spool.sweep()
        #expect(drop.spool.failure == nil)
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    @Test func namesTheUnwritableFolderForTakenFiles() async throws {
        let faults = FileFaults(
            .init(
                rename: { _, target in target.contains("/taken/") ? EACCES : nil }, access: { $0.hasSuffix("/taken") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        #expect(
            drop.spool.stuckFiles.example
                == StuckFile(
                    path: drop.path("new/users/5/a.json"), reason: "homingd cannot write to \(drop.path("taken")): Permission denied",
                    next: "Give homingd’s user write permission on \(drop.path("taken")).", cause: "unwritable"))
    }

    @Test func reportsAllOfAThousandStuckFiles() async throws {
        let faults = FileFaults(.init(rename: { _, target in target.contains("/taken/") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        for number in 1...1000 { try drop.put(Drop.capture(number), "new/users/5/\(number).json") }
        await drop.spool.sweep()
        #expect((drop.spool.stuckFiles.count, drop.spool.stuckFiles.waiting) == (1000, 1000))
        #expect(drop.spool.counts() == (1000, 0))
    }

    @Test(arguments: [(EACCES, 30), (EIO, 1)] as [(Int32, TimeInterval)])
    func retriesFailedFileWithoutEvent(error: Int32, seconds: TimeInterval) async throws {
        let faults = FileFaults(.init(rename: { path, _ in path.contains("/users/7/") ? error : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/7/a.json")
        try await drop.running { news in
            // The first timer is that of the one-minute sweep.
            await drop.clock.sleeps(after: 1)
            faults.clear()
            drop.clock.advance(by: seconds)
            try await drop.stored(1, news)
        }
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    @Test func failedSweepsSetOneTimer() async throws {
        let faults = FileFaults(.init(rename: { path, _ in path.contains("/users/7/") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/7/a.json")
        for _ in 1...200 { await drop.spool.sweep() }
        await drop.clock.sleeps(after: 0)
        #expect(drop.clock.slept == 1)
        try await drop.running { _ in
            drop.clock.advance(by: 30)
            // With the timer of the one-minute sweep.
            await drop.clock.sleeps(after: 2)
        }
    }

    @Test func doesNotReportVanishedFile() async throws {
        let faults = FileFaults(
            .init(rename: { path, _ in
                if path.hasSuffix("/a.json") { unlink(path) }
                return nil
            }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(drop.spool.stuckFiles.count == 0)
        #expect(reported(drop).isEmpty)
    }

    @Test(arguments: [EIO, EMFILE, ENOMEM]) func keepsUnreadableFileWithoutBlockingOthers(code: Int32) async throws {
        let faults = FileFaults(.init(open: { $0.contains("/taken/") && $0.hasSuffix("~bad.json") ? code : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/bad.json", age: 90)
        for number in 2...80 { try drop.put(Drop.capture(number), "new/users/5/\(number).json", age: Double(89 - number)) }
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.documents() == (2...80).map(Drop.capture))
        #expect(try drop.names("refused").isEmpty)
        let stuck = drop.spool.stuckFiles
        #expect(stuck.count == 1)
        #expect(stuck.example?.path.hasSuffix("~5~bad.json") == true)
        #expect(stuck.example?.reason == String(cString: strerror(code)))
        #expect(reported(drop).count == 1)
        faults.clear()
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(drop.spool.stuckFiles.count == 0)
    }

    /// Another user created the file with mkstemp(3).
    @Test func leavesUnreadableFileInPlaceAndSuggestsCommand() async throws {
        let faults = FileFaults(.init(open: { $0.contains("/new/") ? EACCES : nil }, lease: { $0.contains("/new/") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/it's.json")
        await drop.spool.sweep()
        drop.clock.advance(by: 5)
        await drop.spool.sweep()
        #expect(try drop.names("new/users/5") == ["it's.json"])
        #expect(try drop.names("refused").isEmpty)
        #expect(drop.spool.stuckFiles.waiting == 1)
        let path = drop.path("new/users/5/it's.json")
        let quoted = path.replacing("'", with: "'\\''")
        #expect(
            drop.spool.stuckFiles.example
                == StuckFile(
                    path: path, reason: "homingd has no permission to read it",
                    next: "As the owner of the file, let the group read it: ‘chmod 640 '\(quoted)'’.", cause: "unreadable"))
        faults.clear()
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func leavesHardLinkedFileUntilOtherNameIsGone() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        try #require(Glibc.link(drop.path("new/users/5/a.json"), drop.path("new/users/5/.hidden")) == 0)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(drop.spool.counts() == (1, 0))
        #expect((drop.spool.stuckFiles.count, drop.spool.stuckFiles.waiting) == (1, 1))
        #expect(
            drop.spool.stuckFiles.example
                == StuckFile(
                    path: drop.path("new/users/5/a.json"), reason: "it has a second name (a hard link)",
                    next: "Replace it with a copy that has no other name.", cause: "linked"))
        unlink(drop.path("new/users/5/.hidden"))
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test(arguments: [(mode_t(0o2770), mode_t(0o3770)), (0o777, 0o1777), (0o755, 0o755), (0o700, 0o700)])
    func setsStickyBitOnSharedUserFolder(before: mode_t, after: mode_t) async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try #require(chmod(drop.path("new/users/5"), before) == 0)
        await drop.spool.sweep()
        var status = stat()
        try #require(stat(drop.path("new/users/5"), &status) == 0)
        #expect(status.st_mode & 0o7777 == after)
        #expect(try await drop.entries().count == 1)
    }

    @Test func refusesTakenFileWithoutReadPermission() async throws {
        let faults = FileFaults(.init(open: { $0.contains("/taken/") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        await drop.spool.sweep()
        #expect(
            try drop.reason("a.json")
                == "The file cannot be read: Permission denied. Give homingd’s user read permission and drop it into new/ again.")
    }

    @Test(arguments: ["new/bad.json", "taken/bad.json"]) func keepsRefusedFileThatCannotBeMovedAside(place: String) async throws {
        let faults = FileFaults(.init(rename: { _, target in target.contains("/refused/") ? ENOSPC : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put("no capture", place, age: 90)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.documents() == [Drop.capture(1)])
        // Repeated sweeps leave no extra reason files.
        #expect(try drop.names("refused").isEmpty)
        #expect(try drop.names("taken").count == 1)
        #expect(drop.spool.stuckFiles.count == 1)
        #expect(drop.spool.stuckFiles.example?.reason == "No space left on device")
        #expect(reported(drop).count == 1)
        faults.clear()
        await drop.spool.sweep()
        #expect(try drop.names("refused") == ["bad.json", "bad.json.reason"])
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func storesFileThatCannotBeRemovedOnce() async throws {
        let faults = FileFaults(.init(unlink: { _ in EIO }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.stuckFiles.count == 1)
        faults.clear()
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        #expect(try drop.names("taken").isEmpty)
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func reportsUnlistableFolder() async throws {
        let faults = FileFaults(.init(list: { $0.hasSuffix("/users/7") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try drop.put(Drop.capture(1), "new/users/7/a.json")
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        #expect(drop.spool.stuckFiles.count == 1)
        #expect(
            drop.spool.stuckFiles.example
                == StuckFile(
                    path: drop.path("new/users/7"), reason: "Permission denied",
                    next: "Give homingd’s user read and write permission on that folder.", cause: "unlistable"))
        faults.clear()
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 2)
        #expect(drop.spool.stuckFiles.count == 0)
    }

    private static let link = StuckFile(
        path: "", reason: "it is a symbolic link, not a regular file", next: "Replace the link with the file itself.", cause: "link")
    private static let special = StuckFile(
        path: "", reason: "it is not a regular file", next: "Replace it with a regular file, or remove it.", cause: "special")

    @Test(
        arguments: ["new/x.json", "new/users/x.json", "new/users/5/x.json"],
        [(S_IFLNK, link), (S_IFIFO, special), (S_IFSOCK, special)])
    func reportsNonRegularFile(place: String, kind: (type: mode_t, told: StuckFile)) async throws {
        let drop = try Drop(nil, unclaimed: .next)
        try drop.put(Drop.capture(1), "outside.json")
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        switch kind.type {
        case S_IFLNK: try FileManager.default.createSymbolicLink(atPath: drop.path(place), withDestinationPath: drop.path("outside.json"))
        default: try #require(mknod(drop.path(place), kind.type | 0o600, 0) == 0)
        }
        await drop.spool.sweep()
        #expect(drop.spool.stuckFiles.count == 1)
        drop.addressing.signIn(.ann)
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        var expected = kind.told
        expected.path = drop.path(place)
        #expect(drop.spool.stuckFiles.count == 1)
        #expect(drop.spool.stuckFiles.example == expected)
        #expect(drop.spool.counts() == (0, 0))
        #expect(reported(drop).count == 1)
        // A person follows the reported advice.
        try drop.put(#"{"measurements":{"average_measurements":{}},"userId":5}"#, place)
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 2)
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test(arguments: ["new/sub", "new/users/5/sub"]) func reportsUnexpectedFolder(place: String) async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), place + "/a.json")
        await drop.spool.sweep()
        #expect(
            drop.spool.stuckFiles.example
                == StuckFile(
                    path: drop.path(place), reason: "it is a folder, not a regular file",
                    next: "Move the files in it to \(drop.path("new/users"))/<id>/, where <id> is the user’s number.", cause: "folder"))
        try FileManager.default.removeItem(atPath: drop.path(place))
        await drop.spool.sweep()
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func aLinkToAFolderIsNotFollowed() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "elsewhere/a.json")
        try FileManager.default.createSymbolicLink(atPath: drop.path("new/users/5"), withDestinationPath: drop.path("elsewhere"))
        await drop.spool.sweep()
        #expect(try drop.names("elsewhere") == ["a.json"])
        #expect(drop.spool.stuckFiles.example?.path == drop.path("new/users/5"))
        #expect(drop.spool.stuckFiles.example?.reason == "it is a symbolic link, not a regular file")
    }

    @Test func doesNotReportHiddenOrSystemFolders() async throws {
        let drop = try Drop()
        for folder in ["new/users/5/lost+found", "new/.hidden", "new/users/.hidden", "new/users/5/.hidden"] {
            try FileManager.default.createDirectory(atPath: drop.path(folder), withIntermediateDirectories: true)
        }
        for link in ["new/.link", "new/users/5/a.json.part"] {
            try FileManager.default.createSymbolicLink(atPath: drop.path(link), withDestinationPath: "/etc/hostname")
        }
        await drop.spool.sweep()
        #expect(drop.spool.stuckFiles.count == 0)
    }

    @Test func prefersFailureToLinkAsExample() async throws {
        let faults = FileFaults(.init(rename: { path, _ in path.contains("/users/7/") ? EACCES : nil }))
        let drop = try Drop(calls: faults.calls)
        try FileManager.default.createSymbolicLink(atPath: drop.path("new/a.json"), withDestinationPath: "/etc/hostname")
        try drop.put(Drop.capture(1), "new/users/7/z.json")
        await drop.spool.sweep()
        #expect(drop.spool.stuckFiles.count == 2)
        #expect(drop.spool.stuckFiles.example?.path == drop.path("new/users/7/z.json"))
    }

    @Test func takesFileBesideUserFoldersIfItNamesItsUser() async throws {
        let drop = try Drop()
        try drop.put(try Captures.content(of: Captures.pending[0]), "new/users/" + Captures.pending[0])
        try drop.put(Drop.capture(1), "new/users/without-user.json")
        #expect(drop.spool.counts().waiting == 2)
        await drop.spool.sweep()
        #expect(try await drop.entries().map(\.lane) == [Lane("users/5")])
        #expect(try drop.reason("without-user.json").hasPrefix("The file does not say which user it is about."))
    }
}
