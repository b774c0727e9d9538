import ArgumentParser
import Foundation
import Simulation

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Drive the delivering core over the real outbox through made-up worlds, and check every guarantee after every event.",
        discussion: """
            Each world has a random part of all the kinds of faults: outages, lost answers, ended sessions, full disks, crashes, clocks that \
            jump. When a guarantee breaks, the steps that led there are made as few as possible and written to a file, which --events replays.
            """)

    @Option(help: "How many events at least, in all worlds together.") var count = 1_000_000
    @Option(help: "Exactly so many worlds instead; 1 lives through the world of --seed alone.") var worlds: Int?
    @Option(help: "What everything random is made of; else a new one each time.") var seed: UInt64?
    @Option(help: "Replay the steps in this file.") var events: String?
    @Option(help: "Where to write the steps that broke a guarantee.") var folder = NSTemporaryDirectory()
    @Option(help: "Take a guarantee away, which has to be noticed: \(Sabotage.allCases.map(\.rawValue).joined(separator: ", ")).")
    var sabotage: String?

    func run() async throws {
        if let events { return try await replay(events) }
        let seed = seed ?? .random(in: .min ... .max)
        let sabotage = try sabotage.map { name in
            guard let sabotage = Sabotage(rawValue: name) else {
                throw ValidationError("expected --sabotage with one of those that --help names")
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
        print("\(report.events) events in \(report.worlds) worlds in \(Int(seconds)) s (\(Int(Double(report.events) / seconds)) a second).")
        print(
            "\(report.acknowledged) entries, \(report.duplicates) effects too many, each recorded as uncertain before and not to be looked up."
        )
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
