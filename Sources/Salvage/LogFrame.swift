/// A frame of a write-ahead log: a version of one page.
struct LogFrame {
    static let headerSize = 24
    /// Bytes that a disk writes atomically.
    private static let sector = 512

    let page, commit, offset: Int
    /// The page number that fits the checksum.
    let fitting: Int?
    var isVerified: Bool
    /// Verified, although the checksum that the previous frame states has changed.
    let verifiesPrevious: Bool
    /// Belongs to an earlier log.
    let isOlder: Bool
    /// SQLite accepts no changed frame.
    let isAccepted: Bool

    private init(_ bytes: [UInt8], at offset: Int, from seeds: [LogChecksum], _ salts: LogSalts) {
        let own = LogSalts(bytes[8..<16])
        let page = bytes.number(at: 0)
        let fitting = own.areLike(salts) ? seeds.map { Self.pageNumber(of: bytes, from: $0) } : []
        let verifying = fitting.firstIndex { $0 == page }
        (self.page, self.offset, self.fitting) = (page, offset, fitting.compactMap(\.self).first)
        commit = bytes.number(at: 4)
        isVerified = verifying != nil
        verifiesPrevious = verifying.map { $0 > 0 } ?? false
        isOlder = own.areOlder(than: salts)
        isAccepted = verifying != nil && own == salts
    }

    /// Each checksum continues from the one that the previous frame states or should have stated.
    static func all(
        at offsets: StrideThrough<Int>, from seeds: [LogChecksum], _ salts: LogSalts, read: (Int) -> [UInt8]
    ) -> [LogFrame] {
        var seeds = seeds
        return offsets.map { offset in
            let bytes = read(offset)
            let frame = LogFrame(bytes, at: offset, from: seeds, salts)
            let due = frame.isVerified ? [] : seeds.map { $0.adding(bytes[..<8]).adding(bytes[headerSize...]) }
            seeds = seeds.prefix(1).map { LogChecksum(isBigEndian: $0.isBigEndian, stated: bytes[16..<24]) }
            seeds += due.prefix(1) + due.dropFirst().suffix(1)
            return frame
        }
    }

    /// The last frame of a transaction. A header within one sector was written in one piece, so its commit field counts.
    var isCommit: Bool { commit != 0 && (isVerified || fitting != nil || offset % Self.sector <= Self.sector - Self.headerSize) }

    /// Pages that this may be a version of; 0 for an unknown one.
    var pages: Set<Int> {
        let pages = Set([page, isVerified ? page : fitting ?? page]).filter { WriteAheadLog.pages.contains($0) }
        return pages.isEmpty ? [0] : pages
    }

    /// The page number with which the checksum continues from `seed`, if nothing else has changed. Changes of other bits can look the same.
    private static func pageNumber(of frame: [UInt8], from seed: LogChecksum) -> Int? {
        let sum = LogChecksum(isBigEndian: seed.isBigEndian, stated: frame[16..<24])
        // Page number and commit field.
        let head = seed.bytes(to: sum.removing(frame[headerSize...]))
        let page = head.number(at: 0)
        return WriteAheadLog.pages.contains(page) && head[4...] == frame[4..<8] ? page : nil
    }

    /// The salts for a damaged header: those of most frames that continue from the previous one, or newer ones before them. The file may
    /// end with more frames of an older log.
    static func salts(of frames: some Sequence<[UInt8]>, from seeds: [LogChecksum]) -> LogSalts {
        var all: [LogSalts] = []
        var votes: [LogSalts: Int] = [:]
        var seeds = seeds
        for frame in frames {
            let salts = LogSalts(frame[8..<16])
            all.append(salts)
            if seeds.contains(where: { pageNumber(of: frame, from: $0) != nil }) { votes[salts, default: 0] += 1 }
            seeds = seeds.prefix(1).map { LogChecksum(isBigEndian: $0.isBigEndian, stated: frame[16..<24]) }
        }
        let most = all.reversed().max { votes[$0, default: 0] < votes[$1, default: 0] } ?? LogSalts([0, 0, 0, 0, 0, 0, 0, 0])
        return all.first { $0 == most || most.areOlder(than: $0) } ?? most
    }
}
