import ArgumentParser
import Foundation
import Simulation

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Drive the delivery core and the real outbox through random worlds, and check every guarantee after every event.",
        discussion: """
            Each world has a random selection of faults: outages, lost answers, ended sessions, full disks, crashes and clock jumps. When \
            a guarantee breaks, the steps that led there are reduced to as few as possible and written to a file. --events replays it.
            """)

    @Option(help: "The least number of events, in all worlds together.") var count = 1_000_000
    @Option(help: "The exact number of worlds, instead of --count; 1 runs only the world of --seed.") var worlds: Int?
    @Option(help: "The seed of all random choices. Default: a new one each time.") var seed: UInt64?
    @Option(help: "Replay the steps in this file.") var events: String?
    @Option(help: "The folder for the steps that broke a guarantee.") var folder = NSTemporaryDirectory()
    @Option(help: "Remove a guarantee; the simulation must notice: \(Sabotage.allCases.map(\.rawValue).joined(separator: ", ")).")
    var sabotage: String?

    func run() async throws {
        if let events { return try await replay(events) }
        let seed = seed ?? .random(in: .min ... .max)
        let sabotage = try sabotage.map { name in
            guard let sabotage = Sabotage(rawValue: name) else {
                throw ValidationError("--sabotage: expected one of the values in --help")
            }
            return sabotage
        }
        let begin = ContinuousClock.now
        print("Simulating, seed \(seed) ...")
        let report = try await Runner(seed: seed, sabotage: sabotage).run(workers: min(Runner.atOnce, worlds ?? .max)) {
            [count, worlds] report in
            worlds.map { report.worlds >= $0 } ?? (report.events >= count)
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        print("\(report.events) events in \(report.worlds) worlds in \(Int(seconds)) s (\(Int(Double(report.events) / seconds))/s).")
        print(
            "\(report.acknowledged) entries, \(report.duplicates) duplicates, each recorded as uncertain, at backends without a look-up.")
        for failed in report.failures { try await tell(failed) }
        if !report.failures.isEmpty { throw ExitCode.failure }
    }

    private func tell(_ failed: Runner.Failed) async throws {
        print("Broken: \(failed.recording.violation?.description ?? "")")
        let sabotage = sabotage.map { " --sabotage \($0)" } ?? ""
        print("  replay: homing-torture simulate --worlds 1 --seed \(failed.seed)\(sabotage)")
        print("  shrunk: \(try await Failures.keep(failed, in: folder))")
    }

    private func replay(_ file: String) async throws {
        let recording = try Recording(text: String(contentsOfFile: file, encoding: .utf8))
        let (violation, world) = try await recording.replay()
        print("\(recording.steps.count) steps, \(world.events) events")
        guard let violation else { return print("Every guarantee held.") }
        print("Broken: \(violation)")
        throw ExitCode.failure
    }
}
