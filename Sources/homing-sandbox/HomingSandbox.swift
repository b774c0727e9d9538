import ArgumentParser
import Foundation
import Sandbox

@main
struct HomingSandbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homing-sandbox",
        abstract: "Imitates a backend on a loopback port, with scripted faults and a ledger of the accepted requests.",
        subcommands: [RunCommand.self, FaultsCommand.self, CapturesCommand.self, DemoCommand.self],
        defaultSubcommand: RunCommand.self)

    /// Exits with 2 for wrong usage, as all Homing programs do.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data("\(fullMessage(for: error))\n".utf8))
            exit(withError: ExitCode(2))
        }
    }
}

/// Unbuffered output, also into a pipe.
enum StandardOutput {
    static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
    static func errorLine(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
