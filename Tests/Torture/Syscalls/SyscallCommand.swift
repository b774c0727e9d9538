import ArgumentParser

struct SyscallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "syscalls", abstract: "Let one call of the daemon fail, and look what becomes of it.",
        discussion: "A failure of `homing-torture run --only syscalls` says which.")

    @Option(help: ArgumentHelp("The call, as the system names it.", valueName: "name")) var call: String
    @Option(help: ArgumentHelp("With what it fails; `pretended` reports success instead.", valueName: "name")) var error: String
    @Option(help: "The how manyth of these calls.") var number: Int
    @Option(help: "How many in turn.") var count = 1
    @Option(help: "Only on such files below the state directory; a socket is tcp or unix.") var pattern = "*"

    @Option(
        help: ArgumentHelp(
            "How the life ends in which it fails: \(Ending.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "way"))
    var end = Ending.stop

    @Option(help: "How often at most, until something is wrong: the order of calls is not always the same.") var rounds = 1

    func validate() throws {
        let calls = Injection.kinds.map(\.call)
        guard calls.contains(call) else { throw ValidationError("--call: expected one of: \(calls.joined(separator: ", "))") }
        let errors = Injection.numbers.keys.sorted()
        guard errors.contains(error) else { throw ValidationError("--error: expected one of: \(errors.joined(separator: ", "))") }
        guard number > 0, count > 0 else { throw ValidationError("--number and --count: expected 1 or more") }
    }

    func run() async throws {
        let injection = Injection(call: call, error: error, number: number, count: count, pattern: pattern, ending: end)
        for _ in 0..<rounds {
            let finding = try await SyscallRound(injection).run()
            print(finding.said)
            for call in finding.met { print("failed: \(call)") }
            if finding.met.isEmpty { print("No such call was met.") }
            if finding.ended { print("The daemon ended by itself.") }
            for problem in finding.problems { print(problem) }
            if !finding.problems.isEmpty { throw ExitCode.failure }
        }
    }
}

extension Ending: ExpressibleByArgument {}
