import ArgumentParser
import Foundation

struct DoorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door", abstract: "Try one way to the door again, or one input only.",
        discussion: "A failure of `homing-torture run --only door` says with what.")

    @Option(help: "One of: \(DoorParts.all.map { type(of: $0.part).name }.joined(separator: ", ")).") var part: String
    @Option(help: "What everything random is made of.") var seed = UInt64.random(in: .min ... .max)
    @Option(help: "Only the input of this number: of the parts requests and configuration.") var number: UInt64?
    @Option(help: "For how many seconds.") var seconds = 30.0
    /// The result file for a campaign that starts this as a subprocess.
    @Option(help: .hidden) var result: String?

    func run() async throws {
        guard let chosen = DoorParts.all.first(where: { type(of: $0.part).name == part })?.part else {
            throw ValidationError("--part: there is no part called \(part)")
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
