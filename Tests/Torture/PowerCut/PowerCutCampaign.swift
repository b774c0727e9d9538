import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization

/// Cuts the power at many moments of a recorded day, and checks the resulting images.
struct PowerCutCampaign: Campaign {
    static let name = "power-cut"

    /// The number of images; nil for as many as the time allows.
    var images: Int?
    /// The real daemon starts on one image in so many.
    var eachRealStart = 400

    /// Negative controls: syncs that the disk ignores.
    static let controls: [(without: String, disbelieves: @Sendable (String) -> Bool)] = [
        ("fdatasync of the write-ahead log (synchronous=OFF)", { $0.hasSuffix("-wal") }),
        ("fsync of folders", { $0.hasSuffix("/") }),
    ]

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        let scenario = try await PowerCutScenario()
        let tapes = try await scenario.tapes()
        var outcome = Outcome(Self.name, seed: seed)
        var generator = SplitMix64(seed: seed)
        for tape in tapes {
            outcome.acknowledged += try await acknowledged(in: tape)
            outcome.failures += LogOrder.faults(in: tape.records)
        }
        for control in Self.controls {
            outcome.controls.append(
                Outcome.Control(without: control.without, failedAsItShould: try await fails(tapes, control.disbelieves, &generator)))
        }
        let progress = Progress(outcome)
        var isFirst = true
        while isFirst || (images == nil && ContinuousClock.now < deadline) {
            for (number, tape) in tapes.enumerated() {
                var places = tape.places(using: &generator)
                if let images { places = Set(places.shuffled(using: &generator).prefix(images / tapes.count)) }
                try await pass(tape, number, places, seed: generator.next(), until: isFirst ? nil : deadline, progress, scenario)
            }
            isFirst = false
        }
        outcome = progress.outcome
        for (number, recorder) in [scenario.recorder].enumerated() where !outcome.failures.isEmpty {
            let kept = Self.keptTape(seed, number)
            try FileManager.default.copyItem(atPath: recorder.log ?? "", toPath: kept)
        }
        await scenario.lists.stop()
        await scenario.station.sandbox.stop()
        return outcome
    }

    static func keptTape(_ seed: UInt64, _ number: Int) -> String { "/tmp/homing-power-cut-\(seed)-\(number).tape" }

    private func acknowledged(in tape: PowerCutTape) async throws -> Int {
        var count = 0
        try await tape.cuts(after: [tape.records.count], number: 0, seed: 0) { cut in
            count = cut.promises.told.count
            return true
        }
        return count
    }

    private func fails(
        _ tapes: [PowerCutTape], _ disbelieves: @escaping @Sendable (String) -> Bool, _ generator: inout SplitMix64
    ) async throws -> Bool {
        for _ in 0..<5 {
            for tape in tapes {
                var hasFailed = false
                try await tape.cuts(
                    after: Set(tape.places(using: &generator).shuffled(using: &generator).prefix(200)), number: 0,
                    disbelieving: disbelieves, seed: generator.next()
                ) { cut in
                    hasFailed = try await !cut.problems().isEmpty
                    return !hasFailed
                }
                if hasFailed { return true }
            }
        }
        return false
    }

    private func pass(
        _ tape: PowerCutTape, _ number: Int, _ places: Set<Int>, seed: UInt64, until deadline: ContinuousClock.Instant?,
        _ progress: Progress,
        _ scenario: PowerCutScenario
    ) async throws {
        let campaign = progress.outcome.seed
        let eachRealStart = eachRealStart
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            try await tape.cuts(after: places, number: number, seed: seed) { cut in
                if running == 3 { try await group.next() } else { running += 1 }
                let image = progress.nextImage()
                group.addTask {
                    var problems = try await cut.problems()
                    // For a few images the daemon itself starts on the same image.
                    if image % eachRealStart == eachRealStart / 2 {
                        problems += try await DaemonCheck(scenario: scenario, cut: cut).problems()
                        progress.counted("real daemon started on an image")
                    }
                    progress.note(
                        problems,
                        replay:
                            "homing-torture power-cut --tape \(Self.keptTape(campaign, number)) --cut \(cut.cut) --image-seed \(cut.seed)")
                }
                return deadline.map { ContinuousClock.now < $0 } ?? true
            }
            try await group.waitForAll()
        }
    }

    final class Progress: Sendable {
        private let state: Mutex<Outcome>
        init(_ outcome: Outcome) { state = Mutex(outcome) }

        var outcome: Outcome { state.withLock { $0 } }

        func nextImage() -> Int {
            state.withLock { outcome in
                outcome.rounds += 1
                outcome.met("power cut")
                return outcome.rounds
            }
        }

        func counted(_ what: String) { state.withLock { $0.counted(what) } }

        func note(_ problems: [String], replay: String) {
            guard !problems.isEmpty else { return }
            let what = problems.joined(separator: "; ")
            state.withLock { outcome in
                outcome.lost += problems.count { $0.contains("lost") }
                // One cause shows in thousands of images.
                guard outcome.failures.count < 20, !outcome.failures.contains(where: { $0.hasPrefix(what) }) else { return }
                outcome.failures.append("\(what). Replay: \(replay)")
            }
        }
    }
}
