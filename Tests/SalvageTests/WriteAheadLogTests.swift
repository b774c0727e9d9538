import Foundation
import GRDB
import TestSupport
import Testing

@testable import Salvage

@Suite struct WriteAheadLogTests {
    private static let frame = 4096 + 24
    private let directory: TemporaryDirectory
    private let file: Data
    /// A WAL of a few transactions, and the last frame of each.
    private let log: Data
    private let ends: [Int]

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory("store")
        let queue = try DatabaseQueue(path: path)
        var ends: [Int] = []
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE blob (content BLOB)")
            for pages in [2, 3, 1, 4] {
                try Self.write(pages, db)
                ends.append(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count / Self.frame - 1)
            }
        }
        self.ends = ends
        (file, log) = (try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        try queue.close()
    }

    private static func write(_ pages: Int, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO blob VALUES (randomblob(?))", arguments: [pages * 4096])
    }

    /// The WAL after one more transaction.
    private func log(with pages: Int) throws -> Data { try log(in: "copy\(pages)", "PRAGMA wal_autocheckpoint = 0", pages) }

    /// The WAL after a restart and one transaction.
    private func restarted(with pages: Int) throws -> Data { try log(in: "restarted\(pages)", "PRAGMA wal_checkpoint(RESTART)", pages) }

    private func log(in copy: String, _ pragma: String, _ pages: Int) throws -> Data {
        let path = directory(copy)
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }  // `try?`: it is not used again
        return try queue.writeWithoutTransaction { db in
            try db.execute(sql: pragma)
            try Self.write(pages, db)
            return try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        }
    }

    private func read(_ log: Data, unreadable: Range<Int> = 0..<0) throws -> WriteAheadLog {
        let path = directory("read-wal")
        try log.write(to: URL(fileURLWithPath: path))
        return WriteAheadLog(StoreFile(path: path, unreadable: unreadable))
    }

    /// The frames found, by page; 0 stands for an unknown page.
    private func frames(_ found: WriteAheadLog) -> [Int: [Int]] { found.versions.mapValues { $0.map { ($0.offset - 56) / Self.frame } } }

    /// The frames that may differ from the original.
    private func doubtful(_ found: WriteAheadLog) -> Set<Int> {
        Set(found.versions.values.joined().filter { !$0.isVerified }.map { ($0.offset - 56) / Self.frame })
    }

    /// The expected frames, if those in `lost` have an unknown page.
    private func frames(_ frames: [Int: [Int]], without lost: Set<Int>) -> [Int: [Int]] {
        var left = frames.mapValues { $0.filter { !lost.contains($0) } }
        if !lost.isEmpty { left[0] = lost.sorted() }
        return left.filter { !$0.value.isEmpty }
    }

    /// The failed transactions all began at the same frame, so parts of the longer ones remain.
    @Test func remainsOfFailedTransactionsAreNotDamage() throws {
        let (long, middle, short) = (try log(with: 20), try log(with: 10), try log(with: 2))
        let left = short + middle[short.count...] + long[middle.count...]
        #expect(short.count < middle.count && middle.count < long.count && left.count == long.count)
        let found = try read(left)
        #expect(!found.isDamaged && found.mayHoldMore)
        #expect(found.versions.mapValues { $0.map(\.offset) } == (try read(short)).versions.mapValues { $0.map(\.offset) })
        // Earlier damage is still found.
        var damaged = left
        damaged[32 + ends[1] * Self.frame + 24 + 2000] ^= 0x10
        let salvaged = try read(damaged)
        #expect(salvaged.isDamaged && salvaged.mayHoldMore)
        #expect(salvaged.versions.mapValues { $0.map(\.offset) } == found.versions.mapValues { $0.map(\.offset) })
        var headless = left
        headless[24] ^= 0x10
        #expect(try read(headless).versions.mapValues { $0.map(\.offset) } == found.versions.mapValues { $0.map(\.offset) })
    }

    @Test func ignoresRemainsOfEarlierLog() throws {
        let restarted = try restarted(with: 2)
        #expect(restarted.count == log.count)
        let found = try read(restarted)
        #expect(!found.isDamaged && !found.mayHoldMore && !found.mayLackVersions)
        let count = found.versions.values.joined().count
        #expect(count > 0 && count < log.count / Self.frame)
    }

    /// A power cut can leave this log's salts in an old frame, whose header spans two sectors.
    @Test func ignoresTornHeaderBehindTheEnd() throws {
        let restarted = try restarted(with: 2)
        let whole = try read(restarted)
        let salts = restarted[16..<24]
        let places = (0..<restarted.count / Self.frame).map { 32 + $0 * Self.frame + 8..<32 + $0 * Self.frame + 16 }
        let old = places.filter { restarted[$0] != salts }
        #expect(!old.isEmpty)
        for place in old {
            var torn = restarted
            torn.replaceSubrange(place, with: salts)
            let found = try read(torn)
            #expect(!found.isDamaged, "\(place)")
            #expect(frames(found) == frames(whole), "\(place)")
        }
    }

    /// For example, the disk lost a write, and the header is that of an older log.
    @Test func oldHeaderBeforeLaterTransactionIsDamage() throws {
        let whole = try read(log)
        // Only the last transaction follows and shows the damage.
        let place = 32 + ends[ends.count - 2] * Self.frame
        var damaged = log
        let first = damaged[place + 8..<place + 12].reduce(0) { $0 << 8 | UInt32($1) } - 1
        damaged.replaceSubrange(place + 8..<place + 12, with: withUnsafeBytes(of: first.bigEndian, Array.init))
        damaged.replaceSubrange(place + 12..<place + 24, with: Array(repeating: 0x5a, count: 12))
        let found = try read(damaged)
        #expect(found.isDamaged)
        #expect(frames(found) == frames(whole))
    }

    /// Not even if more remains of the old log than of this one.
    @Test func doesNotReadOldLogIfFirstSectorIsLost() throws {
        var restarted = try restarted(with: 2)
        let count = try read(restarted).versions.values.joined().count
        restarted.resetBytes(in: 0..<512)
        let found = try read(restarted)
        // No transaction follows its only one.
        #expect(found.isDamaged && found.mayHoldMore && found.versions.isEmpty && count < log.count / Self.frame - count)
    }

    /// A frame without its beginning has an unknown page.
    @Test func readsLogWithAnySectorZeroed() throws {
        let sound = frames(try read(log))
        for start in stride(from: 0, to: log.count, by: 512) {
            let sector = start..<min(start + 512, log.count)
            var damaged = log
            damaged.resetBytes(in: sector)
            let found = try read(damaged)
            func hasChanged(_ place: Int, _ count: Int) -> Bool { log[place..<place + count] != damaged[place..<place + count] }
            let touched = (0...ends[3]).filter { hasChanged(32 + $0 * Self.frame, Self.frame) }
            let unnamed = Set(touched.filter { hasChanged(32 + $0 * Self.frame, 4) })
            // No frame continues from the last transaction. The one before is lost too if both are damaged or its commit mark is missing.
            let endIsGone = unnamed.contains(ends[2]) || touched == [ends[2], ends[2] + 1]
            let last = endIsGone ? ends[1] : touched.contains { $0 > ends[2] } ? ends[2] : ends[3]
            let expected = frames(sound.mapValues { $0.filter { $0 <= last } }, without: unnamed.filter { $0 <= last })
            #expect(frames(found) == expected, "sector at \(start), frames \(touched)")
            #expect(found.isDamaged == (start == 0 || touched.contains { $0 <= last }), "sector at \(start), frames \(touched)")
            // The frame after a lost header cannot be verified.
            #expect(doubtful(found).isSubset(of: touched + unnamed.map { $0 + 1 }), "sector at \(start), frames \(touched)")
            #expect(found.mayHoldMore == (last < ends[3] || !unnamed.isEmpty), "sector at \(start), frames \(touched)")
        }
    }

    @Test func readsLogWithChangedSalts() throws {
        let sound = frames(try read(log))
        for places in [[16, 40], [17, 46], [20, 40], [22, 45], Array(16..<24) + Array(40..<48)] {
            var damaged = log
            for place in places { damaged[place] ^= 0x21 }
            let found = try read(damaged)
            #expect(found.isDamaged && frames(found) == sound, "bytes \(places)")
        }
    }

    /// The checksum reveals the page number, and one salt identifies the log.
    @Test func readsLogWithChangedFrameHeader() throws {
        let sound = try read(log)
        for frame in Set([0, 1, 5] + ends) {
            for place in 0..<24 {
                for bit in [0x01, 0x40] as [UInt8] {
                    var damaged = log
                    damaged[32 + frame * Self.frame + place] ^= bit
                    let found = try read(damaged)
                    let words = "byte \(place) of frame \(frame)"
                    guard frame <= ends[2] else {
                        #expect(!found.isDamaged && found.mayHoldMore && found.mayLackVersions, "\(words)")
                        #expect(frames(found) == frames(frames(sound).mapValues { $0.filter { $0 <= ends[2] } }, without: []), "\(words)")
                        continue
                    }
                    #expect(found.isDamaged && !found.mayHoldMore && found.count == sound.count, "\(words)")
                    #expect(doubtful(found) == (place < 8 ? [frame] : []) && found.mayLackVersions == (place < 8), "\(words)")
                    let missing = frames(sound).filter { !Set(frames(found)[$0.key] ?? []).isSuperset(of: $0.value) }
                    #expect(missing.isEmpty && (place < 4 || frames(found) == frames(sound)), "\(words)")
                }
            }
        }
    }

    @Test func readsLogWithUnreadableHeader() throws {
        let sound = frames(try read(log))
        let found = try read(log, unreadable: 0..<32)
        #expect(found.isDamaged && found.mayHoldMore && found.mayLackVersions)
        #expect(frames(found) == sound && doubtful(found) == [0])
    }

    @Test func readsLogWithUnreadableFrame() throws {
        let sound = frames(try read(log))
        for frame in 0...ends[1] {
            let start = 32 + frame * Self.frame + 1000
            let found = try read(log, unreadable: start..<start + 1)
            #expect(found.isDamaged && found.mayHoldMore && found.mayLackVersions, "frame \(frame)")
            #expect(frames(found) == frames(sound, without: [frame]) && doubtful(found) == [frame, frame + 1], "frame \(frame)")
        }
    }

    /// A transaction that continues from another one proves that the other was on the disk.
    @Test func firstFrameConfirmsPreviousTransaction() throws {
        let (before, last) = (ends[1] + 1...ends[2], ends[2] + 1...ends[3])
        for (frame, other) in before.flatMap({ frame in last.map { (frame, $0) } }) {
            var damaged = log
            for frame in [frame, other] { damaged[32 + frame * Self.frame + 24 + 2000] ^= 0x04 }
            let found = try read(damaged)
            // Nothing confirms the last one. If its first frame is damaged, both look like failed transactions.
            #expect(found.isDamaged == (other > last.lowerBound) && found.mayHoldMore, "frames \(frame) and \(other)")
            #expect(found.versions.values.joined().count == (found.isDamaged ? ends[2] : ends[1]) + 1, "frames \(frame) and \(other)")
        }
    }

    /// The next transaction reveals any changed bit. The last one has none after it.
    @Test func damageBeforeTheLastTransactionIsFound() throws {
        let sound = try read(log)
        #expect(!sound.isDamaged && !sound.mayHoldMore && !sound.mayLackVersions && ends.count == 4)
        for frame in 0...ends[2] {
            let header = 32 + frame * Self.frame
            for place in [24, 2000, 4119] {
                var damaged = log
                damaged[header + place] ^= 0x04
                let found = try read(damaged)
                #expect(found.isDamaged && !found.mayHoldMore && doubtful(found) == [frame], "byte \(place) of frame \(frame)")
                #expect(frames(found) == frames(sound), "byte \(place) of frame \(frame)")
            }
        }
        for place in 0..<32 {
            for bit in [0x01, 0x04] as [UInt8] {
                var damaged = log
                damaged[place] ^= bit
                let found = try read(damaged)
                #expect(found.isDamaged && found.versions.values.joined().count == ends[3] + 1, "byte \(place) of the header")
            }
        }
    }
}
