import Foundation
import Glibc

/// A time in two parts: 64-bit nanoseconds end in 2262, and file times can exceed that.
struct FileTime: Hashable, Comparable, Sendable {
    /// Since 1970.
    var seconds: Int64
    var nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64 = 0) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }
    init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

    static func < (a: Self, b: Self) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

    /// In seconds.
    func since(_ earlier: FileTime) -> TimeInterval {
        (Double(seconds) - Double(earlier.seconds)) + (Double(nanoseconds) - Double(earlier.nanoseconds)) / 1e9
    }

    /// Accurate to about a microsecond.
    var date: Date { Date(timeIntervalSince1970: since(FileTime(seconds: 0))) }
}

extension stat {
    func hasContent(of other: stat) -> Bool { st_size == other.st_size && FileTime(st_mtim) == FileTime(other.st_mtim) }
}
