import Foundation
import Outbox
import SystemPackage

/// The faults of the drop folder: decides which to log and to report, and when to try again. `Spool` looks at the files.
struct SpoolFaults {
    /// The faults that the last sweep found.
    struct Report: Sendable {
        /// Files that could not be taken, or all files if a large one has no room. `waiting` of them also count as waiting.
        var stuck: (count: Int, waiting: Int, example: StuckFile?) = (0, 0, nil)
        /// Why the sweep stopped early, other than for lack of room in the outbox.
        var failure: String?
    }

    private(set) var report = Report()
    /// Files that cannot be taken, stored or moved aside.
    private var stuck: [FilePath: StuckFile.Cause] = [:]
    /// The large file that stopped this sweep for lack of room.
    private var withoutRoom: FilePath?
    /// A file was not found in this sweep.
    private var hasLostFile = false
    private var lastFailure: String?
    private var pause = SpoolFaults.pauses.lowerBound

    /// Before the next sweep, in seconds; doubles after each failed sweep.
    static let pauses = 1.0...30

    mutating func beginSweep() { (hasLostFile, withoutRoom) = (false, nil) }

    /// Forgets special files that a survey no longer finds.
    mutating func forgetUnfit(besides unfit: [FilePath: StuckFile.Cause]) {
        stuck = stuck.filter { $0.value.isFailure || unfit[$0.key] != nil }
    }

    /// Notes a file that cannot be taken. True if the cause is new and must be logged.
    mutating func note(_ path: FilePath, _ cause: StuckFile.Cause, exists: Bool) -> Bool {
        if cause.isForWantOfRoom { withoutRoom = path }
        guard exists else {
            // It may have been removed meanwhile, or its folder does not open either. The next sweep shows which.
            if cause.isFailure { hasLostFile = true }
            return false
        }
        return stuck.updateValue(cause, forKey: path) != cause
    }

    /// Notes why a sweep stopped early. Returns the text to log, once for each failure.
    mutating func stop(because error: any Error) -> String? {
        let cause: any Error = if case IntakeError.outbox(let inner) = error { inner } else { error }
        let text = "\(cause)"
        defer { lastFailure = text }
        let (isWantOfRoom, isGone) =
            switch cause {
            case OutboxError.full, OutboxError.overLimit, OutboxError.neverFits: (true, false)
            case OutboxError.gone: (false, true)
            default: (false, false)
            }
        report.failure = isWantOfRoom || isGone ? nil : text
        // The daemon logs that the store is gone, and `Spool.note` logs a large file without room.
        guard !isGone, lastFailure != text, !isWantOfRoom || withoutRoom == nil else { return nil }
        return text
    }

    /// The sweep did not stop early.
    mutating func succeed() { (lastFailure, report.failure) = (nil, nil) }

    /// Ends a sweep and renews the report. Returns the seconds until the next one; nil if no fault needs one.
    ///
    /// - Parameters:
    ///   - hasStopped: the sweep has stopped early.
    ///   - waiting: the number of all waiting files.
    mutating func endSweep(hasStopped: Bool, users: FilePath, waiting: () -> Int, exists: (FilePath) -> Bool) -> TimeInterval? {
        stuck = stuck.filter { exists($0.key) && (!$0.value.isForWantOfRoom || $0.key == withoutRoom) }
        // Special files may be there on purpose, so they come last.
        let files = stuck.map { (rank: $0.value.rank, file: StuckFile($0.key, $0.value, users: users)) }
        let example = files.min { ($0.rank, $0.file.path) < ($1.rank, $1.file.path) }?.file
        let failed = stuck.values.count(where: \.isFailure)
        let blocked = withoutRoom == nil ? failed : waiting()
        report.stuck = (files.count - failed + blocked, blocked, example)
        guard hasStopped || hasLostFile || stuck.values.contains(where: { !$0.endsWithEvent }) else {
            pause = Self.pauses.lowerBound
            return nil
        }
        defer { pause = min(2 * pause, Self.pauses.upperBound) }
        return pause
    }
}
