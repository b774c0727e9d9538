import ArgumentParser
import ControlAPI
import Foundation

struct CheckCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the station for a monitoring system, such as Nagios, Icinga or Zabbix.",
        discussion: """
            Prints one line with performance data, and exits with 0 (OK), 1 (WARNING), 2 (CRITICAL) or 3 (UNKNOWN), as monitoring \
            plugins do. A problem that needs a person is a warning. It is critical if captures are refused, or if nothing is delivered \
            until an administrator acts. It is also critical if the daemon is not running. If the daemon gives no answer, the state is \
            unknown. The line has no names of people. With --json, prints an object with state, text and figures.

            For the cause of a problem, run: homing doctor
            """)

    @Option(
        help: ArgumentHelp("Warn if an entry has waited longer than this, such as 30m or 2d; the default is 1h.", valueName: "duration"),
        transform: LengthOfTime.parse)
    var warningAge: LengthOfTime?
    @Option(
        help: ArgumentHelp("Critical if an entry has waited longer than this; the default is 24h.", valueName: "duration"),
        transform: LengthOfTime.parse)
    var criticalAge: LengthOfTime?
    @Option(help: ArgumentHelp("Warn if more entries than this are waiting.", valueName: "number")) var warningWaiting: Int?
    @Option(help: ArgumentHelp("Critical if more entries than this are waiting.", valueName: "number")) var criticalWaiting: Int?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let limits = limits
        if limits.warningAge > limits.criticalAge { throw ValidationError("--warning-age is longer than --critical-age.") }
        if [limits.warningWaiting, limits.criticalWaiting].contains(where: { $0 ?? 0 < 0 }) {
            throw ValidationError("--warning-waiting and --critical-waiting take a number from 0.")
        }
        if let warning = limits.warningWaiting, let critical = limits.criticalWaiting, warning > critical {
            throw ValidationError("--warning-waiting is greater than --critical-waiting.")
        }
    }

    /// One age that is given alone moves the other default with it.
    var limits: StationCheck.Limits {
        var limits = StationCheck.Limits()
        limits.warningAge = warningAge?.seconds ?? min(limits.warningAge, criticalAge?.seconds ?? limits.warningAge)
        limits.criticalAge = criticalAge?.seconds ?? max(limits.criticalAge, limits.warningAge)
        (limits.warningWaiting, limits.criticalWaiting) = (warningWaiting, criticalWaiting)
        return limits
    }

    func run(_ context: Context) async throws {
        let outcome: StationCheck.Outcome
        do throws(Problem) {
            // A monitoring system cannot wait for the default timeout.
            let client = ControlClient(socketPath: context.client.socketPath, timeout: .seconds(10))
            let status = try await client.call(Endpoints.status, NoInput())
            try status.requireBackend(target.backend)
            outcome = StationCheck(times: context.times, limits: limits).outcome(status.only(target.backend))
        } catch {
            outcome = StationCheck.outcome(error)
        }
        context.answer(outcome, outcome.line)
        throw ExitCode(outcome.state.rawValue)
    }
}
