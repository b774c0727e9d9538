import Foundation
import Synchronization

/// Runs worlds with consecutive seeds.
package struct Runner: Sendable {
    package let seed: UInt64
    package let sabotage: Sabotage?

    package init(seed: UInt64, sabotage: Sabotage? = nil) {
        self.seed = seed
        self.sabotage = sabotage
    }

    package struct Report: Sendable {
        package var worlds = 0
        package var events = 0
        package var acknowledged = 0
        package var duplicates = 0
        package var uncertainDuplicates = 0
        /// In seconds of simulated time.
        package var worstRecovery = 0.0
        package var faults: [String: Int] = [:]
        package var failures: [Failed] = []
    }

    package struct Failed: Sendable {
        /// A runner with this seed starts with this world.
        package let seed: UInt64
        package let recording: Recording
    }

    /// Twice the number of processors, since worlds wait for their store's thread.
    package static let atOnce = 2 * ProcessInfo.processInfo.activeProcessorCount

    /// Runs until `isEnough` returns true or enough worlds have failed.
    package func run(
        workers: Int = atOnce, atMost failures: Int = 3, until isEnough: @escaping @Sendable (Report) -> Bool
    ) async throws -> Report {
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<workers {
                group.addTask {
                    while let number = progress.next(atMost: failures, until: isEnough) {
                        let seed = seed &+ number
                        let (recording, world) = try await Recording.live(Plan(seed: seed), sabotage: sabotage)
                        progress.add(Sum(world), recording.violation.map { _ in Failed(seed: seed, recording: recording) })
                    }
                }
            }
            try await group.waitForAll()
        }
        return progress.report
    }

    private final class Progress: Sendable {
        private let state = Mutex((next: UInt64(0), report: Report()))

        var report: Report { state.withLock { $0.report } }

        /// Nil at the end.
        func next(atMost failures: Int, until isEnough: (Report) -> Bool) -> UInt64? {
            state.withLock { state in
                if state.report.failures.count >= failures || (state.report.worlds > 0 && isEnough(state.report)) { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        func add(_ sum: Sum, _ failed: Failed?) {
            state.withLock { state in
                sum.add(to: &state.report)
                if let failed { state.report.failures.append(failed) }
            }
        }
    }

    /// One world after another, so that the seed alone decides which one fails.
    package func firstFailure(within worlds: Int) async throws -> Failed? {
        try await run(workers: 1, atMost: 1) { $0.worlds >= worlds }.failures.first
    }

    private struct Sum: Sendable {
        let events, acknowledged, duplicates, uncertainDuplicates: Int
        let recovery: Double
        let faults: [String: Int]

        init(_ world: World) {
            events = world.events
            acknowledged = world.acknowledged
            (duplicates, uncertainDuplicates) = world.duplicates
            recovery = world.recovery
            faults = world.faults
        }

        func add(to report: inout Report) {
            report.worlds += 1
            report.events += events
            report.acknowledged += acknowledged
            report.duplicates += duplicates
            report.uncertainDuplicates += uncertainDuplicates
            report.worstRecovery = max(report.worstRecovery, recovery)
            report.faults.merge(faults, uniquingKeysWith: +)
        }
    }
}
