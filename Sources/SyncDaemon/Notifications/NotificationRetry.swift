import Foundation

/// Decides what follows a try to send a notification. Pure.
struct NotificationRetry: Sendable {
    enum Outcome: Equatable, Sendable {
        case delivered
        /// The receiver answered with an error, or the connection broke while it might have answered.
        case failed(retryAfter: TimeInterval? = nil)
        /// The receiver will never accept it.
        case refused
        /// Nothing was sent. Does not count.
        case unreachable
    }

    enum Step: Equatable, Sendable {
        case remove
        case giveUp
        case countAndWait(attempts: Int, until: Date)
        case wait(until: Date)
    }

    /// Seconds after each counted try but the last: a day, since a problem is reported only once.
    static let delays: [TimeInterval] = [30, 300] + Array(repeating: 3600, count: 24)
    /// The longest time in seconds between two tries.
    static let longest: TimeInterval = 3600
    static let longestPause: TimeInterval = 600

    private var pause: TimeInterval = 5

    /// - Parameter attempts: counted before this try.
    mutating func step(after outcome: Outcome, attempts: Int, at now: Date) -> Step {
        switch outcome {
        case .delivered:
            pause = 5
            return .remove
        case .refused:
            pause = 5
            return .giveUp
        case .failed(let retryAfter):
            pause = 5
            guard Self.delays.indices.contains(attempts) else { return .giveUp }
            let delay = min(max(Self.delays[attempts], retryAfter ?? 0), Self.longest)
            return .countAndWait(attempts: attempts + 1, until: now + delay)
        case .unreachable:
            defer { pause = min(2 * pause, Self.longestPause) }
            return .wait(until: now + pause)
        }
    }
}
