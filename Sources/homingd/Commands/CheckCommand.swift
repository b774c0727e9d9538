import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration and the profiles, and tell all mistakes at once.",
        discussion: """
            Writes nothing and needs no daemon. Tells how many waiting entries these profiles could not send, so that you know before a reload. With --store it also reads through all that is stored, whether a daemon runs or not.

            Root can read what the service cannot. So for root it is --as-service too, unless --config names another configuration: it then runs \
            with the rights of the service’s user, and finds out whether members of homing-operate can drop files and are protected from each \
            other.

            Exits with 0 where all is well, else with 1.
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: "Look at the store too: every page, every entry.") var store = false

    @Flag(help: "Check with the rights of the service’s user, and look at the drop folder’s owners, modes and ACLs.") var asService = false

    func run() throws {
        var environment = ProcessInfo.processInfo.environment
        let isService = asService || (geteuid() == 0 && common.config == nil && ServiceIdentity.exists)
        if isService { environment = try ServiceIdentity.assume(in: environment) }
        let report = ConfigurationCheck.run(file: common.config, environment: environment)
        print(report.text)
        if report.isGood, let misfits = MisfitReport.text(file: common.config, environment: environment) { print(misfits) }
        var isGood = report.isGood
        if isService, let report = ServiceCheckReport.run(file: common.config, environment: environment) {
            print(report.text)
            isGood = isGood && report.isGood
        }
        if store {
            let report = StoreCheckReport.run(file: common.config, environment: environment)
            print(report.text)
            isGood = isGood && report.isGood
        }
        if !isGood { throw ExitCode.failure }
    }
}
