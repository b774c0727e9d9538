/// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log), read past damage. SQLite ends the log at the first
/// frame that does not verify, and so drops acknowledged writes behind a flipped byte. Here, a checksum continues from the one that the
/// previous frame states or should have stated (Decisions/DamagedStore.md).
struct WriteAheadLog {
    /// Bytes; nil if there is no log.
    let pageSize: Int?
    /// Committed versions of each page, oldest first. An ambiguous frame is listed under both its page numbers; page 0 collects unknown
    /// pages.
    private(set) var versions: [Int: [Version]] = [:]
    /// If some checkpointed frames are damaged, their end offset: the database may have later versions. Otherwise 0.
    private(set) var endOfCopied = 0
    /// Database pages after the last commit.
    private(set) var count: Int?
    /// The header is damaged, or a frame before one that a later frame continues from or that the index counts. A power cut causes neither.
    private(set) var isDamaged = false
    /// The log is missing, or shorter or older than its index says. Also if all of it was checkpointed: SQLite would take the rest for
    /// newer than the database.
    private(set) var isShort = false
    /// Some frames are unreadable, have no known page, or follow the last counted transaction.
    private(set) var mayHoldMore = false
    /// Any page may have had a later version in a missing or changed frame.
    private(set) var mayLackVersions = false

    struct Version: Hashable {
        let offset: Int
        /// The bytes and the page number are unchanged.
        let isVerified: Bool
    }

    /// Valid page numbers; no store has as many.
    static let pages = 1..<1 << 24

    /// The index's data about this log.
    private struct Stated {
        let isOlder, isShort: Bool
        /// Frames that are committed for certain, and frames that were checkpointed.
        let certain, copied: Int

        init(_ index: LogIndex?, _ salts: LogSalts, present: Int) {
            // A new log starts after a full checkpoint of the previous one; the index has its salts once it has frames.
            isOlder = index.map { $0.frames > 0 && salts.areOlder(than: $0.salts) } ?? false
            let current = index.flatMap { $0.salts == salts ? $0 : nil }
            isShort = isOlder || current.map { $0.frames > present && (present > 0 || $0.countsOnLog) } ?? false
            certain = current?.frames ?? 0
            copied = isOlder ? present : current.map { min($0.copied, $0.frames) } ?? 0
        }
    }

    /// `index` is nil if unreadable; `isMissed` means that a log must exist but does not.
    init(_ file: StoreFile, index: LogIndex? = nil, isMissed: Bool = false) {
        guard file.size > LogHeader.size else {
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
        let header = LogHeader(read(0, LogHeader.size))
        pageSize = header.pageSize
        // The header is on the disk before the first frame, so a power cut cannot damage it.
        isDamaged = !header.isGood
        let size = LogFrame.headerSize + header.pageSize
        let offsets = stride(from: LogHeader.size, through: file.size - size, by: size)
        let salts = header.salts ?? LogFrame.salts(of: offsets.lazy.map { read($0, size) }, from: header.seeds)
        let frames = LogFrame.all(at: offsets, from: header.seeds, salts) { read($0, size) }
        let stated = Stated(index, salts, present: frames.count)
        isShort = stated.isShort
        let open = keepCommitted(frames, certain: stated.certain)
        let end = LogHeader.size + stated.copied * size
        let hasCopied = !stated.isOlder && stated.copied <= frames.count && frames.prefix(stated.copied).allSatisfy(\.isAccepted)
        endOfCopied = hasCopied ? 0 : end
        mayHoldMore =
            isShort && index?.countsOnLog == true || isUnread || versions[0]?.contains { $0.offset > endOfCopied } == true
            || !open.allSatisfy { $0.isOlder || $0.offset < end }
        mayLackVersions = mayHoldMore || !hasCopied || !versions.values.joined().allSatisfy(\.isVerified)
    }

    /// Lists the committed versions; returns the frames that are not known to be committed. `certain` is how many the index counts as
    /// committed.
    private mutating func keepCommitted(_ frames: [LogFrame], certain: Int) -> [LogFrame] {
        var open: [LogFrame] = []
        var isTorn = false
        func keepOpen() {
            for frame in open {
                let version = Version(offset: frame.offset + LogFrame.headerSize, isVerified: frame.isVerified)
                for page in frame.pages { versions[page, default: []].append(version) }
            }
            (open, isTorn) = ([], false)
        }
        for (number, frame) in frames.enumerated() {
            if frame.verifiesPrevious, !open.isEmpty { open[open.count - 1].isVerified = true }
            // A transaction is on the disk before the next one, which continues from its checksum, is written. So unverified frames before
            // a transaction that another continues from were damaged later. Failed or torn transactions are overwritten, so nothing
            // continues from them. An unverified frame of an older log does not count: a header torn across two sectors may combine new
            // salts with older data.
            if frame.fitting != nil, let before = open.last, before.isCommit, before.isVerified || !before.isOlder {
                isDamaged = true
                keepOpen()
            }
            open.append(frame)
            if !frame.isAccepted { isTorn = true }
            if number + 1 == certain, isTorn || !frame.isCommit {
                isDamaged = true
                keepOpen()
            }
            guard frame.isCommit, !isTorn else { continue }
            keepOpen()
            count = frame.commit
        }
        return open
    }
}
