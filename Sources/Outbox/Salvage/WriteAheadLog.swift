/// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log), read frame by frame, past damage too.
///
/// SQLite itself takes the log to end at the first frame that does not verify. That is right for a write which a power cut has torn, and
/// silently drops what was acknowledged where a byte in the middle has changed. Each frame's checksum goes on from the one that the frame
/// before it *states*, or should have stated, so a damaged frame does not keep those behind it from being verified.
struct WriteAheadLog {
    /// Bytes of a page; nil where there is no log.
    let pageSize: Int?
    /// Committed versions of each page, oldest first. One whose page may be another one is among those of both; page 0 is one that is not
    /// known.
    private(set) var versions: [Int: [Version]] = [:]
    /// Where in the log those end of which the database may have a later version: it has what is before, and not all of that is whole here.
    private(set) var endOfCopied = 0
    /// Pages of the database after the last commit; nil without one.
    private(set) var count: Int?
    /// Its header does not verify, or a frame in a transaction that the next one goes on from, or that its index says was written: a power cut
    /// leaves none of these.
    private(set) var isDamaged = false
    /// It is gone, or ends before it should by what its index says, or is one from before that. Also where the database has all of it: SQLite
    /// takes what is left for newer than that.
    private(set) var isShort = false
    /// Something of it cannot be read, or belongs to a page that is not known, or lies behind the last transaction that counts: what failed
    /// or was cut off, or was damaged since. Nothing tells which.
    private(set) var mayHoldMore = false
    /// Any page may have had a later version than those here: there may be more, or a frame has changed, perhaps in the page that it names.
    private(set) var mayLackVersions = false

    struct Version: Hashable {
        /// Where the page's bytes begin in the log.
        let offset: Int
        /// They are what was written, and the page is the one that was meant.
        let isVerified: Bool
    }

    private struct Frame {
        let page, commit, offset: Int
        /// The page with which it goes on from the one before, where it does.
        let fitting: Int?
        var isVerified: Bool
        /// Of a log before this one.
        let isOlder: Bool

        /// Whether it was written as the last one of a transaction. What a header within one sector says was written together, whatever has
        /// become of the page behind it.
        var isCommit: Bool { commit != 0 && (isVerified || fitting != nil || offset % sector <= sector - frameHeaderSize) }

        /// Those that it may be a version of.
        var pages: Set<Int> {
            let pages = Set([page, isVerified ? page : fitting ?? page]).filter { WriteAheadLog.pages.contains($0) }
            return pages.isEmpty ? [0] : pages
        }
    }

    /// The numbers that pages may have: more than any store has.
    static let pages = 1..<1 << 24
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    /// Bytes that a disk writes together.
    private static let sector = 512
    private static let magic = 0x377f_0682

    /// - Parameters:
    ///   - index: what SQLite noted of it last, where that can be read.
    ///   - isMissed: there has to be one, and is none.
    init(_ file: StoreFile, index: LogIndex? = nil, isMissed: Bool = false) {
        guard file.size > Self.headerSize else {
            pageSize = nil
            isShort = isMissed || index?.countsOnLog == true
            mayHoldMore = isShort
            mayLackVersions = isShort
            return
        }
        var isUnread = false
        // What the disk does not give is zeros, which are no frame: there is no page 0.
        func read(_ offset: Int, _ count: Int) -> [UInt8] {
            if let bytes = file.bytes(at: offset, count) { return bytes }
            isUnread = true
            return [UInt8](repeating: 0, count: count)
        }
        let header = read(0, Self.headerSize)
        func sums(_ isBigEndian: Bool) -> [LogChecksum] {
            let none = LogChecksum(isBigEndian: isBigEndian, stated: [0, 0, 0, 0, 0, 0, 0, 0])
            return [LogChecksum(isBigEndian: isBigEndian, stated: header[24..<32]), none.adding(header[..<24])]
        }
        let order = header.number(at: 0) & 1 == 1
        let headerIsGood = header.number(at: 0) | 1 == Self.magic | 1 && Set(sums(order)).count == 1
        // It is on the disk before the first frame is written.
        isDamaged = !headerIsGood
        // A damaged one says nothing of its own log: the sums are as this machine makes them, and the frames say whose they are.
        let isBigEndian = headerIsGood ? order : UInt32(1).bigEndian == 1
        let stated = header.number(at: 8)
        let pageSize = headerIsGood && stated.nonzeroBitCount == 1 && (512...65536).contains(stated) ? stated : 4096
        self.pageSize = pageSize
        let size = Self.frameHeaderSize + pageSize
        let offsets = stride(from: Self.headerSize, through: file.size - size, by: size)
        // What the next frame's checksum goes on from: what is stated, or, where that itself has changed, what should have been.
        var seeds = sums(isBigEndian)
        let salts = headerIsGood ? LogSalts(header[16..<24]) : Self.salts(of: offsets.lazy.map { read($0, size) }, from: seeds)
        let present = (file.size - Self.headerSize) / size
        // A log is begun once the database has all of the one before, and its index says so once it has frames.
        let isOlder = index.map { $0.frames > 0 && salts.areOlder(than: $0.salts) } ?? false
        let current = index.flatMap { $0.salts == salts ? $0 : nil }
        // How many frames count whatever they look like.
        let certain = current?.frames ?? 0
        isShort = isOlder || current.map { $0.frames > present && (present > 0 || $0.countsOnLog) } ?? false
        // How many of them the database has too, and whether they are all here as they were written.
        let copied = isOlder ? present : current.map { min($0.copied, $0.frames) } ?? 0
        var hasCopied = !isOlder && copied <= present
        // Frames that are not known to count: those of the transaction being read, and of torn ones before it.
        var open: [Frame] = []
        var isTorn = false
        func keepOpen() {
            for frame in open {
                let version = Version(offset: frame.offset + Self.frameHeaderSize, isVerified: frame.isVerified)
                for page in frame.pages { versions[page, default: []].append(version) }
            }
            (open, isTorn) = ([], false)
        }
        for (number, offset) in offsets.enumerated() {
            let bytes = read(offset, size)
            let own = LogSalts(bytes[8..<16])
            let page = bytes.number(at: 0)
            let fitting = own.areLike(salts) ? seeds.map { Self.page(of: bytes, from: $0) } : []
            let verifying = fitting.firstIndex { $0 == page }
            // Of the frame before it only the checksum has changed, where this one goes on from what that should have been.
            if let verifying, verifying > 0, !open.isEmpty { open[open.count - 1].isVerified = true }
            let frame = Frame(
                page: page, commit: bytes.number(at: 4), offset: offset, fitting: fitting.compactMap(\.self).first,
                isVerified: verifying != nil, isOlder: own.areOlder(than: salts))
            // Each transaction is on the disk before the next one, which goes on from its checksum, is written. So where a frame goes on from
            // another transaction's last one, what does not verify before it was damaged since. Nothing goes on from a transaction that
            // failed or was cut off: what is written next is written over it, and what it leaves behind the end of that, piece behind
            // piece, goes on from frames that are no more. SQLite rightly takes such ones not to have been. Nor does anything of this log go on
            // from one of a log before it: a frame whose header lies in two sectors may have the salts from here and the rest from there. One
            // that would verify with another header is of this log.
            if frame.fitting != nil, let before = open.last, before.isCommit, before.isVerified || !before.isOlder {
                isDamaged = true
                keepOpen()
            }
            open.append(frame)
            let due = !frame.isVerified ? seeds.map { $0.adding(bytes[..<8]).adding(bytes[Self.frameHeaderSize...]) } : []
            seeds = [LogChecksum(isBigEndian: isBigEndian, stated: bytes[16..<24])] + due.prefix(1) + due.dropFirst().suffix(1)
            // SQLite takes no frame of which anything has changed.
            if !frame.isVerified || own != salts { isTorn = true }
            if isTorn, number < copied { hasCopied = false }
            if number + 1 == certain, isTorn || !frame.isCommit {
                isDamaged = true
                keepOpen()
            }
            guard frame.isCommit, !isTorn else { continue }
            keepOpen()
            count = frame.commit
        }
        let end = Self.headerSize + copied * size
        endOfCopied = hasCopied ? 0 : end
        mayHoldMore =
            isShort && index?.countsOnLog == true || isUnread || versions[0]?.contains { $0.offset > endOfCopied } == true
            || !open.allSatisfy { $0.isOlder || $0.offset < end }
        mayLackVersions = mayHoldMore || !hasCopied || !versions.values.joined().allSatisfy(\.isVerified)
    }

    /// The page with which a frame's checksum goes on from `seed`, all else being as it was written; nil where there is none. Where that is
    /// another one than the frame names it may be the right one; a change of a few other bits may look the same.
    private static func page(of frame: [UInt8], from seed: LogChecksum) -> Int? {
        let sum = LogChecksum(isBigEndian: seed.isBigEndian, stated: frame[16..<24])
        // They say its page, and whether it is a transaction's last.
        let head = seed.bytes(to: sum.removing(frame[frameHeaderSize...]))
        let page = head.number(at: 0)
        return pages.contains(page) && head[4...] == frame[4..<8] ? page : nil
    }

    /// The salts of a log whose header does not say them: those that most frames have which go on from the one before, or, where frames in
    /// front of all of these have newer ones, those: the file's end may hold more of an older log than its beginning of this one.
    private static func salts(of frames: some Sequence<[UInt8]>, from seeds: [LogChecksum]) -> LogSalts {
        var all: [LogSalts] = []
        var votes: [LogSalts: Int] = [:]
        var seeds = seeds
        for frame in frames {
            let salts = LogSalts(frame[8..<16])
            all.append(salts)
            if seeds.contains(where: { page(of: frame, from: $0) != nil }) { votes[salts, default: 0] += 1 }
            seeds = seeds.prefix(1).map { LogChecksum(isBigEndian: $0.isBigEndian, stated: frame[16..<24]) }
        }
        let most = all.reversed().max { votes[$0, default: 0] < votes[$1, default: 0] } ?? LogSalts([0, 0, 0, 0, 0, 0, 0, 0])
        return all.first { $0 == most || most.areOlder(than: $0) } ?? most
    }
}
