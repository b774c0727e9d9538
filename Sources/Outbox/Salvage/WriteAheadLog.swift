/// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log), read frame by frame, past damage too.
///
/// SQLite itself takes the log to end at the first frame that does not verify. That is right for a write which a power cut has torn, and
/// silently drops what was acknowledged where a byte in the middle has changed. Each frame's checksum goes on from the one that the frame
/// before it *states*, or should have stated, so a damaged frame does not keep those behind it from being verified.
struct WriteAheadLog {
    /// Bytes of a page; nil where there is no log.
    let pageSize: Int?
    /// Committed versions of each page, oldest first.
    private(set) var versions: [Int: [Version]] = [:]
    /// Pages of the database after the last commit; nil without one.
    private(set) var count: Int?
    /// Frames of a transaction before the last one do not verify, or the log's header does not.
    private(set) var isDamaged = false

    struct Version {
        /// Where the page's bytes begin in the log.
        let offset: Int
        let isVerified: Bool
    }

    private struct Frame {
        let page, commit, offset: Int
        let isVerified: Bool
    }

    static let headerSize = 32
    private static let frameHeaderSize = 24
    /// Bytes that a disk writes together.
    private static let sector = 512
    private static let magic = 0x377f_0682

    init(_ file: StoreFile) {
        guard file.size > Self.headerSize, let header = file.bytes(at: 0, Self.headerSize) else {
            pageSize = nil
            return
        }
        let isBigEndian = header.number(at: 0) == Self.magic | 1
        let sum = Checksum(isBigEndian: isBigEndian, stated: [0, 0, 0, 0, 0, 0, 0, 0]).adding(header[..<24])
        let headerIsGood = header.number(at: 0) | 1 == Self.magic | 1 && sum.isStated(in: header, at: 24)
        let stated = header.number(at: 8)
        let pageSize = headerIsGood && stated.nonzeroBitCount == 1 && (512...65536).contains(stated) ? stated : 4096
        self.pageSize = pageSize
        // A damaged header says nothing of its own log: the first frame does.
        let first = file.bytes(at: Self.headerSize, Self.frameHeaderSize) ?? header
        let salts = headerIsGood ? Array(header[16..<24]) : Array(first[8..<16])
        // What the next frame's checksum goes on from: what is stated, or, where that itself has changed, what should have been.
        var seeds = [Checksum(isBigEndian: isBigEndian, stated: header[24..<32]), sum]
        // Frames of transactions that are not known to count: the one being read, and torn ones before it.
        var open: [Frame] = []
        var isTorn = false
        var isSuspect = !headerIsGood
        var offset = Self.headerSize
        while offset + Self.frameHeaderSize + pageSize <= file.size {
            defer { offset += Self.frameHeaderSize + pageSize }
            guard let frame = file.bytes(at: offset, Self.frameHeaderSize + pageSize) else {
                isTorn = true
                continue
            }
            let sums = seeds.map { $0.adding(frame[..<8]).adding(frame[Self.frameHeaderSize...]) }
            let isOfThisLog = Array(frame[8..<16]) == salts
            let isVerified = isOfThisLog && sums.contains { $0.isStated(in: frame, at: 16) }
            seeds = [Checksum(isBigEndian: isBigEndian, stated: frame[16..<24])] + (isVerified ? [] : sums.prefix(1))
            let commit = frame.number(at: 4)
            if !isVerified { isTorn = true }
            open.append(
                Frame(page: frame.number(at: 0), commit: commit, offset: offset + Self.frameHeaderSize, isVerified: isVerified))
            // What a header within one sector says was written together, whatever has become of the page behind it.
            let isWhole = isVerified || isOfThisLog && offset % Self.sector <= Self.sector - Self.frameHeaderSize
            guard commit != 0, isWhole else { continue }
            defer { isTorn = false }
            // A transaction is on the disk before the next one is written. So a torn one before one that has come here whole was damaged
            // since; the last one of all may have been cut off by a loss of power, and SQLite rightly takes it not to have been. What is
            // left, behind the end, of writes that failed or were cut off begins in the midst of one: no such piece has come here whole.
            if isSuspect, isVerified, !isTorn { isDamaged = true }
            guard isVerified, isDamaged || !isTorn else {
                isSuspect = true
                continue
            }
            isSuspect = false
            for frame in open { versions[frame.page, default: []].append(Version(offset: frame.offset, isVerified: frame.isVerified)) }
            open = []
            count = commit
        }
    }
}

/// The checksum of a log's frames: two running sums over pairs of 32-bit words.
private struct Checksum {
    private var a: UInt32
    private var b: UInt32
    private let isBigEndian: Bool

    /// - Parameter stated: 8 bytes.
    init(isBigEndian: Bool, stated: ArraySlice<UInt8>) {
        self.isBigEndian = isBigEndian
        let stated = Array(stated)
        a = UInt32(stated.number(at: 0))
        b = UInt32(stated.number(at: 4))
    }

    func adding(_ bytes: ArraySlice<UInt8>) -> Checksum {
        var sum = self
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                sum.a = sum.a &+ word(bytes, offset) &+ sum.b
                sum.b = sum.b &+ word(bytes, offset + 4) &+ sum.a
            }
        }
        return sum
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    func isStated(in header: [UInt8], at offset: Int) -> Bool {
        header.number(at: offset) == Int(a) && header.number(at: offset + 4) == Int(b)
    }
}
