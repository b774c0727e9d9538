/// What the index of a write-ahead log says that the log holds (https://sqlite.org/walformat.html#the_wal_index_file_format).
///
/// SQLite writes it after each commit, once that is on the disk. So a log that holds less than its index says has lost something since. What a
/// power cut leaves of an index may be of an earlier moment: it then says less, or speaks of a log before this one.
struct LogIndex {
    /// Of the log that it is about.
    let salts: LogSalts
    /// Frames of that log that count, and how many of them, from its beginning, are in the database too.
    let frames, copied: Int

    /// Whether the log held what is nowhere else.
    var countsOnLog: Bool { frames > copied }

    private static let headerSize = 48
    private static let summed = 40

    /// - Parameter file: nil is what becomes of one that was not written in full, or has changed since.
    init?(_ file: StoreFile) {
        // The header is there twice, and written one after the other.
        guard let bytes = file.bytes(at: 0, 2 * Self.headerSize + 4), bytes[..<Self.headerSize].elementsEqual(bytes[Self.headerSize..<96])
        else { return nil }
        // Its numbers are as this machine has them, but for the salts, which are copied.
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
