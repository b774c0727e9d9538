import Foundation
import SyncModel
import Synchronization

/// A clock that only tests advance.
package final class TestClock: SyncClock {
    private struct Sleeper {
        let deadline: Date
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var now: Date
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var next = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// The number of sleeps so far.
        var slept = 0
    }
    private let state: Mutex<State>

    package init(_ now: Date = Date(timeIntervalSince1970: 1_765_000_000)) { state = Mutex(State(now: now)) }

    package var now: Date { state.withLock(\.now) }

    package var slept: Int { state.withLock(\.slept) }

    package func sleep(from begin: Date, until deadline: Date) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    state.slept += 1
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
                tellWatchers()
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time and resumes due sleepers.
    package func advance(to date: Date) {
        let woken = state.withLock { state in
            state.now = max(state.now, date)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Sets the time, also backwards, without resuming sleepers.
    package func step(to date: Date) { state.withLock { $0.now = date } }

    package func advance(by seconds: TimeInterval) { advance(to: now.addingTimeInterval(seconds)) }

    /// Waits for more than `count` sleeps in total.
    package func sleeps(after count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.slept > count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func tellWatchers() {
        let told = state.withLock { state in
            let told = state.watchers.filter { $0.count < state.slept }
            state.watchers.removeAll { $0.count < state.slept }
            return told
        }
        for watcher in told { watcher.continuation.resume() }
    }
}
