import ArgumentParser
import Foundation
import SyncDaemon

@main
struct Homingd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homingd", abstract: "Accept this station’s captures and deliver them.", version: Daemon.version,
        subcommands: [
            RunCommand.self, CheckCommand.self, EnrollCommand.self, KeyCommand.self, ReferenceCommand.self, RestoreCommand.self,
        ], defaultSubcommand: RunCommand.self)

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
