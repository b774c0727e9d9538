/// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log), read past damage.
///
/// SQLite ends the log at the first frame that does not verify, so a flipped byte would drop acknowledged writes behind it. Here, a checksum
/// continues from the one that the previous frame states or should have stated. See Decisions/DamagedStore.md.
struct WriteAheadLog {
    /// Bytes; nil if there is no log.
    let pageSize: Int?
    /// Committed versions of each page, oldest first. An ambiguous frame is listed under both its page numbers; page 0 collects unknown pages.
    private(set) var versions: [Int: [Version]] = [:]
    /// End offset of the checkpointed frames if some are damaged: the database may have later versions. Otherwise 0.
    private(set) var endOfCopied = 0
    /// Database pages after the last commit.
    private(set) var count: Int?
    /// The header is damaged, or a frame in a transaction that a later frame continues from or that the index counts. A power cut causes neither.
    private(set) var isDamaged = false
    /// Missing, or shorter or older than its index says. Also if all of it was checkpointed: SQLite would take the rest for newer than the database.
    private(set) var isShort = false
    /// Some frames are unreadable, have no known page, or lie behind the last counted transaction: failed writes or damaged ones.
    private(set) var mayHoldMore = false
    /// Any page may have had a later version, in missing frames or in a changed one.
    private(set) var mayLackVersions = false

    struct Version: Hashable {
        let offset: Int
        /// The bytes and the page number are unchanged.
        let isVerified: Bool
    }

    private struct Frame {
        let page, commit, offset: Int
        /// The page number with which the checksum continues from the previous frame's.
        let fitting: Int?
        var isVerified: Bool
        /// Belongs to an earlier log.
        let isOlder: Bool

        /// The last frame of a transaction. A header within one sector was written in one piece, so its commit field counts.
        var isCommit: Bool { commit != 0 && (isVerified || fitting != nil || offset % sector <= sector - frameHeaderSize) }

        /// Pages of which this may be a version.
        var pages: Set<Int> {
            let pages = Set([page, isVerified ? page : fitting ?? page]).filter { WriteAheadLog.pages.contains($0) }
            return pages.isEmpty ? [0] : pages
        }
    }

    /// Valid page numbers; no store has as many.
    static let pages = 1..<1 << 24
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    /// Bytes that a disk writes atomically.
    private static let sector = 512
    private static let magic = 0x377f_0682

    /// - Parameters:
    ///   - index: if it can be read.
    ///   - isMissed: a log must exist, and does not.
    init(_ file: StoreFile, index: LogIndex? = nil, isMissed: Bool = false) {
        guard file.size > Self.headerSize else {
            pageSize = nil
            isShort = isMissed || index?.countsOnLog == true
            mayHoldMore = isShort
            mayLackVersions = isShort
            return
        }
        var isUnread = false
        // Unreadable bytes become zeros, which form no valid frame.
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
        // The header is on the disk before the first frame, so a power cut cannot damage it.
        isDamaged = !headerIsGood
        // Assume this machine's byte order; the salts come from the frames.
        let isBigEndian = headerIsGood ? order : UInt32(1).bigEndian == 1
        let stated = header.number(at: 8)
        let pageSize = headerIsGood && stated.nonzeroBitCount == 1 && (512...65536).contains(stated) ? stated : 4096
        self.pageSize = pageSize
        let size = Self.frameHeaderSize + pageSize
        let offsets = stride(from: Self.headerSize, through: file.size - size, by: size)
        // The stated checksum or, if that has changed, the recomputed one.
        var seeds = sums(isBigEndian)
        let salts = headerIsGood ? LogSalts(header[16..<24]) : Self.salts(of: offsets.lazy.map { read($0, size) }, from: seeds)
        let present = (file.size - Self.headerSize) / size
        // A new log starts after a full checkpoint of the previous one; the index has its salts once it has frames.
        let isOlder = index.map { $0.frames > 0 && salts.areOlder(than: $0.salts) } ?? false
        let current = index.flatMap { $0.salts == salts ? $0 : nil }
        // Frames that the index counts as committed.
        let certain = current?.frames ?? 0
        isShort = isOlder || current.map { $0.frames > present && (present > 0 || $0.countsOnLog) } ?? false
        // Checkpointed frames, and whether all of them are intact here.
        let copied = isOlder ? present : current.map { min($0.copied, $0.frames) } ?? 0
        var hasCopied = !isOlder && copied <= present
        // Frames not known to be committed.
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
            // Only the stated checksum of the previous frame has changed.
            if let verifying, verifying > 0, !open.isEmpty { open[open.count - 1].isVerified = true }
            let frame = Frame(
                page: page, commit: bytes.number(at: 4), offset: offset, fitting: fitting.compactMap(\.self).first,
                isVerified: verifying != nil, isOlder: own.areOlder(than: salts))
            // A transaction is on the disk before the next one, which continues from its checksum, is written. So if a frame continues from another
            // transaction, unverified frames before it were damaged later. Failed or torn transactions are overwritten, so nothing continues from
            // them. An unverified frame of an older log does not count: a header torn across two sectors may combine new salts with older data.
            if frame.fitting != nil, let before = open.last, before.isCommit, before.isVerified || !before.isOlder {
                isDamaged = true
                keepOpen()
            }
            open.append(frame)
            let due = !frame.isVerified ? seeds.map { $0.adding(bytes[..<8]).adding(bytes[Self.frameHeaderSize...]) } : []
            seeds = [LogChecksum(isBigEndian: isBigEndian, stated: bytes[16..<24])] + due.prefix(1) + due.dropFirst().suffix(1)
            // SQLite accepts no changed frame.
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

    /// The page number with which the frame's checksum continues from `seed`, if nothing else has changed. Changes of other bits can look the same.
    private static func page(of frame: [UInt8], from seed: LogChecksum) -> Int? {
        let sum = LogChecksum(isBigEndian: seed.isBigEndian, stated: frame[16..<24])
        // Page number and commit field.
        let head = seed.bytes(to: sum.removing(frame[frameHeaderSize...]))
        let page = head.number(at: 0)
        return pages.contains(page) && head[4...] == frame[4..<8] ? page : nil
    }

    /// The salts for a damaged header: those of most frames that continue from the previous one, or newer ones before them. The end of the file may
    /// hold more frames of an older log than its beginning holds of this one.
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
