/// The index of a write-ahead log (https://sqlite.org/walformat.html#the_wal_index_file_format). SQLite updates it after each commit has
/// reached the disk, so a log with fewer frames has lost some. After a power cut it may be stale, and say less or describe an earlier log.
struct LogIndex {
    /// The salts of the log that the index describes.
    let salts: LogSalts
    /// Committed frames, and how many of them were checkpointed.
    let frames, copied: Int

    /// True if the log had frames that were not checkpointed.
    var countsOnLog: Bool { frames > copied }

    private static let headerSize = 48
    private static let summed = 40

    /// Nil if it is incomplete or damaged.
    init?(_ file: StoreFile) {
        // SQLite writes the header twice.
        guard let bytes = file.bytes(at: 0, 2 * Self.headerSize + 4), bytes[..<Self.headerSize].elementsEqual(bytes[Self.headerSize..<96])
        else { return nil }
        // In native byte order, except the salts.
        func word(_ offset: Int) -> [UInt8] {
            let word = bytes[offset..<offset + 4]
            return UInt32(1).bigEndian == 1 ? Array(word) : word.reversed()
        }
        let stated = (word(Self.summed) + word(Self.summed + 4))[...]
        let none = LogChecksum(isBigEndian: UInt32(1).bigEndian == 1, stated: [0, 0, 0, 0, 0, 0, 0, 0])
        guard bytes[12] == 1, none.adding(bytes[..<Self.summed]) == LogChecksum(isBigEndian: none.isBigEndian, stated: stated) else {
            return nil
        }
        salts = LogSalts(bytes[32..<40])
        frames = word(16).number(at: 0)
        copied = word(2 * Self.headerSize).number(at: 0)
    }
}
