import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Set up a station from a file, without prompts.",
        discussion: """
            FILE is YAML: the backends with an address and an account, the users for each group, and settings. The page Administering \
            has an example. The command checks everything before it writes the first file, enables and starts the service, and signs in.

            It prints a line ‘changed: …’ for each change. If the station is already as described, it prints ‘nothing to change’. It \
            never replaces a file that a person has edited. After success it deletes the files that hold a password.

            Exits with 0 if the station is as the file describes, otherwise with 1. Needs root.
            """)

    @Argument(help: "The file that describes the station.", completion: .file(extensions: ["yaml"])) var file: String
    @Flag(help: "Only show what would be changed.") var dryRun = false

    func run() async throws {
        do {
            guard geteuid() == 0 else { throw StartError("Only root can set up a station. Repeat the command with sudo.") }
            let environment = ProcessInfo.processInfo.environment
            try await Enroller(file: file, environment: environment, isDryRun: dryRun) { print($0) }.run()
        } catch {
            FileHandle.standardError.write(Data("homingd: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}
