import ArgumentParser
import Foundation
import SyncDaemon

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration and the profiles, and tell all mistakes at once.",
        discussion: "Writes nothing and needs no daemon. Exits with 0 where all is well, else with 1.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        let report = ConfigurationCheck.run(file: common.config, environment: ProcessInfo.processInfo.environment)
        print(report.text)
        if !report.isGood { throw ExitCode.failure }
    }
}
