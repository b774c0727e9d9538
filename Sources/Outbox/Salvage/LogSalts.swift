/// Two numbers in each frame of a write-ahead log that tell its frames from those of the logs before it, which it is written over. They are
/// no part of the checksum.
struct LogSalts: Hashable {
    private let first, second: UInt32

    /// Logs that a file may have held one after the other.
    private static let mostLogs: UInt32 = 1 << 16

    /// - Parameter bytes: 8 of them.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        (first, second) = (UInt32(bytes.number(at: 0)), UInt32(bytes.number(at: 4)))
    }

    /// Whether they are the same, or one of the two has changed: no two logs of a file share one.
    func areLike(_ other: LogSalts) -> Bool { first == other.first || second == other.second }

    /// With each log of a file the first one grows by one, and the second one is drawn anew.
    func areOlder(than other: LogSalts) -> Bool {
        second != other.second && (1...Self.mostLogs).contains(other.first &- first)
    }
}
