import SyncModel

/// What happens while the keys are changed.
enum RotationFault: String, CaseIterable, Sendable {
    case none = "changes of the keys under load"
    case daemonDiesAtAStep = "the daemon killed at a step of a change"
    case stoppedDiesAtAStep = "the command of a stopped station killed at a step of a change"
    case daemonDiesAtAMoment = "the daemon killed at any moment of a change"
    case sealingDies = "the daemon killed while it seals the data again"
    case stoppedDiesAtAMoment = "the command of a stopped station killed at any moment"
    case commandDiesAtAMoment = "the command of a running station killed at any moment"
    case daemonFails = "a file operation of a change failed in the daemon"
    case stoppedFails = "a file operation of a change failed in the command of a stopped station"
    case again = "two changes, and the daemon killed in the second one"

    /// True if the daemon is stopped meanwhile.
    var isOfAStoppedStation: Bool { [.stoppedDiesAtAStep, .stoppedDiesAtAMoment, .stoppedFails].contains(self) }

    private static let wal = "outbox.sqlite-wal"
    private static let keyring = "homing.keyring"
    private static let keyringRenamed = "rename:after:\(keyring):1"
    private static let keyRenamed = "rename:after:homing.key:1"
    /// After both names of the last step.
    private static let last = "\(keyRenamed);\(keyringRenamed)"

    /// The steps in order, with `#` for a count (CRecorder.h).
    private static let steps: [(steps: String, counts: Int)] = [
        ("create:before:\(keyring).tmp:1", 1), ("write:after:\(keyring).tmp:1", 1), ("sync:before:\(keyring).tmp:1", 1),
        ("rename:before:\(keyring):1", 1), (keyringRenamed, 1),
        ("\(keyringRenamed);write:before:\(wal):#", 4), ("\(keyringRenamed);sync:before:\(wal):1", 1),
        ("\(keyringRenamed);sync:after:\(wal):1", 1),
        ("create:before:homing.key.tmp:1", 1), ("write:after:homing.key.tmp:1", 1), ("sync:after:homing.key.tmp:1", 1),
        ("rename:before:homing.key:1", 1), (keyRenamed, 1),
        ("\(keyRenamed);sync:before:\(keyring).tmp:1", 1), ("\(keyRenamed);rename:before:\(keyring):1", 1), (last, 1),
        ("\(last);write:before:\(wal):#", 4), ("\(last);sync:before:\(wal):1", 1), ("\(last);sync:after:\(wal):1", 1),
    ]

    /// While the rows are sealed again, and when the earlier data keys are dropped.
    private static let sealing: [(steps: String, counts: Int)] = [
        ("\(last);write:before:\(wal):#", 60), ("\(last);sync:before:\(wal):#", 20), ("\(last);sync:after:\(wal):#", 20),
        ("\(last);rename:before:\(keyring):1", 1), ("\(last);\(keyringRenamed)", 1),
        ("\(last);\(keyringRenamed);sync:before:\(wal):1", 1), ("\(last);\(keyringRenamed);sync:after:\(wal):1", 1),
        ("\(last);\(keyringRenamed);truncate:before:\(wal):1", 1), ("\(last);\(keyringRenamed);truncate:after:\(wal):1", 1),
    ]

    /// For RECORDER_KILL; nil for nowhere.
    func place(using dice: inout SplitMix64) -> String? {
        switch self {
        case .daemonDiesAtAStep, .stoppedDiesAtAStep: Self.drawn(Self.steps, using: &dice)
        case .sealingDies: Self.drawn(Self.sealing, using: &dice)
        case .again: "\(Self.last);" + Self.drawn(Self.steps, using: &dice)
        default: nil
        }
    }

    private static let failures: [(call: String, errors: [String], counts: Int, pattern: String)] = [
        ("openat", ["ENOSPC", "EROFS", "EMFILE"], 2, "homing.key*.tmp"), ("write", ["ENOSPC", "EIO"], 2, "homing.key*.tmp"),
        ("fsync", ["ENOSPC", "EIO"], 3, "homing.key*.tmp"), ("rename", ["EIO", "EROFS", "ENOSPC"], 2, "homing.key*"),
        ("pwrite64", ["ENOSPC"], 20, wal),
    ]

    /// The calls that fail; nil for none.
    func failure(using dice: inout SplitMix64) -> Injection? {
        guard self == .daemonFails || self == .stoppedFails else { return nil }
        let (call, errors, counts, pattern) = Self.failures[Int.random(in: 0..<Self.failures.count, using: &dice)]
        return Injection(
            call: call, error: errors[Int.random(in: 0..<errors.count, using: &dice)], number: Int.random(in: 1...counts, using: &dice),
            count: Int.random(in: 1...3, using: &dice), pattern: pattern)
    }

    private static func drawn(_ places: [(steps: String, counts: Int)], using dice: inout SplitMix64) -> String {
        let place = places[Int.random(in: 0..<places.count, using: &dice)]
        return place.steps.replacing("#", with: "\(Int.random(in: 1...place.counts, using: &dice))")
    }
}
