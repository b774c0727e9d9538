import ArgumentParser
import Foundation
import SyncDaemon

struct KeyImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Put a copy of the master key into the state directory.",
        discussion: """
            The daemon must be stopped. Needs a station without data, or one whose data this key opens. Never replaces another key that \
            works.

            To import an encrypted copy: age -d -i IDENTITY FILE | sudo homingd key import -
            """)

    @Argument(help: "The file with the key, or ‘-’ for standard input.", completion: .file()) var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await reportingErrors {
            let content = try Data(ofKeyAt: file)
            let environment = ProcessInfo.processInfo.environment
            let key = try await KeyAdministration(configuration: common.config, environment: environment, credential: .current())
            print(try key.take(content))
        }
    }
}
