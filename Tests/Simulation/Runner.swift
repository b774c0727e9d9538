import Foundation
import Synchronization

/// Lives through worlds, each of its own seed, on every processor.
package struct Runner: Sendable {
    package let seed: UInt64
    package let sabotage: Sabotage?

    package init(seed: UInt64, sabotage: Sabotage? = nil) {
        self.seed = seed
        self.sabotage = sabotage
    }

    /// Where worlds keep their files: memory, where the system has such a folder, so that a flush costs nothing.
    package static let folder = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"

    /// What the worlds came to.
    package struct Report: Sendable {
        package var worlds = 0
        package var events = 0
        package var acknowledged = 0
        package var duplicates = 0
        package var uncertainDuplicates = 0
        /// Seconds of the worlds' time.
        package var worstRecovery = 0.0
        package var faults: [String: Int] = [:]
        package var failures: [Failed] = []
    }

    /// A world in which a guarantee was broken.
    package struct Failed: Sendable {
        /// With this seed, a runner lives through it as its first world.
        package let seed: UInt64
        package let recording: Recording
    }

    /// Worlds for the processors to work at: twice as many, since a world often waits for a thread of its store.
    package static let atOnce = 2 * ProcessInfo.processInfo.activeProcessorCount

    /// World after world, so many at once, until `isEnough` says so of what there is, or so many have failed.
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

        /// The number of the next world; nil where there are enough.
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

    /// Whether worlds notice what the sabotage takes away: the first failure within so many worlds.
    package func firstFailure(within worlds: Int) async throws -> Failed? {
        try await run(atMost: 1) { $0.worlds >= worlds }.failures.first
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
