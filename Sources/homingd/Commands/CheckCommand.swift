import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration and the profiles, and report all mistakes.",
        discussion: """
            Writes nothing and needs no daemon. Reports a running daemon whose state directory, store or key is gone. Reports what would \
            keep the daemon from starting, such as a wrong or missing key, or files that it cannot use. Reports how many waiting entries \
            these profiles could not send, so that you know before a reload. With --store it also reads the whole store, whether or not a \
            daemon is running.

            With --as-service it runs with the rights of the service’s user, and also checks whether members of homing-operate can drop \
            files and are protected from each other. For root this is the default, because root can read files that the service cannot; \
            --config turns the default off.

            Exits with 0 if all is well, otherwise with 1.
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: "Also check the store: every page and every entry.") var store = false

    @Flag(help: "Check with the rights of the service’s user, and check the drop folder’s owners, modes and ACLs.") var asService = false

    func run() async throws {
        var environment = ProcessInfo.processInfo.environment
        let isService = asService || (geteuid() == 0 && common.config == nil && ServiceIdentity.exists)
        if isService { environment = try ServiceIdentity.assume(in: environment) }
        let report = ConfigurationCheck.run(file: common.config, environment: environment)
        print(report.text)
        if !(await isGood(report, asService: isService, environment)) { throw ExitCode.failure }
    }

    /// Prints the other reports; true if all are good. Apart from `run`, in which an `await` on one path crashes the optimiser of Swift 6.3.1.
    private func isGood(_ configuration: ConfigurationCheck, asService isService: Bool, _ environment: [String: String]) async -> Bool {
        // Before advice that is only right for a stopped daemon.
        if configuration.isGood, let lost = await StoreGoneReport.text(file: common.config, environment: environment) {
            print(lost)
            return false
        }
        return checkStation(configuration, asService: isService, environment)
    }

    private func checkStation(_ configuration: ConfigurationCheck, asService isService: Bool, _ environment: [String: String]) -> Bool {
        var isGood = configuration.isGood
        if isGood {
            // The check of the service includes these.
            let obstacles = isService ? nil : StartCheckReport.text(file: common.config, environment: environment)
            let misfits = MisfitReport.text(file: common.config, environment: environment)
            let notify = NotifyCheckReport.text(file: common.config, environment: environment)
            for text in [obstacles, misfits, notify] { if let text { print(text) } }
            isGood = obstacles == nil && notify == nil
        }
        if isService, let report = ServiceCheckReport.run(file: common.config, environment: environment) {
            print(report.text)
            isGood = isGood && report.isGood
        }
        if store {
            let report = StoreCheckReport.run(file: common.config, environment: environment)
            print(report.text)
            isGood = isGood && report.isGood
        }
        return isGood
    }
}
