import SyncModel

/// What interrupts `homingd restore`.
enum RestoreFault: String, CaseIterable, Sendable {
    case aMoment = "a restore killed at any moment"
    case aCall = "a restore killed at a file operation"
    case aFailure = "a file operation of a restore failed"

    /// The calls of a restore, and the most that one makes of each.
    private static let calls: [(call: String, counts: Int)] = [
        ("create", 3), ("write", 80), ("sync", 6), ("rename", 2), ("unlink", 20), ("truncate", 2),
    ]

    private static let failures: [(call: String, errors: [String], counts: Int)] = [
        ("write", ["ENOSPC", "EIO"], 4), ("pwrite64", ["ENOSPC", "EIO"], 60), ("pread64", ["EIO"], 40), ("openat", ["EMFILE", "EIO"], 12),
        ("fsync", ["EIO"], 5), ("rename", ["EIO", "ENOSPC"], 2),
    ]

    /// For RECORDER_KILL (CRecorder.h).
    static func place(using dice: inout SplitMix64) -> String {
        let (call, counts) = calls[Int.random(in: 0..<calls.count, using: &dice)]
        return "\(call):\(Bool.random(using: &dice) ? "before" : "after"):*:\(Int.random(in: 1...counts, using: &dice))"
    }

    static func failure(using dice: inout SplitMix64) -> Injection {
        let (call, errors, counts) = failures[Int.random(in: 0..<failures.count, using: &dice)]
        return Injection(
            call: call, error: errors[Int.random(in: 0..<errors.count, using: &dice)], number: Int.random(in: 1...counts, using: &dice),
            count: Bool.random(using: &dice) ? 1 : 99_999)
    }
}
