/// The header of a write-ahead log.
struct LogHeader {
    static let size = 32
    private static let magic = 0x377f_0682

    /// False if it is damaged.
    let isGood: Bool
    /// Bytes; SQLite's default if the header is damaged.
    let pageSize: Int
    /// Nil if the header is damaged: then the frames tell them.
    let salts: LogSalts?
    /// The stated checksum or, if that has changed, the recomputed one.
    let seeds: [LogChecksum]

    /// - Parameter bytes: `size` of them.
    init(_ bytes: [UInt8]) {
        func sums(_ isBigEndian: Bool) -> [LogChecksum] {
            let none = LogChecksum(isBigEndian: isBigEndian, stated: [0, 0, 0, 0, 0, 0, 0, 0])
            return [LogChecksum(isBigEndian: isBigEndian, stated: bytes[24..<32]), none.adding(bytes[..<24])]
        }
        let order = bytes.number(at: 0) & 1 == 1
        isGood = bytes.number(at: 0) | 1 == Self.magic | 1 && Set(sums(order)).count == 1
        let stated = bytes.number(at: 8)
        pageSize = isGood && stated.nonzeroBitCount == 1 && (512...65536).contains(stated) ? stated : 4096
        salts = isGood ? LogSalts(bytes[16..<24]) : nil
        // If the header is damaged, assume this machine's byte order.
        seeds = sums(isGood ? order : UInt32(1).bigEndian == 1)
    }
}
