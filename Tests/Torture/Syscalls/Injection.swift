import Glibc

/// A call of the daemon's that goes wrong: of which kind, with which error, and the how manyth.
struct Injection: Sendable, CustomStringConvertible {
    /// As CRecorder.h names it.
    var call: String
    /// The error's name; `pretended` where the call is not made and success is reported.
    var error: String
    /// The first one; counted from 1.
    var number: Int
    /// How many in turn.
    var count = 1
    /// Calls on other files do not count: held against the path below the state directory, as fnmatch(3) does; a socket is `tcp` or `unix`.
    var pattern = "*"
    /// How the life ends in which it goes wrong.
    var ending = Ending.stop

    /// For CRecorder.
    var environment: String { "\(call):\(pattern):\(Self.numbers[error] ?? 0):\(number):\(count)" }

    var description: String {
        "--call \(call) --error \(error) --number \(number)" + (count == 1 ? "" : " --count \(count)")
            + (pattern == "*" ? "" : " --pattern '\(pattern)'") + (ending == .stop ? "" : " --end \(ending.rawValue)")
    }

    static let numbers: [String: Int32] = [
        "EIO": EIO, "ENOSPC": ENOSPC, "EINTR": EINTR, "EMFILE": EMFILE, "ENOMEM": ENOMEM, "ECONNRESET": ECONNRESET, "EDQUOT": EDQUOT,
        "EROFS": EROFS, "pretended": 0,
    ]

    /// What is tried: each call, with what the system may say to it.
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
