import Foundation
import Glibc

/// A time as a file system keeps it: any, from before the year 1 to long after 9999. It stays in its two parts, for nanoseconds in 64 bits end in
/// the year 2262.
struct FileTime: Hashable, Comparable, Sendable {
    /// Since 1970.
    var seconds: Int64
    var nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64 = 0) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }
    init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

    static func < (a: Self, b: Self) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

    /// How much later this is than `earlier`, in seconds.
    func since(_ earlier: FileTime) -> TimeInterval {
        (Double(seconds) - Double(earlier.seconds)) + (Double(nanoseconds) - Double(earlier.nanoseconds)) / 1e9
    }

    /// To about a microsecond.
    var date: Date { Date(timeIntervalSince1970: since(FileTime(seconds: 0))) }
}
