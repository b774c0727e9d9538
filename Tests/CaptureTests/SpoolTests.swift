import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Capture

@Suite struct SpoolTests {
    @Test func storesMovedFileUnchangedAndRemovesIt() async throws {
        let drop = try Drop()
        let plain = try Captures.content(of: Captures.plain[0])
        try drop.put(plain, "new/users/7/capture.json", age: 90)
        try drop.put(try Captures.content(of: Captures.pending[0]), "new/" + Captures.pending[0])
        await drop.spool.sweep()
        let entries = try await drop.entries()
        #expect(entries.map(\.lane) == [Lane("users/7"), Lane("users/5")])
        #expect(entries.allSatisfy { $0.destination == Samples.destination && $0.route == "measurement" })
        #expect(try drop.names("new") == ["users"])
        #expect(try drop.names("taken").isEmpty)
        #expect(try drop.names("refused").isEmpty)
        #expect(drop.spool.counts() == (0, 0))
        #expect(try await drop.documents().first == String(decoding: plain, as: UTF8.self))
        #expect(try await drop.outbox.accountLabels() == [Samples.destination: "ann@lab.test"])
    }

    @Test func storesOldestFileFirstAcrossFolders() async throws {
        let drop = try Drop()
        for (number, age, folder) in [(1, 10.0, "5"), (2, 40, "6"), (3, 30, "5"), (4, 20, "7")] {
            try drop.put(Drop.capture(number), "new/users/\(folder)/\(number).json", age: age)
        }
        for name in ["b", "a"] { try drop.put(Drop.capture(name == "a" ? 5 : 6), "new/users/5/\(name).json", age: 50) }
        await drop.spool.sweep()
        #expect(try await drop.documents() == [5, 6, 2, 3, 4, 1].map(Drop.capture))
    }

    @Test func leavesOpenFileUntilItIsClosed() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/whole.json")
        let path = drop.path("new/users/5/open.json")
        let text = Drop.capture(2)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data(text.utf8.prefix(10)))
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        #expect(try drop.names("new/users/5") == ["open.json"])
        #expect(drop.spool.counts() == (1, 0))
        try handle.write(contentsOf: Data(text.utf8.dropFirst(10)))
        try drop.close(handle, "new/users/5/open.json")
        await drop.spool.sweep()
        #expect(drop.spool.counts().waiting == 0)
        #expect(try await drop.documents() == [1, 2].map(Drop.capture))
    }

    @Test func ignoresHiddenTemporaryAndNonRegularFiles() async throws {
        let drop = try Drop()
        let left = [".hidden.json", "a.json.part", "b.tmp"]
        for name in left { try drop.put(Drop.capture(1), "new/users/5/\(name)") }
        try drop.put(Drop.capture(1), "new/users/.hidden/a.json")
        try drop.put(Drop.capture(1), "outside.json")
        try FileManager.default.createDirectory(atPath: drop.path("new/users/5/folder.json"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: drop.path("new/users/5/link.json"), withDestinationPath: drop.path("outside.json"))
        try #require(mkfifo(drop.path("new/users/5/fifo.json"), 0o600) == 0)
        try drop.put(Drop.capture(2), "new/users/5/real.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(try drop.names("new/users/5") == (left + ["fifo.json", "folder.json", "link.json"]).sorted())
        #expect(try drop.names("new/users/.hidden") == ["a.json"])
        #expect(try drop.names("refused").isEmpty)
    }

    @Test func doesNotFollowLinkThatReplacesFile() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "secret.json")
        try drop.put(Drop.capture(2), "new/users/5/a.json")
        let (path, secret) = (drop.path("new/users/5/a.json"), drop.path("secret.json"))
        drop.addressing.whenAsked {
            unlink(path)
            symlink(secret, path)
        }
        await drop.spool.sweep()
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(drop.spool.stuckFiles.example?.reason == "it is a symbolic link, not a regular file")
        #expect(try drop.content("secret.json") == Drop.capture(1))
    }

    @Test func refusesMalformedFilesWithReasonWithoutBlockingOthers() async throws {
        let drop = try Drop()
        try drop.put("{", "new/users/5/bad.json", age: 90)
        try drop.put(Drop.capture(1), "new/without-user.json", age: 80)
        try drop.put(Drop.capture(2), "new/users/5/good.json", age: 70)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(try drop.names("refused") == ["bad.json", "bad.json.reason", "without-user.json", "without-user.json.reason"])
        #expect(try drop.reason("bad.json").hasPrefix("The file is not a JSON object."))
        #expect(try drop.reason("without-user.json").hasPrefix("The file does not say which user it is about."))
        #expect(try drop.reason("without-user.json").contains(drop.path("new/users/ID/, where ID is the user’s number.")))
        #expect(try String(contentsOfFile: drop.path("refused/bad.json"), encoding: .utf8) == "{")
        #expect(drop.spool.counts() == (0, 2))
        let events = try await drop.outbox.events(since: 0, limit: 100).filter { $0.kind == .fileRefused }
        #expect(events.map(\.detail["file"]) == ["bad.json", "without-user.json"])
        #expect(events.allSatisfy { $0.detail["reason"]?.isEmpty == false })
    }

    @Test func refusedFilesKeepTheirPlace() async throws {
        let drop = try Drop()
        for (age, place) in [(90.0, "half.json"), (80, "users/5/half.json"), (70, "users/6/half.json"), (60, "users/6/a\nb.json")] {
            try drop.put("{", "new/\(place)", age: age)
        }
        await drop.spool.sweep()
        let places = [
            "half.json": "half.json", "2-half.json": "users/5/half.json", "3-half.json": "users/6/half.json",
            "a\nb.json": "users/6/a\\u{A}b.json",
        ]
        #expect(drop.spool.files.refusedPlaces == places)
        let events = try await drop.outbox.events(since: 0, limit: 100).filter { $0.kind == .fileRefused }
        #expect(events.map(\.detail["place"]) == ["half.json", "users/5/half.json", "users/6/half.json", "users/6/a\\u{A}b.json"])
        #expect(try drop.content("refused/3-half.json.reason").hasSuffix("\nIt was dropped as ‘new/users/6/half.json’.\n"))
        // Of an earlier version.
        try Data("The file is empty.\n".utf8).write(to: URL(fileURLWithPath: drop.path("refused/old.json.reason")))
        try Data().write(to: URL(fileURLWithPath: drop.path("refused/old.json")))
        #expect(drop.spool.files.refusedNames.contains("old.json"))
        #expect(drop.spool.files.refusedPlaces == places)
    }

    @Test func capturedEventNamesTheFile() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/a b.json")
        await drop.spool.sweep()
        let events = try await drop.outbox.events(since: 0, limit: 100).filter { $0.kind == .captured }
        #expect(events.map(\.detail["file"]) == ["a b.json"])
    }

    @Test func discardsOneRefusedFileWithItsReason() async throws {
        let drop = try Drop()
        try drop.put("{", "new/users/5/bad.json")
        try drop.put("{", "new/users/5/worse.json")
        await drop.spool.sweep()
        #expect(drop.spool.files.refusedNames == ["bad.json", "worse.json"])
        func discard(_ name: String, of owner: uid_t? = nil) async throws -> RefusedFileEnd {
            try await drop.spool.discardRefused(name, of: owner, by: "uid 7, pid 8", reason: "a test")
        }
        #expect(try await discard("bad.json", of: geteuid() + 1) == .othersFile)
        // A slash and a combining mark are one character, but the path has the slash.
        for name in ["\u{301}bad.json", "\u{301}bad.json.reason"] { try drop.put(Data(), FilePath(drop.path(name))) }
        for name in ["other.json", "bad.json.reason", "../refused/bad.json", "..", ".", "bad.json\0", "/bad.json", "../\u{301}bad.json"] {
            #expect(try await discard(name) == .missing, "\(name)")
        }
        #expect(try drop.names("refused").count == 4)
        #expect(try await discard("bad.json", of: geteuid()) == .discarded)
        #expect(try drop.names("refused") == ["worse.json", "worse.json.reason"])
        #expect(drop.spool.files.refusedNames == ["worse.json"] && drop.spool.counts() == (0, 1))
        let events = try await drop.outbox.events(since: 0, limit: 100).filter { $0.kind == .fileDiscarded }
        #expect(events.map(\.detail) == [["file": "bad.json", "by": "uid 7, pid 8", "note": "a test"]])
        #expect(try await discard("bad.json") == .missing)
    }

    /// It may be the only copy of a capture.
    @Test func fileRefusedAfterTheListUnderTheSameNameStays() async throws {
        let drop = try Drop()
        func refuse() async throws {
            try drop.put("{", "new/users/5/bad.json")
            await drop.spool.sweep()
        }
        func discard(_ version: String?) async throws -> RefusedFileEnd {
            try await drop.spool.discardRefused("bad.json", version: version, of: nil, by: "uid 7, pid 8", reason: "a test")
        }
        func versions() throws -> [String] { try drop.spool.refusedFiles(limit: 5).files.map { $0.version } }
        try await refuse()
        let old = try #require(try versions().first)
        // While it is open, the next file cannot have its inode.
        let open = try FileHandle(forReadingFrom: URL(fileURLWithPath: drop.path("refused/bad.json")))
        defer { try? open.close() }  // `try?`: it was only read
        #expect(try await discard(nil) == .discarded)
        try await refuse()
        #expect(try await discard(old) == .changed)
        #expect(try drop.names("refused") == ["bad.json", "bad.json.reason"])
        let new = try #require(try versions().first)
        #expect(try await discard(new) == .discarded)
        #expect(try drop.names("refused").isEmpty)
    }

    /// As strings they are equal.
    @Test func refusedNamesAreComparedByBytes() async throws {
        let drop = try Drop()
        let names = ["Zoe\u{301}.json", "Zo\u{e9}.json"]
        for name in names {
            try drop.put(Data(), FilePath(drop.path("refused/\(name)")))
            try drop.put(Data(), FilePath(drop.path("refused/\(name).reason")))
        }
        #expect(drop.spool.files.refusedNames.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(drop.spool.counts().refused == 2)
        func listed(after name: String? = nil) throws -> [[UInt8]] {
            try drop.spool.refusedFiles(after: name, limit: 5).files.map { Array($0.name.utf8) }
        }
        #expect(try listed() == names.map { Array($0.utf8) })
        #expect(try listed(after: names[0]) == [Array(names[1].utf8)])
        #expect(try listed(after: names[1]).isEmpty)
        #expect(try await drop.spool.discardRefused(names[1], of: nil, by: "uid 7, pid 8", reason: "a test") == .discarded)
        #expect(drop.spool.files.refusedNames.map { Array($0.utf8) } == [Array(names[0].utf8)])
    }

    @Test func refusesFileThatDoesNotFitProfile() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/null/a.json")
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try drop.reason("a.json") == "The item field “user_id” is missing.")
        #expect(try await drop.documents() == [Drop.capture(2)])
    }

    /// The files after it are stored.
    @Test func refusesFileForAUserWhomNoEntryCreates() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/@\(Samples.id(1))/a.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/5/b.json", age: 80)
        await drop.spool.sweep()
        let reason = try drop.reason("a.json")
        let (id, start) = (Samples.id(1), "The file’s folder names entry \(Samples.id(1)), but this account has no entry")
        #expect(reason.hasPrefix("\(start) \(id) that creates a user. Drop the file into the folder of its user: "), "\(reason)")
        #expect(reason.contains(drop.path("new/users/ID/, where ID is the user’s number, or @ and the id of the entry ")), "\(reason)")
        #expect(reason.hasSuffix(" drop the file into the same folder while that account is signed in."), "\(reason)")
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(drop.spool.failure == nil)
    }

    /// UUIDs compare without case, so both folders are those of one user, in one lane.
    @Test func takesFilesForAReferenceInEitherCase() async throws {
        let drop = try Drop()
        let id = try #require(MutationID("00000000-0000-7000-8000-abcdef000001"))
        var create = Samples.create(1)
        create.creates = "users"
        create.id = id
        _ = try await drop.outbox.enqueue(create, at: drop.clock.now)
        try drop.put(Drop.capture(1), "new/users/@\(id.description.uppercased())/a.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/@\(id)/b.json", age: 80)
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 0))
        let entries = try await drop.entries().filter { $0.mutation.creates == nil }
        #expect(entries.map(\.mutation.subject) == [RosterID(createdBy: id), RosterID(createdBy: id)])
        #expect(Set(entries.map(\.lane)).count == 1)
    }

    @Test func refusesFileForAUserWhoseCreateWasDiscarded() async throws {
        let drop = try Drop()
        try await drop.create(1)
        try await drop.outbox.discard(Samples.id(1), by: "ann", at: drop.clock.now)
        try drop.put(Drop.capture(1), "new/users/@\(Samples.id(1))/a.json")
        await drop.spool.sweep()
        let reason = try drop.reason("a.json")
        let start = "The file’s folder names entry \(Samples.id(1)), which was to create a user, but that entry was discarded."
        #expect(reason.hasPrefix("\(start) Drop the file into the folder of its user: \(drop.path("new/users"))/ID/, "), "\(reason)")
        #expect(drop.spool.failure == nil)
    }

    /// Created again under a third id, the user would exist twice at the server.
    @Test func refusalNamesTheFolderOfTheCreateThatReplacedTheOther() async throws {
        let drop = try Drop()
        try await drop.create(1)
        try await drop.create(2, replacing: 1)
        try drop.put(Drop.capture(1), "new/users/@\(Samples.id(1))/a.json")
        await drop.spool.sweep()
        #expect(try drop.reason("a.json") == drop.refusal(of: 1, replacedBy: 2))
        try drop.put(Drop.capture(1), "new/users/@\(Samples.id(2))/a.json")
        await drop.spool.sweep()
        let subjects = try await drop.entries().compactMap(\.mutation.subject)
        #expect(subjects == [RosterID(createdBy: Samples.id(2))])
        #expect(drop.spool.failure == nil)
    }

    @Test func refusesFileLargerThan32MiB() async throws {
        let drop = try Drop()
        try drop.put("{}", "new/users/5/large.json")
        try #require(truncate(drop.path("new/users/5/large.json"), off_t(Mutation.largestPayload + 1)) == 0)
        try drop.put(Drop.capture(1), "new/users/5/small.json")
        await drop.spool.sweep()
        #expect(
            try drop.reason("large.json") == "The file has 33554433 bytes; the limit is 33554432 (32 MiB).")
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    /// Neither a delivery nor a decision makes room for it. The size that counts is that in the store, which compresses payloads.
    @Test func refusesFileThatAloneExceedsTheLimitOfTheOutbox() async throws {
        let drop = try Drop(maxBytes: 2 << 20)
        func capture(_ text: String) -> String { #"{"average_measurements":{"1-2":{"value":0,"description":"\#(text)"}}}"# }
        let compressible = capture(String(repeating: "a", count: 3 << 20))
        try drop.put(Drop.capture(1), "new/users/5/a.json", age: 90)
        try drop.put(capture(Samples.noise(3 << 20)), "new/users/5/large.json", age: 80)
        try drop.put(compressible, "new/users/5/b.json", age: 70)
        try drop.put(Drop.capture(2), "new/users/5/c.json", age: 60)
        await drop.spool.sweep()
        #expect(try drop.names("refused") == ["large.json", "large.json.reason"])
        let reason = try drop.reason("large.json")
        let size = try #require(reason.split(separator: " ").compactMap { Int($0) }.first)
        #expect(size > 3 << 20)
        #expect(
            reason == """
                The file takes \(size) bytes in the outbox; the limit is 2097152 (2 MiB). An administrator must raise \
                outbox.max_bytes in the configuration and reload homingd. Then drop the file into new/ again.
                """)
        #expect(drop.spool.stuckFiles.count == 0 && drop.spool.failure == nil)
        #expect(try await drop.documents() == [Drop.capture(1), compressible, Drop.capture(2)])
    }

    @Test func neverOverwritesRefusedFiles() async throws {
        let drop = try Drop()
        for content in ["1", "2", "3"] {
            try drop.put(content, "new/a.json")
            await drop.spool.sweep()
        }
        // A person drops the file in again, together with its reason file.
        try drop.put("4", "new/b.json.reason")
        await drop.spool.sweep()
        try drop.put("5", "new/b.json")
        await drop.spool.sweep()
        let kept = try drop.names("refused").filter { !$0.hasSuffix(".reason") }
        #expect(kept == ["2-a.json", "3-a.json", "a.json", "b.json", "b.json.reason_"])
        #expect(try kept.map { try String(contentsOfFile: drop.path("refused/\($0)"), encoding: .utf8) } == ["2", "3", "1", "5", "4"])
        for name in kept { #expect(try drop.reason(name).hasPrefix("The file is not a JSON object.")) }
        #expect(drop.spool.counts().refused == 5)
    }

    /// In any order: a chain of such names would make a reason look like a refused file, and the next file like its reason. In the last
    /// name, the full stop is part of the character before it.
    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]]) func namesLikeReasonsHideNoRefusedFile(order: [Int]) async throws {
        let drop = try Drop()
        let names = ["a", "a.reason", "a.reason.reason", "a\u{600}.reason"]
        for index in order {
            try drop.put("content \(index)", "new/users/5/\(names[index])")
            await drop.spool.sweep()
        }
        let files = try drop.spool.refusedFiles(limit: 10).files.map(\.name)
        #expect(files == ["a", "a.reason.reason_", "a.reason_", "a\u{600}.reason_"] && drop.spool.counts().refused == 4)
        #expect(drop.spool.files.refusedPlaces.count == 4)
        for (name, index) in zip(files, [0, 2, 1, 3]) {
            #expect(try drop.content("refused/\(name)") == "content \(index)")
            #expect(try drop.content("refused/\(name).reason").hasSuffix("\nIt was dropped as ‘new/users/5/\(names[index].legible)’.\n"))
        }
        func discard(_ name: String) async throws -> RefusedFileEnd {
            try await drop.spool.discardRefused(name, of: nil, by: "uid 7, pid 8", reason: "a test")
        }
        #expect(try await discard("a.reason") == .missing)
        // Without its reason, it is still there.
        try #require(unlink(drop.path("refused/a.reason_.reason")) == 0)
        #expect(drop.spool.files.refusedNames == files)
        for name in files { #expect(try await discard(name) == .discarded) }
        #expect(try drop.names("refused").isEmpty)
    }

    /// Also with the longest prefix.
    @Test(arguments: ["a.json", String(repeating: "x", count: 250) + ".json"])
    func keepsAllRefusedFilesWithTheSameName(name: String) async throws {
        let drop = try Drop()
        for number in 1...40 { try drop.put("\(number)", "new/users/\(number)/\(name)") }
        await drop.spool.sweep()
        let kept = try drop.names("refused").filter { !$0.hasSuffix(".reason") }
        let contents = Set(try kept.map { try drop.content("refused/\($0)") })
        #expect(contents == Set((1...40).map(String.init)))
        let end = name.suffix(240)
        #expect(kept.allSatisfy { $0 == end || $0.hasSuffix("-\(end)") })
        for name in kept { #expect(try drop.reason(name).hasPrefix("The file is not a JSON object.")) }
        #expect(drop.spool.counts().refused == 40)
    }

    @Test(arguments: [
        "a~b~c~d.json", "%2F~.json", "測定.json", "a b\n.json", String(repeating: "x", count: 250) + ".json",
        String(repeating: "測", count: 83) + ".json",
    ])
    func handlesHostileNames(name: String) async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/\(name)")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        try drop.put("no capture", "new/users/5/\(name)")
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 1))
        let kept = try #require(try drop.names("refused").first { !$0.hasSuffix(".reason") })
        #expect(name.hasSuffix(kept))
        #expect(try String(contentsOfFile: drop.path("refused/" + kept), encoding: .utf8) == "no capture")
    }

    @Test func longFolderNameDoesNotBlockOthers() async throws {
        let drop = try Drop()
        let long = String(repeating: "ü", count: 100)
        try drop.put(Drop.capture(1), "new/users/\(long)/a.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(try drop.reason("a.json") == "The file’s folder name is too long to be a user’s number.")
    }

    @Test func removedFileDoesNotBlockOthers() async throws {
        let drop = try Drop()
        for number in 1...3 { try drop.put(Drop.capture(number), "new/users/5/\(number).json", age: Double(90 - number)) }
        let path = drop.path("new/users/5/2.json")
        drop.addressing.whenAsked { unlink(path) }
        await drop.spool.sweep()
        #expect(try await drop.documents() == [1, 3].map(Drop.capture))
    }

    @Test func takesMoreFilesThanOneTransactionHolds() async throws {
        let drop = try Drop()
        for number in 1...150 { try drop.put(Drop.capture(number), "new/users/5/\(number).json", age: Double(1000 - number)) }
        await drop.spool.sweep()
        #expect(try await drop.documents() == (1...150).map(Drop.capture))
        #expect(drop.spool.counts() == (0, 0))
    }

    @Test func leavesFilesInPlaceForTheNextAccountWhereConfigured() async throws {
        let drop = try Drop(nil, unclaimed: .next)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try drop.put("no capture", "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.entries().isEmpty)
        #expect(try drop.names("new/users/5") == ["a.json", "b.json"])
        #expect(drop.spool.counts() == (2, 0))
        drop.addressing.signIn(.bob)
        await drop.spool.sweep()
        #expect(try await drop.documents(of: .bob) == [Drop.capture(1)])
        #expect(drop.spool.counts() == (0, 1))
    }

    /// The state after a daemon died between taking and storing a file.
    private func leftover(_ drop: Drop, account: Account, id: Int = 1) throws -> TakenName {
        let name = TakenName(id: Samples.id(id), backend: "breathesafe", account: account.id, folder: "5", original: "a.json")
        try drop.put(Drop.capture(1), "taken/" + name.text)
        return name
    }

    @Test(arguments: [nil, Account.ann, .bob])
    func storesLeftoverForItsOriginalAccount(whoIsSignedInNow: Account?) async throws {
        let drop = try Drop(whoIsSignedInNow)
        let name = try leftover(drop, account: .ann)
        await drop.spool.sweep()
        let entry = try #require(try await drop.entries().first)
        #expect(entry.id == name.id)
        #expect(entry.destination == Samples.destination)
        #expect(entry.lane == Lane("users/5"))
        #expect(try drop.names("taken").isEmpty)
        // An account has a label only while it is signed in.
        #expect(try await drop.outbox.accountLabels() == (whoIsSignedInNow == .ann ? [Samples.destination: "ann@lab.test"] : [:]))
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
    }

    @Test func crashBeforeRemovalCausesNoDuplicate() async throws {
        var drop = try Drop()
        let name = try leftover(drop, account: .ann)
        await drop.spool.sweep()
        try drop.put(Drop.capture(1), "taken/" + name.text)
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.entries().count == 1)
        #expect(try drop.names("taken").isEmpty)
        #expect(try drop.names("refused").isEmpty)
    }

    @Test func refusesLeftoverStoredWithOtherContent() async throws {
        let drop = try Drop()
        let name = try leftover(drop, account: .ann)
        await drop.spool.sweep()
        try drop.put(Drop.capture(9), "taken/" + name.text)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(try await drop.documents() == [1, 2].map(Drop.capture))
        #expect(try drop.reason("a.json").hasPrefix("The file was already stored with different content."))
    }

    @Test(arguments: ["stranger.json", String(repeating: "x", count: 250) + ".json"])
    func refusesForeignFileInTaken(name: String) async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "taken/" + name)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 1))
        let kept = try #require(try drop.names("refused").first { !$0.hasSuffix(".reason") })
        #expect(name.hasSuffix(kept))
        #expect(try drop.reason(kept) == "The file was in taken/, which only the daemon uses. Drop files into new/.")
        #expect(try await drop.documents() == [Drop.capture(2)])
    }

    @Test func retriesFileThatCouldNotBeStored() async throws {
        var drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try drop.outbox.close()
        await drop.spool.sweep()
        #expect(try drop.names("taken").count == 1)
        drop.outbox = try Outbox(file: drop.directory("second.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: drop.clock.now)
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(try drop.names("taken").isEmpty)
    }

    /// The order is kept even if all files were taken in the same millisecond.
    @Test func storesLeftoversInTheOrderOfWriting() async throws {
        var drop = try Drop()
        for number in 10...39 { try drop.put(Drop.capture(number), "new/users/5/f\(number).json", age: Double(900 - number)) }
        try drop.outbox.close()
        await drop.spool.sweep()
        #expect(try drop.names("taken").count == 30)
        drop.outbox = try Outbox(file: drop.directory("second.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: drop.clock.now)
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.documents() == (10...39).map(Drop.capture))
    }

    // MARK: Watching

    @Test func noticesEveryWayOfDroppingFiles() async throws {
        let drop = try Drop()
        try drop.put(Drop.capture(1), "new/users/5/before.json")
        try await drop.running { news in
            try await drop.stored(1, news)
            // Moved in.
            try drop.put(Drop.capture(2), "new/users/5/moved.json")
            try await drop.stored(2, news)
            // Written in place, in parts.
            let path = drop.path("new/users/5/written.json")
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let handle = try #require(FileHandle(forWritingAtPath: path))
            let text = Drop.capture(3)
            try handle.write(contentsOf: Data(text.utf8.prefix(10)))
            try handle.synchronize()
            try handle.write(contentsOf: Data(text.utf8.dropFirst(10)))
            try handle.close()
            try await drop.stored(3, news)
            // In the folder of a new user.
            try drop.put(Drop.capture(4), "new/users/8/first.json")
            try await drop.stored(4, news)
            try drop.put(Drop.capture(5), "new/users/8/second.json")
            try await drop.stored(5, news)
            // Renamed in place when complete.
            try drop.put(Drop.capture(6), "new/users/5/renamed.json.part")
            try #require(rename(drop.path("new/users/5/renamed.json.part"), drop.path("new/users/5/renamed.json")) == 0)
            try await drop.stored(6, news)
        }
        let lanes = try await drop.entries().map(\.lane.rawValue)
        #expect(lanes == ["users/5", "users/5", "users/5", "users/8", "users/8", "users/5"])
        #expect(try drop.names("refused").isEmpty)
    }

    @Test func takesWaitingFilesAfterSignIn() async throws {
        let drop = try Drop(nil, unclaimed: .next)
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try await drop.running { news in
            drop.addressing.signIn(.ann)
            drop.spool.look()
            try await drop.stored(1, news)
        }
        #expect(try await drop.documents() == [Drop.capture(1)])
    }

    @Test func storesEachOfManyFilesOnce() async throws {
        let drop = try Drop()
        try await drop.running { news in
            for number in 1...200 {
                try drop.put(Drop.capture(number), "new/users/\(1 + number % 5)/\(number).json", age: Double(1000 - number))
                drop.spool.look()
            }
            try await drop.stored(200, news)
        }
        #expect(try await drop.entries().count == 200)
        #expect(Set(try await drop.documents()) == Set((1...200).map(Drop.capture)))
        #expect(try drop.names("refused").isEmpty)
        #expect(try drop.names("taken").isEmpty)
    }
}
