import Foundation
import GRDB
import TestSupport
import Testing

@testable import Outbox

@Suite struct WriteAheadLogTests {
    private static let frame = 4096 + 24
    private let directory: TemporaryDirectory
    /// The store without its log.
    private let file: Data
    /// A log of a few transactions, and the frame that each of them ends with.
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

    /// What the log becomes where one more transaction of so many pages is written.
    private func log(with pages: Int) throws -> Data {
        let path = directory("copy\(pages)")
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }  // `try?`: nothing more is asked of it
        return try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try Self.write(pages, db)
            return try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        }
    }

    private func read(_ log: Data) throws -> WriteAheadLog {
        let path = directory("read-wal")
        try log.write(to: URL(fileURLWithPath: path))
        return WriteAheadLog(StoreFile(path: path))
    }

    /// Each begins where the one before it did, and leaves of that one what it is too short to cover.
    @Test func whatIsLeftOfTransactionsThatFailedIsNoDamage() throws {
        let (long, middle, short) = (try log(with: 20), try log(with: 10), try log(with: 2))
        let left = short + middle[short.count...] + long[middle.count...]
        #expect(short.count < middle.count && middle.count < long.count && left.count == long.count)
        let found = try read(left)
        #expect(!found.isDamaged && found.mayHoldMore)
        #expect(found.versions.mapValues { $0.map(\.offset) } == (try read(short)).versions.mapValues { $0.map(\.offset) })
        // What was damaged before them is found all the same, and they take the place of nothing.
        var damaged = left
        damaged[32 + ends[1] * Self.frame + 24 + 2000] ^= 0x10
        let salvaged = try read(damaged)
        #expect(salvaged.isDamaged && salvaged.mayHoldMore)
        #expect(salvaged.versions.mapValues { $0.map(\.offset) } == found.versions.mapValues { $0.map(\.offset) })
        var headless = left
        headless[24] ^= 0x10
        #expect(try read(headless).versions.mapValues { $0.map(\.offset) } == found.versions.mapValues { $0.map(\.offset) })
    }

    @Test func whatIsLeftOfTheLogBeforeThisOneIsNothingOfIt() throws {
        let path = directory("restarted")
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let queue = try DatabaseQueue(path: path)
        let restarted = try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(RESTART)")
            try Self.write(2, db)
            return try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        }
        try queue.close()
        #expect(restarted.count == log.count)
        let found = try read(restarted)
        #expect(!found.isDamaged && !found.mayHoldMore && found.versions.values.joined().count < log.count / Self.frame)
    }

    /// What goes on from a transaction shows that it was on the disk, whatever became of the rest of both.
    @Test func theFirstFrameOfATransactionVouchesForTheOneBefore() throws {
        let (before, last) = (ends[1] + 1...ends[2], ends[2] + 1...ends[3])
        for (frame, other) in before.flatMap({ frame in last.map { (frame, $0) } }) {
            var damaged = log
            for frame in [frame, other] { damaged[32 + frame * Self.frame + 24 + 2000] ^= 0x04 }
            let found = try read(damaged)
            // Nothing vouches for the last one; and where its first frame has changed, nothing tells the two from such as failed.
            #expect(found.isDamaged == (other > last.lowerBound) && found.mayHoldMore, "frames \(frame) and \(other)")
            #expect(found.versions.values.joined().count == (found.isDamaged ? ends[2] : ends[1]) + 1, "frames \(frame) and \(other)")
        }
    }

    /// Wherever a bit has changed, the next transaction shows it, which goes on from there; the last one has none behind it.
    @Test func damageBeforeTheLastTransactionIsFound() throws {
        #expect(try !read(log).isDamaged && ends.count == 4)
        for frame in 0...ends[2] {
            let header = 32 + frame * Self.frame
            for place in [16, 18, 20, 23, 24, 2000, 4119] {
                var damaged = log
                damaged[header + place] ^= 0x04
                #expect(try read(damaged).isDamaged, "byte \(place) of frame \(frame)")
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
