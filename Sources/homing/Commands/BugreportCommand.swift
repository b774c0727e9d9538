import ArgumentParser
import ControlAPI
import Foundation

struct BugreportCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugreport", abstract: "Write a report for the developers of Homing, without names or measurements.",
        discussion: """
            The report has numbers, yes or no, and words of fixed lists: versions, settings, counts of entries and events, the states of \
            sessions, and the results of ‘homing doctor’. It has no names, addresses, ids, messages of servers, payloads or file names. \
            Lines of the log are left out, because they may contain names. Settings, and the results about the network and files, need an \
            administrator: sudo homing bugreport

            Shows the report, asks, and then writes it to a new file. Sends nothing. The report is JSON with and without --json.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A new file, or ‘-’ for standard output.", valueName: "path"),
        completion: .file())
    var output = "homing-bugreport.json"
    @Flag(name: .shortAndLong, help: "Do not ask before the file is written.") var yes = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output is empty; expected a path.") }
    }

    func run(_ context: Context) async throws {
        let confirmation = Confirmation(console: context.console, skipped: yes)
        var mustAsk = false
        if output != "-" {
            try ExportFile.requireAbsent(output)
            mustAsk = try confirmation.isNeeded
        }
        let text = await report(context).text
        context.console.write(text)
        guard output != "-" else { return }
        if mustAsk {
            try confirmation.ask("This is the whole report.", "Write it to \(output.printable)? [y/N] ") {
                ["y", "yes"].contains($0.lowercased())
            }
        }
        try ExportFile.write(Data("\(text)\n".utf8), to: output)
        context.console.warn("The report is in \(output.printable). Lines of the log are left out, because they may contain names.")
    }

    private func report(_ context: Context) async -> BugReport {
        let facts = await DoctorFacts.gathered(context)
        var events = EventCounts()
        if case .success(let status) = facts.status { events = await EventCounts(from: context.client, upTo: status.cursor) }
        let findings = Doctor(facts: facts, times: context.times).findings
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let kernel = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return BugReport(facts, findings: findings, events: events, kernel: kernel, now: context.times.now)
    }
}
