import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox
@testable import Salvage

/// Acknowledged entries may exist only in the WAL. See DamagedStore.
@Suite struct LostLogTests {
    private static let log = "outbox.sqlite-wal"
    private static let index = "outbox.sqlite-shm"
    private static let mark = "outbox.sqlite.use"
    private let store: Store

    init() throws { store = try Store() }

    /// The files as a kill would leave them now.
    private func files() throws -> [String: Data] {
        let names = ["outbox.sqlite", Self.log, Self.index, Self.mark]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                FileManager.default.contents(atPath: store.directory(name)).map { (name, $0) }
            })
    }

    private func submit(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers { try await store.enqueue(Samples.mutation(number)) }
    }

    /// Opens the files elsewhere, and checks the store before.
    private func next(
        on files: [String: Data]
    ) throws -> (outbox: Outbox, report: SalvageReport?, faults: [String], directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        for (name, content) in files { try content.write(to: URL(fileURLWithPath: directory(name))) }
        // The mark contains the inode of the file, so it is written again.
        if let mark = files[Self.mark].flatMap({ StoreMark($0) }), mark.inode != nil {
            let use = StoreUse(of: directory("outbox.sqlite"))
            use.opened(in: mark.epoch, inode: use.inode)
        }
        let check = try StoreCheck(file: directory("outbox.sqlite"), vault: nil, isInUse: false)
        let (outbox, report) = try open(in: directory)
        return (outbox, report, check.faults, directory)
    }

    private func open(in directory: TemporaryDirectory) throws(OutboxError) -> (outbox: Outbox, report: SalvageReport?) {
        try StoreDoctor.open(file: directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, now: store.clock.now)
    }

    enum Loss: CaseIterable { case gone, goneWithItsIndex, empty, cut, zeroed, last, older }

    @Test(arguments: Loss.allCases) func reportsIncompleteLog(_ loss: Loss) async throws {
        try await submit(1...3)
        let before = try files()
        try await submit(4...6)
        var files = try files()
        let log = try #require(files[Self.log])
        let end = try #require(before[Self.log]?.count)
        #expect(end < log.count)
        switch loss {
        case .gone: files[Self.log] = nil
        case .goneWithItsIndex: (files[Self.log], files[Self.index]) = (nil, nil)
        case .empty: files[Self.log] = Data()
        // The log ends at a transaction boundary, as if nothing had followed.
        case .cut: files[Self.log] = log.prefix(end)
        case .zeroed: files[Self.log] = log.prefix(end) + Data(count: log.count - end)
        // The last transaction looks like a torn write.
        case .last: files[Self.log] = log.prefix(log.count - 100) + Data(count: 100)
        case .older:
            #expect(try await store.outbox.emptyLog())
            try await submit(7...7)
            files = try self.files()
            files[Self.log] = log
        }
        let (outbox, found, faults, directory) = try next(on: files)
        #expect(faults.count == 1 && faults[0].hasPrefix("The store is damaged: its write-ahead log "), "\(faults)")
        let report = try #require(found)
        #expect(report.mayMissMore || loss == .last)
        #expect(SalvageReport.all(in: directory.path) == [report])
        // New sequences exceed all that may have been used.
        let sequence = try await outbox.enqueue(Samples.mutation(9), at: store.clock.now).sequence
        #expect(loss == .last ? sequence == 7 : sequence > 100_000)
        if loss == .last { #expect(report.saved + report.unreadable == 6) }
        let claimed = try await outbox.claim([Destination(backend: "breathesafe", account: "1"): 9], at: store.clock.now).entries
        #expect(claimed.allSatisfy { $0.uncertain || $0.id == Samples.id(9) })
        try outbox.close()
        // The loss is reported once.
        #expect(try open(in: directory).report == nil)
    }

    enum LossOfCopies: CaseIterable { case cut, damaged, pageLost, older }

    /// Checkpointed content survives any loss in the WAL. SQLite would prefer the rest of the WAL as newer.
    @Test(arguments: LossOfCopies.allCases, [false, true]) func keepsCheckpointedContent(_ loss: LossOfCopies, isAll: Bool) async throws {
        try await submit(1...3)
        let before = try files()
        try await submit(4...6)
        let copied = try files()
        if isAll {
            #expect(try await store.outbox.pool.writeWithoutTransaction { try $0.checkpoint(.passive) }.walFrameCount > 0)
        } else {
            // A reader prevents a reset of the WAL.
            try await store.outbox.pool.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                try store.outbox.pool.unsafeReentrantWrite { db in
                    _ = try db.checkpoint(.passive)
                    try db.execute(sql: "UPDATE run SET epoch = epoch + 1")
                }
            }
        }
        var files = try files()
        let log = try #require(files[Self.log])
        let end = try #require(before[Self.log]?.count)
        #expect(end < log.count && (log.count == copied[Self.log]?.count) == isAll)
        switch loss {
        case .cut: files[Self.log] = log.prefix(end)
        // Damages the content or the page number of a frame that is not in the last transaction.
        case .damaged: files[Self.log]?[end + 24 + 100] ^= 0xff
        case .pageLost: files[Self.log]?[end + 3] ^= 0xff
        case .older:
            #expect(try await store.outbox.emptyLog())
            try await submit(7...7)
            if isAll { _ = try await store.outbox.pool.writeWithoutTransaction { try $0.checkpoint(.passive) } }
            files = try self.files()
            files[Self.log] = log
        }
        let (outbox, found, faults, _) = try next(on: files)
        #expect(faults.count == 1 && faults[0].hasPrefix("The store is damaged: its write-ahead log "), "\(faults)")
        let report = try #require(found)
        #expect(report.missing == 0 && report.unreadable == 0)
        #expect(report.saved == (loss == .older && isAll ? 7 : 6))
        #expect(report.mayMissMore == (!isAll && [.cut, .older].contains(loss)))
        for number in 1...6 { #expect(try await outbox.entry(Samples.id(number)) != nil, "\(number)") }
    }

    /// A page with a later copy in the WAL is not checkpointed, although the index counts it.
    @Test(arguments: [false, true]) func recoversUncheckpointedContentFromLog(isCut: Bool) async throws {
        try await submit(1...2)
        #expect(try await store.outbox.emptyLog())
        try await submit(3...4)
        let end = try #require(try files()[Self.log]?.count)
        try await store.outbox.pool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
            try store.outbox.pool.unsafeReentrantWrite { db in
                for _ in 0..<2 { try db.execute(sql: "UPDATE entry SET dueAt = dueAt + 1") }
                _ = try db.checkpoint(.passive)
            }
        }
        var files = try files()
        let header = 32
        let size = 4096 + 24
        let aside = try TemporaryDirectory()
        try files[Self.index]?.write(to: URL(fileURLWithPath: aside(Self.index)))
        #expect(try #require(LogIndex(StoreFile(path: aside(Self.index)))).copied == (end - header) / size)
        if isCut { files[Self.log] = files[Self.log]?.prefix(end - size) } else { files[Self.log]?[end - 100] ^= 0xff }
        let (outbox, found, faults, _) = try next(on: files)
        #expect(faults.count == 1)
        let report = try #require(found)
        // The cut removed the content of the last entry.
        #expect(report.saved == (isCut ? 3 : 4) && report.unreadable == (isCut ? 1 : 0))
        for number in 1...4 { #expect(try await outbox.entry(Samples.id(number)) != nil, "\(number)") }
        #expect(report.mayMissMore == isCut)
    }

    /// An unreadable file is not treated as lost.
    @Test(arguments: ["-wal", "-shm"]) func aFileThatCannotBeOpenedStopsTheStart(_ suffix: String) async throws {
        try await submit(1...3)
        let path = store.directory("outbox.sqlite" + suffix)
        let aside = path + ".aside"
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let (file, vault) = (store.directory("outbox.sqlite"), Vault(key: store.key))
        #expect(throws: OutboxError.storage("\(path) cannot be opened: Too many levels of symbolic links")) {
            try StoreRepair(file: file, vault: vault, now: .now, progress: {}, permit: {}).prepare()
        }
        #expect(!FileManager.default.fileExists(atPath: store.directory("damaged")))
    }

    @Test func storeIsCompleteAfterAKill() async throws {
        func isWhole(_ files: [String: Data]) async throws -> Bool {
            let (outbox, report, faults, _) = try next(on: files)
            let third = try await outbox.entry(Samples.id(3))
            return faults.isEmpty && report == nil && third != nil
        }
        try await submit(1...3)
        let early = try files()
        #expect(try await isWhole(early))
        try await submit(4...6)
        var mixed = try files()
        // The index is older or missing.
        mixed[Self.index] = early[Self.index]
        #expect(try await isWhole(mixed))
        mixed[Self.index] = nil
        #expect(try await isWhole(mixed))
        #expect(try await store.outbox.emptyLog())
        #expect(try files()[Self.log]?.isEmpty == true)
        #expect(try await isWhole(files()))
        // The WAL restarts, so the index of the earlier log is ignored.
        try await submit(7...7)
        mixed = try files()
        mixed[Self.index] = early[Self.index]
        #expect(try await isWhole(mixed))
        // A damaged index is ignored.
        mixed = try files()
        mixed[Self.index]?[16] ^= 0xff
        #expect(try await isWhole(mixed))
    }

    @Test func closedStoreIsOneFile() async throws {
        try await submit(1...3)
        #expect(try files()[Self.mark]?.starts(with: "open ".utf8) == true)
        try store.outbox.close()
        var files = try files()
        #expect(files[Self.log]?.isEmpty != false && files[Self.mark]?.starts(with: "closed ".utf8) == true)
        files = files.filter { ["outbox.sqlite", Self.mark].contains($0.key) }
        let (outbox, report, faults, _) = try next(on: files)
        #expect(faults.isEmpty && report == nil)
        #expect(try await outbox.entry(Samples.id(3)) != nil)
    }

    /// A damaged store accepts no entries, and its files stay as they are.
    @Test func damagedStoreAcceptsNothingAndStaysUnchanged() async throws {
        try await submit(1...3)
        let entry = try #require(try await store.claim().first)
        let outbox = store.outbox
        outbox.damage.meet("as a test has it")
        await #expect(throws: OutboxError.damaged("as a test has it")) { try await self.submit(4...4) }
        // Outcomes of deliveries are still recorded.
        _ = try await outbox.settle([Settled(entry, .delivered(Samples.receipt), attempt: nil)], thenClaim: [:], at: store.clock.now)
        let before = try files()
        try outbox.close()
        var after = try files()
        after[Self.index] = before[Self.index]
        #expect(after == before && before[Self.log]?.isEmpty == false)
    }

    /// For example, if a start fails after it has opened the store.
    @Test func storeIsCompleteIfReleasedWithoutClosing() async throws {
        let directory = try TemporaryDirectory()
        for number in 1...3 {
            let (outbox, report) = try open(in: directory)
            #expect(report == nil)
            _ = try await outbox.enqueue(Samples.mutation(number), at: store.clock.now)
            #expect(try await outbox.newestCursor() == Int64(number))
        }
    }

    /// For example, a restored backup has no WAL.
    @Test func restoredStoreWithoutLogIsComplete() async throws {
        try await submit(1...3)
        #expect(try await store.outbox.emptyLog())
        var files = try files()
        (files[Self.log], files[Self.index]) = (nil, nil)
        let directory = try TemporaryDirectory()
        for (name, content) in files { try content.write(to: URL(fileURLWithPath: directory(name))) }
        #expect(try open(in: directory).report == nil)
    }

    enum Content: CaseIterable { case older, ofAKill, ofAStop }

    /// An older copy stays one when it is salvaged. The damage alone makes no store a copy.
    @Test(arguments: Content.allCases) func salvagesAnOlderCopyAsOne(content: Content) async throws {
        let made = store.clock.now
        try await submit(1...3)
        #expect(try await store.outbox.emptyLog())
        var files = try files()
        let copy = files["outbox.sqlite"]
        store.clock.advance(by: 60)
        if content != .ofAKill {
            try store.outbox.close()
            files = try self.files()
        }
        if content == .older {
            try open(in: store.directory).outbox.close()
            files = try self.files()
            files["outbox.sqlite"] = copy
        }
        files["outbox.sqlite"]?.removeLast(4096)
        let (outbox, report, faults, directory) = try next(on: files)
        #expect(!faults.isEmpty && report != nil)
        // The time of the copy, and not of the salvage.
        #expect(outbox.olderCopy?.at == (content == .older ? made : nil))
        try outbox.close()
        #expect(try open(in: directory).outbox.olderCopy == nil)
    }

    @Test(arguments: [false, true]) func reportsMissingStore(isClosed: Bool) async throws {
        try await submit(1...3)
        if isClosed { try store.outbox.close() }
        let (outbox, report, faults, directory) = try next(on: try files().filter { $0.key == Self.mark })
        defer { withExtendedLifetime(directory) {} }
        #expect(faults == ["The store is damaged: its file is gone."])
        #expect(report?.mayMissMore == true)
        #expect(try await outbox.enqueue(Samples.mutation(9), at: store.clock.now).sequence > 100_000)
    }
}
