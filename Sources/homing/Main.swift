import ArgumentParser
import ControlAPI
import Foundation

@main
struct Homing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homing",
        abstract: "Check and control the delivery of this station's captures.",
        discussion: """
            Homing stores accepted captures safely and sends them as soon as the network is available. Start with ‘homing status’.

            The names of lists are commands too: ‘homing people’ is ‘homing roster people’. See ‘homing help roster’.

            Exit codes: 0 success, 1 failure, 2 wrong usage, 3 the daemon is not running, 4 not permitted, 5 sign-in needed, 6 \
            something else needs a person, 7 time limit reached. ‘homing check’ exits as monitoring plugins do, from 0 to 3.
            """,
        version: HomingVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Daily use",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, DashboardCommand.self, SyncCommand.self, PauseCommand.self, ResumeCommand.self,
                    LoginCommand.self, LogoutCommand.self, ClaimCommand.self, RosterCommand.self, NotifyCommand.self,
                ]),
            CommandGroup(
                name: "Entries",
                subcommands: [
                    SubmitCommand.self, ListCommand.self, ShowCommand.self, WhyCommand.self, RetryCommand.self, FixCommand.self,
                    ResolveCommand.self, DiscardCommand.self, UndoCommand.self, ExportCommand.self,
                ]),
            CommandGroup(
                name: "Details",
                subcommands: [
                    StatsCommand.self, AuditCommand.self, ReceiptsCommand.self, ReceiptCommand.self, EventsCommand.self,
                    BackupCommand.self, CompletionsCommand.self, VersionCommand.self,
                ]),
            CommandGroup(
                name: "For administrators",
                subcommands: [DoctorCommand.self, CheckCommand.self, BugreportCommand.self]),
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        Foundation.exit(await run(arguments, on: .standard(environment: environment), environment: environment).rawValue)
    }

    /// Runs the command, reports errors and returns the exit code.
    static func run(_ arguments: [String], on console: Console, environment: [String: String]) async -> ExitCode {
        let arguments = CompletionScript.command(arguments)
        var (unanswered, titles): (Problem?, [String]) = (nil, [])
        var lists: RosterList?
        let words = await TitleCommand.expanded(arguments) {
            let socket = Suggestions.socket(in: arguments, environment: environment)
            let client = ControlClient(socketPath: socket, timeout: .seconds(1))
            let answer = await TitleCommand.lists(
                { () async throws(Problem) -> RosterList in
                    let answer = try await client.call(Endpoints.rosters, RosterListQuery())
                    lists = answer
                    return answer
                },
                orOf: { () throws(Problem) in try await client.call(Endpoints.status, NoInput()) })
            unanswered = answer.problem
            titles = answer.lists?.rosters.map(\.title.many) ?? []
            return answer.lists
        }
        do {
            var command = try await asyncParseAsRoot(words)
            if let command = command as? any DaemonCommand {
                try await command.run(Context(command.global, console: console, environment: environment, lists: lists))
            } else {
                try command.run()
            }
            return .success
        } catch let code as ExitCode {
            return code
        } catch {
            let asJSON = arguments.prefix { $0 != "--" }.contains("--json")
            let mistyped: (any Error)? = exitCode(for: error) == .validationFailure ? Mistyping(lists: titles).problem(in: words) : nil
            let code = report(mistyped ?? error, of: words.first, asJSON: asJSON, on: console)
            if let unanswered, let name = TitleCommand.name(in: arguments), !asJSON {
                console.warn("If ‘\(name)’ is the name of a list, such as ‘people’: only the daemon knows its lists. \(unanswered.detail)")
            }
            return code
        }
    }

    private static func report(_ error: any Error, of command: String?, asJSON: Bool, on console: Console) -> ExitCode {
        if !(error is Problem), exitCode(for: error).isSuccess {
            console.write(fullMessage(for: error))  // help, the version, a completion script
            return .success
        }
        let problem = problem(for: error)
        if command == CheckCommand.configuration.commandName {
            // A monitoring system reads standard output, and takes 2 for a problem of the station.
            let outcome = StationCheck.outcome(problem)
            console.write(asJSON ? console.json(outcome) : outcome.line)
            return ExitCode(outcome.state.rawValue)
        }
        if asJSON {
            console.warn(console.json(problem))
        } else if error is Problem {
            console.warn(ProblemText(style: console.errorStyle).lines(problem))
        } else {
            console.warn(fullMessage(for: error))
        }
        return ExitCode(for: problem)
    }

    private static func problem(for error: any Error) -> Problem {
        if let problem = error as? Problem { return problem }
        if exitCode(for: error) == .validationFailure { return .invalid(message(for: error), next: "See ‘homing --help’.") }
        return Problem(
            .internalError, status: 500, title: "homing failed", detail: "\(error)",
            next: "Try again. If it fails again, tell the administrator."
        )
    }
}
