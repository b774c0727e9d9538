import ArgumentParser
import ControlAPI
import Foundation

struct PauseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing for a while. What is captured is taken in as ever.",
        discussion: """
            What is being sent is finished; everything else waits until the pause is over or ‘homing resume’ ends it. Pausing again replaces \
            the pause there is. Without --for and --until it has no end.
            """)

    @Option(name: .customLong("for"), help: ArgumentHelp("For how long, like 90m, 2h or 3d.", valueName: "duration"))
    var length: LengthOfTime?
    @Option(
        help: ArgumentHelp("Until when, like 18:00 (the next one), 2025-03-11 or ‘2025-03-11 14:00’.", valueName: "time"))
    var until: PointInTime?
    @Option(help: ArgumentHelp("Why, in plain words, for whoever looks at the status.", valueName: "text")) var reason: String
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if length != nil && until != nil { throw ValidationError("Give either --for or --until, not both.") }
        if reason.trimmingCharacters(in: .whitespaces).isEmpty { throw ValidationError("The reason is empty; say why in plain words.") }
    }

    func run(_ context: Context) async throws {
        let times = context.times
        let end = try until?.date(after: times.now, in: times.timeZone) ?? length.map { times.now.addingTimeInterval($0.seconds) }
        let list = try await context.client.call(
            Endpoints.pause, PauseRequest(backend: target.backend, reason: reason, until: end))
        context.answer(list, PauseReportText(times: times).paused(list))
    }
}
