import ArgumentParser
import Foundation

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure homingd: submissions, deliveries, long queues, many people, large documents, idling, distant backends.")

    @Option(help: "The folder with homingd and homing-sandbox.") var programs: String
    @Option(help: "The folder with libSyncCount.so.") var counter: String
    @Option(help: "Write the figures to this file, as JSON.") var json: String
    @Option(help: "Write the table to this file, as Markdown.") var markdown: String?
    @Option(
        name: .customLong("only"), help: "Measure only this part; repeatable: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).")
    var parts: [Part] = []
    @Option(help: "The longest queue to measure.") var longest = 1_000_000
    @Option(help: "The seconds to measure each rate.") var seconds = 5.0

    enum Part: String, CaseIterable, ExpressibleByArgument { case submit, deliver, apart, queue, people, large, idle, distance }

    func run() async throws {
        let tools = Tools(programs: programs, counter: counter, seconds: seconds)
        var report = Report()
        for part in parts.isEmpty ? Part.allCases : parts {
            FileHandle.standardError.write(Data("measuring: \(part.rawValue)\n".utf8))
            switch part {
            case .submit: report += try await Submissions(tools: tools).measure()
            case .deliver: report += try await Deliveries(tools: tools).measure()
            case .apart: report += try await Apart(tools: tools).measure()
            case .queue: report += try await LongQueue(tools: tools, longest: longest).measure()
            case .people: report += try await LongLists(tools: tools, entries: max(longest, LongLists.people)).measure()
            case .large: report += try await LargeDocuments(tools: tools).measure()
            case .idle: report += try await Idling(tools: tools).measure()
            case .distance: report += try await Distance(tools: tools).measure()
            }
        }
        try report.json.write(to: URL(fileURLWithPath: json))
        if let markdown { try report.markdown.write(toFile: markdown, atomically: true, encoding: .utf8) }
        print(report.table)
        if report.rows.contains(where: { $0.isMet == false }) { print("\nSome targets were missed; see the last column.") }
    }
}

struct Tools: Sendable {
    let programs: String
    let counter: String
    let seconds: Double
}
