/// Two numbers that distinguish a frame from those of earlier logs in the file. The checksum does not cover them.
struct LogSalts: Hashable {
    private let first, second: UInt32

    private static let mostLogs: UInt32 = 1 << 16

    /// - Parameter bytes: 8 of them.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        (first, second) = (UInt32(bytes.number(at: 0)), UInt32(bytes.number(at: 4)))
    }

    /// True if at most one has changed: no two logs of a file share one.
    func areLike(_ other: LogSalts) -> Bool { first == other.first || second == other.second }

    /// True for the salts of an earlier log: SQLite increments the first one for each new log; the second is random.
    func areOlder(than other: LogSalts) -> Bool {
        second != other.second && (1...Self.mostLogs).contains(other.first &- first)
    }
}
