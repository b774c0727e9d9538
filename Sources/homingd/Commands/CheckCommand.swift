import ArgumentParser
import Foundation
import SyncDaemon

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration and the profiles, and tell all mistakes at once.",
        discussion: """
            Writes nothing and needs no daemon. Tells how many waiting entries these profiles could not send, so that you know before a reload. With --store it also reads through all that is stored, whether a daemon runs or not. Exits with 0 \
            where all is well, else with 1.
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: "Look at the store too: every page, every entry.") var store = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let report = ConfigurationCheck.run(file: common.config, environment: environment)
        print(report.text)
        if report.isGood, let misfits = MisfitReport.text(file: common.config, environment: environment) { print(misfits) }
        var isGood = report.isGood
        if store {
            let report = StoreCheckReport.run(file: common.config, environment: environment)
            print(report.text)
            isGood = isGood && report.isGood
        }
        if !isGood { throw ExitCode.failure }
    }
}
