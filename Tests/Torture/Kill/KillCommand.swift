import ArgumentParser
import Foundation

struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill", abstract: "Live through one station's kills again, or kill at one place only.",
        discussion: "A failure of `homing-torture run --only kill` says with what. The places are the same again, the clock is not.")

    @Option(help: "The station's.") var seed = UInt64.random(in: .min ... .max)
    @Option(help: "How many rounds.") var rounds = 60
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
