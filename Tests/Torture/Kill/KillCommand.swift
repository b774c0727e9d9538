import ArgumentParser
import Foundation

struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill", abstract: "Replay the kills of one station, or kill at one place only.",
        discussion: "A failure of `homing-torture run --only kill` prints the options to use. A replay repeats the places, not the timing.")

    @Option(help: "The seed of the station.") var seed = UInt64.random(in: .min ... .max)
    @Option(help: "The number of rounds.") var rounds = 60
    @Option(help: ArgumentHelp("Kill at this place only.", valueName: "name")) var point: String?

    func validate() throws {
        guard let point, !FailPoint.later.contains(where: { $0.name == point }) else { return }
        throw ValidationError("--point: expected one of: \(FailPoint.later.map(\.name).joined(separator: "; "))")
    }

    func run() async throws {
        let campaign = KillCampaign(rounds: rounds, stations: 1, only: point)
        let outcome = try await campaign.replay(seed: seed, until: .now + .seconds(3600))
        for (what, count) in outcome.faults.merging(outcome.counts, uniquingKeysWith: +).sorted(by: { $0.key < $1.key }) {
            print("\(count) × \(what)")
        }
        for failure in outcome.failures { print(failure) }
        if !outcome.failures.isEmpty { throw ExitCode.failure }
    }
}
