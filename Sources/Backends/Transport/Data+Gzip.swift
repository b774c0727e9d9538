import CCompression
import Foundation

extension Data {
    /// The gzip form (RFC 1952); nil below 1 KiB, or if it is not smaller. Deterministic.
    var gzipped: Data? {
        guard count >= 1 << 10 else { return nil }
        var room = Data(count: count - 1)
        let size = room.withUnsafeMutableBytes { room in
            withUnsafeBytes { homing_gzip($0.baseAddress, $0.count, room.baseAddress, room.count) }
        }
        // A copy, because `room` is larger.
        return size > 0 ? Data(room.prefix(size)) : nil
    }
}
