import Foundation

struct DiskLog: Sendable {
    let records: [Record]

    init(_ records: [Record]) { self.records = records }

    /// Reads a log, without a record that a kill truncated.
    init(log: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        var records: [Record] = []
        var place = 0
        while let record = Record(bytes, at: &place) { records.append(record) }
        self.records = records
    }
}

/// One call, or a record of the campaign.
struct Record: Sendable {
    enum Kind: UInt32, Sendable {
        case open = 1
        case write, truncate, sync, rename, link, unlink, makeFolder, removeFolder
        /// Bytes before they are sent: `handle` is 1 for TCP, 2 for a Unix socket.
        case sent
        /// A call that cannot be replayed; `path` is its name.
        case unknown
        /// A durable file that the test put at `path`.
        case placed = 100
        case placedFolder
        /// An observation of the campaign, with its text in `path`.
        case mark
    }

    var kind: Kind
    var flags: UInt32 = 0
    /// Flags of `open`.
    static let (created, emptied, folder): (UInt32, UInt32, UInt32) = (1, 2, 4)
    /// A number for each open file.
    var handle: UInt64 = 0
    /// In bytes; the new length for `truncate`.
    var offset = 0
    /// Relative to the directory; empty for the directory itself.
    var path = ""
    var second = ""
    var data: [UInt8] = []

    /// The header's size: kind, flags, handle, offset, three lengths, and padding.
    private static let header = 40

    init(_ kind: Kind, _ path: String = "", second: String = "", handle: UInt64 = 0, flags: UInt32 = 0, offset: Int = 0, data: [UInt8] = [])
    {
        (self.kind, self.path, self.second, self.handle, self.flags) = (kind, path, second, handle, flags)
        (self.offset, self.data) = (offset, data)
    }

    /// Reads the record at `place` and advances it; nil without a complete record.
    init?(_ bytes: Data, at place: inout Int) {
        guard place + Self.header <= bytes.count else { return nil }
        let at = place
        func word<T: FixedWidthInteger>(_ offset: Int, _: T.Type) -> T {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at + offset, as: T.self) }.littleEndian
        }
        let lengths = [24, 28, 32].map { Int(word($0, UInt32.self)) }
        guard let kind = Kind(rawValue: word(0, UInt32.self)), at + Self.header + lengths.reduce(0, +) <= bytes.count else { return nil }
        self.kind = kind
        flags = word(4, UInt32.self)
        handle = word(8, UInt64.self)
        offset = Int(word(16, Int64.self))
        place += Self.header
        func part(_ length: Int) -> Data {
            place += length
            return bytes.subdata(in: place - length..<place)
        }
        path = String(decoding: part(lengths[0]), as: UTF8.self)
        second = String(decoding: part(lengths[1]), as: UTF8.self)
        data = [UInt8](part(lengths[2]))
    }

    var bytes: Data {
        var bytes = Data()
        func add(_ word: some FixedWidthInteger) { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
        add(kind.rawValue)
        add(flags)
        add(handle)
        add(Int64(offset))
        for length in [path.utf8.count, second.utf8.count, data.count, 0] { add(UInt32(length)) }
        return bytes + Data(path.utf8) + Data(second.utf8) + Data(data)
    }
}
