import ArgumentParser

struct SyscallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "syscalls", abstract: "Make one system call of the daemon fail, and check the result.",
        discussion: "A failure of `homing-torture run --only syscalls` prints the options to use.")

    @Option(help: ArgumentHelp("The name of the system call.", valueName: "name")) var call: String
    @Option(help: ArgumentHelp("The error; `pretended` reports success without the call.", valueName: "name")) var error: String
    @Option(help: "The number of the first such call that fails, from 1.") var number: Int
    @Option(help: "The number of calls in a row that fail.") var count = 1
    @Option(help: "Only calls on files that match, below the state directory; a socket is tcp or unix.") var pattern = "*"

    @Option(
        help: ArgumentHelp(
            "How the daemon ends in this run: \(Ending.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "way"))
    var end = Ending.stop

    @Option(help: "The most repetitions until a problem appears, since the order of calls varies.") var rounds = 1

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
            if finding.met.isEmpty { print("The daemon made no such call.") }
            if finding.ended { print("The daemon exited by itself.") }
            for problem in finding.problems { print(problem) }
            if !finding.problems.isEmpty { throw ExitCode.failure }
        }
    }
}

extension Ending: ExpressibleByArgument {}
