import ArgumentParser
import Foundation

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure submissions, deliveries near and far, outages, long queues, many people, large documents, idling, the page.")

    @Option(help: "The folder with homingd, homing and homing-sandbox.") var programs: String
    @Option(
        help: """
            A folder with another build of homingd and homing, to measure in turns. If that cannot read the profiles of this project, the folder \
            must have its own breathesafe.yaml and lists.yaml.
            """)
    var beside: String?
    @Option(help: "The number of turns of each build (default: 3; 2 with --quick).") var rounds: Int?
    @Flag(help: "Measure small numbers for a short time.") var quick = false
    @Option(help: "The folder with libSyncCount.so.") var counter: String
    @Option(help: "Write the figures to this file, as JSON.") var json: String
    @Option(help: "Write the table to this file, as Markdown.") var markdown: String?
    @Option(
        name: .customLong("only"), help: "Measure only this part; repeatable: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).")
    var parts: [Part] = []
    @Option(help: "The longest queue to measure (default: 1000000; 1000 with --quick).") var longest: Int?
    @Option(help: "The seconds to measure each rate (default: 5; 1 with --quick).") var seconds: Double?

    func validate() throws {
        if let rounds, rounds < 2 { throw ValidationError("A comparison needs at least 2 rounds.") }
    }

    func run() async throws {
        let longest = self.longest ?? (quick ? 1000 : 1_000_000)
        let tools = Tools(
            programs: programs, sandbox: programs + "/homing-sandbox", counter: counter, seconds: seconds ?? (quick ? 1 : 5), isQuick: quick
        )
        let turns = Turns(tools: tools, beside: beside, rounds: rounds ?? (quick ? 2 : 3))
        var report = Report()
        for part in parts.isEmpty ? Part.allCases : parts {
            FileHandle.standardError.write(Data("measuring: \(part.rawValue)\n".utf8))
            for measure in part.measurements(longest: longest) {
                report += try await part.isSpeed ? turns.rows(of: measure) : measure(tools)
            }
        }
        try report.json.write(to: URL(fileURLWithPath: json))
        if let markdown { try report.markdown.write(toFile: markdown, atomically: true, encoding: .utf8) }
        print(report.table)
        if report.rows.contains(where: { $0.isMet == false }) { print("\nSome targets were missed; see the last column.") }
    }
}

struct Tools: Sendable {
    /// The folder with homingd and homing.
    var programs: String
    let sandbox: String
    let counter: String
    let seconds: Double
    let isQuick: Bool
}
