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
    /// Its header does not verify, or a frame in a transaction that the next one goes on from: a power cut leaves neither.
    private(set) var isDamaged = false
    /// Behind the last transaction that counts lie frames of this log, and one of them does not verify: what failed or was cut off, or was
    /// damaged since. Nothing tells which. Or the disk does not give a frame.
    var mayHoldMore: Bool { isUnread || isOpenEnded }

    private var isUnread = false
    private var isOpenEnded = false

    struct Version {
        /// Where the page's bytes begin in the log.
        let offset: Int
        let isVerified: Bool
    }

    private struct Frame {
        let page, offset: Int
        let isVerified: Bool
        /// Whether it was written as the last one of a transaction.
        let isCommit: Bool
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
        func sum(_ isBigEndian: Bool) -> Checksum {
            Checksum(isBigEndian: isBigEndian, stated: [0, 0, 0, 0, 0, 0, 0, 0]).adding(header[..<24])
        }
        let order = header.number(at: 0) & 1 == 1
        let headerIsGood = header.number(at: 0) | 1 == Self.magic | 1 && sum(order).isStated(in: header, at: 24)
        // It is on the disk before the first frame is written.
        isDamaged = !headerIsGood
        // A damaged one says nothing of its own log: the sums are as this machine makes them, and the first frames say whose they are.
        let isBigEndian = headerIsGood ? order : UInt32(1).bigEndian == 1
        let stated = header.number(at: 8)
        let pageSize = headerIsGood && stated.nonzeroBitCount == 1 && (512...65536).contains(stated) ? stated : 4096
        self.pageSize = pageSize
        func saltsOfFrame(_ index: Int) -> ArraySlice<UInt8>? {
            file.bytes(at: Self.headerSize + index * (Self.frameHeaderSize + pageSize), Self.frameHeaderSize)?[8..<16]
        }
        let likely = [saltsOfFrame(0), header[16..<24]].compactMap(\.self)
        let salts = Array(headerIsGood ? header[16..<24] : likely.first { $0 == saltsOfFrame(1) } ?? likely[0])
        // What the next frame's checksum goes on from: what is stated, or, where that itself has changed, what should have been.
        var seeds = [Checksum(isBigEndian: isBigEndian, stated: header[24..<32]), sum(isBigEndian)]
        // Frames that are not known to count: those of the transaction being read, and of torn ones before it.
        var open: [Frame] = []
        var isTorn = false
        var offset = Self.headerSize
        func keepOpen() {
            for frame in open { versions[frame.page, default: []].append(Version(offset: frame.offset, isVerified: frame.isVerified)) }
            (open, isTorn, isOpenEnded) = ([], false, false)
        }
        while offset + Self.frameHeaderSize + pageSize <= file.size {
            defer { offset += Self.frameHeaderSize + pageSize }
            guard let frame = file.bytes(at: offset, Self.frameHeaderSize + pageSize) else {
                (isTorn, isUnread) = (true, true)
                continue
            }
            let sums = seeds.map { $0.adding(frame[..<8]).adding(frame[Self.frameHeaderSize...]) }
            let isVerified = Array(frame[8..<16]) == salts && sums.contains { $0.isStated(in: frame, at: 16) }
            seeds =
                [Checksum(isBigEndian: isBigEndian, stated: frame[16..<24])]
                + (isVerified ? [] : sums.prefix(1) + sums.dropFirst().suffix(1))
            // Each transaction is on the disk before the next one, which goes on from its checksum, is written. So where a frame goes on from
            // another transaction's last one, what does not verify before it was damaged since. Nothing goes on from a transaction that
            // failed or was cut off: what is written next is written over it, and what it leaves behind the end of that, piece behind
            // piece, goes on from frames that are no more. SQLite rightly takes such ones not to have been.
            if isVerified, open.last?.isCommit == true {
                isDamaged = true
                keepOpen()
            }
            // What a header within one sector says was written together, whatever has become of the page behind it.
            let isWhole = isVerified || offset % Self.sector <= Self.sector - Self.frameHeaderSize
            let commit = isWhole ? frame.number(at: 4) : 0
            open.append(
                Frame(
                    page: frame.number(at: 0), offset: offset + Self.frameHeaderSize, isVerified: isVerified, isCommit: commit != 0))
            if !isVerified { isTorn = true }
            // Another log has neither of the two salts of this one.
            let isOfThisLog = frame[8..<12].elementsEqual(salts[..<4]) || frame[12..<16].elementsEqual(salts[4...])
            if isTorn, isOfThisLog { isOpenEnded = true }
            guard commit != 0, !isTorn else { continue }
            keepOpen()
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
