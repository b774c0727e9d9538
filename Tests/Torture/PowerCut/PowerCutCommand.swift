import ArgumentParser
import Foundation

struct PowerCutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power-cut", abstract: "Replay one power cut at which a run failed.",
        discussion: "A failure of `homing-torture run --only power-cut` prints the options to use.")

    @Option(help: ArgumentHelp("The recording.", valueName: "file")) var tape: String
    @Option(help: ArgumentHelp("The number of records before the cut.", valueName: "number")) var cut: Int
    @Option(help: "The seed that chooses the writes that reached the disk.") var imageSeed: UInt64
    @Option(help: ArgumentHelp("Also write the state after the cut to this folder.", valueName: "folder")) var into: String?

    func run() async throws {
        let tape = PowerCutTape(try DiskLog(log: tape))
        var problems: [String] = []
        try await tape.cuts(after: [cut], number: 0, seed: 0) { found in
            let cut = PowerCut(
                tape: 0, cut: found.cut, seed: imageSeed, disk: found.disk, promises: found.promises, taken: found.taken)
            if let into { try cut.image().write(to: into) }
            for (number, record) in tape.records.enumerated() where abs(number - found.cut) <= 12 {
                let place = number == found.cut ? "→" : " "
                print("\(place) \(number) \(record.kind) \(record.path) \(record.second) \(record.offset)+\(record.data.count)")
            }
            problems = try await cut.problems()
            return false
        }
        for problem in problems { print(problem) }
        if !problems.isEmpty { throw ExitCode.failure }
    }
}
