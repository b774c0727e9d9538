import ArgumentParser
import ControlAPI
import Foundation

struct PauseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause sending. Homing still accepts captures.",
        discussion: """
            Requests already in progress are finished. All other entries wait until the pause ends or you run ‘homing resume’. \
            A new pause replaces the current one. Without --for or --until, a pause has no end.
            """)

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long to pause, such as 90m, 2h or 3d.", valueName: "duration"),
        transform: LengthOfTime.parse)
    var length: LengthOfTime?
    @Option(
        help: ArgumentHelp("When the pause ends, such as 18:00 (the next one), 2025-03-11 or ‘2025-03-11 14:00’.", valueName: "time"),
        transform: PointInTime.parse)
    var until: PointInTime?
    @Option(help: ArgumentHelp("The reason in plain words; the status shows it.", valueName: "text")) var reason: String
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if length != nil && until != nil { throw ValidationError("Give either --for or --until, not both.") }
        if reason.trimmingCharacters(in: .whitespaces).isEmpty { throw ValidationError("The reason is empty; give one in plain words.") }
    }

    func run(_ context: Context) async throws {
        let times = context.times
        let end = try until?.date(after: times.now, in: times.timeZone) ?? length.map { times.now.addingTimeInterval($0.seconds) }
        let list = try await context.client.call(
            Endpoints.pause, PauseRequest(backend: target.backend, reason: reason, until: end))
        context.answer(list, PauseReportText(times: times).paused(list))
    }
}
