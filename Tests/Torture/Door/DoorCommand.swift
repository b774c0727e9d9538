import ArgumentParser
import Foundation

struct DoorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door", abstract: "Replay one part of the door campaign, or one input.",
        discussion: "A failure of `homing-torture run --only door` prints the options to use.")

    @Option(help: "The part: \(DoorParts.all.map { type(of: $0.part).name }.joined(separator: ", ")).") var part: String
    @Option(help: "The seed of all random choices.") var seed = UInt64.random(in: .min ... .max)
    @Option(help: "Only the input with this number (parts requests and configuration).") var number: UInt64?
    @Option(help: "The duration in seconds.") var seconds = 30.0
    /// The result file for a campaign that starts this as a subprocess.
    @Option(help: .hidden) var result: String?

    func run() async throws {
        guard let chosen = DoorParts.all.first(where: { type(of: $0.part).name == part })?.part else {
            throw ValidationError("--part: unknown part \(part)")
        }
        var outcome = Outcome("door", seed: seed)
        switch (chosen, number) {
        case (is HostileRequests, let number?): try await HostileRequests(only: number).run(until: .now, seed: seed, into: &outcome)
        case (is HostileConfiguration, let number?): try HostileConfiguration.replay(number, seed: seed)
        case (is HostileConfiguration, nil):
            try await HostileConfiguration(inThisProcess: true).run(until: .now + .seconds(seconds), seed: seed, into: &outcome)
        default: try await chosen.run(until: .now + .seconds(seconds), seed: seed, into: &outcome)
        }
        if let result { try JSONEncoder().encode(outcome).write(to: URL(fileURLWithPath: result)) }
        print(outcome)
        if !outcome.failures.isEmpty { throw ExitCode.failure }
    }
}
