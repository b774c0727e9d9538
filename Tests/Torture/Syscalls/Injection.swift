import Glibc

struct Injection: Sendable, CustomStringConvertible {
    /// A name from CRecorder.h.
    var call: String
    /// The error's name; `pretended` reports success without the call.
    var error: String
    /// The first failing call, from 1.
    var number: Int
    /// The number of consecutive failures.
    var count = 1
    /// Counts only matching files: an fnmatch(3) pattern for the path below the state directory, or for `tcp` or `unix`.
    var pattern = "*"
    var ending = Ending.stop

    /// The value of RECORDER_FAIL.
    var environment: String { "\(call):\(pattern):\(Self.numbers[error] ?? 0):\(number):\(count)" }

    var description: String {
        "--call \(call) --error \(error) --number \(number)" + (count == 1 ? "" : " --count \(count)")
            + (pattern == "*" ? "" : " --pattern '\(pattern)'") + (ending == .stop ? "" : " --end \(ending.rawValue)")
    }

    static let numbers: [String: Int32] = [
        "EIO": EIO, "ENOSPC": ENOSPC, "EINTR": EINTR, "EMFILE": EMFILE, "ENOMEM": ENOMEM, "ECONNRESET": ECONNRESET, "EDQUOT": EDQUOT,
        "EROFS": EROFS, "pretended": 0,
    ]

    static let kinds: [(call: String, errors: [String])] = [
        ("fdatasync", ["EIO", "ENOSPC", "EINTR"]), ("fsync", ["EIO", "ENOSPC", "EINTR"]),
        ("pwrite64", ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR"]), ("write", ["EIO", "ENOSPC", "EINTR"]), ("pread64", ["EIO", "EINTR"]),
        ("read", ["EIO", "EINTR"]), ("ftruncate", ["EIO", "ENOSPC", "EINTR"]), ("fallocate", ["EIO", "ENOSPC", "EINTR"]),
        ("openat", ["EIO", "ENOSPC", "EROFS", "EINTR", "EMFILE", "ENOMEM"]), ("rename", ["EIO", "ENOSPC", "EROFS"]),
        ("link", ["EIO", "ENOSPC"]), ("unlink", ["EIO", "EROFS"]), ("mkdir", ["EIO", "ENOSPC", "EROFS"]), ("mmap", ["ENOMEM"]),
        ("socket", ["EMFILE", "ENOMEM"]),
        ("connect", ["EINTR", "ENOMEM"]), ("accept4", ["EINTR", "EMFILE", "ENOMEM", "ECONNRESET"]),
        ("send", ["EIO", "EINTR", "ENOMEM", "ECONNRESET"]), ("recv", ["EIO", "EINTR", "ENOMEM", "ECONNRESET"]),
    ]
}
