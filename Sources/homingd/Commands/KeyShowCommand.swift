import ArgumentParser
import Foundation
import SyncDaemon

struct KeyShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show where the key comes from, and whether all data is sealed with the current data key.",
        discussion: "Never shows the key. The fingerprint tells keys apart.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await reportingErrors {
            let environment = ProcessInfo.processInfo.environment
            let key = try await KeyAdministration(configuration: common.config, environment: environment, credential: .current())
            print(try await key.show())
        }
    }
}
