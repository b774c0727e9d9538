import ControlServer
import Foundation
import Glibc
import Vault

/// What `homingd check --as-service` says of the files and folders that the service needs.
package struct ServiceCheckReport: Sendable {
    package let isGood: Bool
    package let text: String

    /// Looks as the user that runs it, which is the service's, and writes nothing.
    package static func run(file: String?, environment: [String: String]) -> ServiceCheckReport? {
        // `try?`: with mistakes in it, the configuration's own check has told them.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        let state = configuration.stateDirectory
        var faults = closedFiles(in: state)
        do { _ = try VaultKey.find(environment: environment, stateDirectory: state) } catch { faults.append(error.description) }
        var next =
            faults.isEmpty ? [] : ["Give them to the service: chown -R \(ServiceIdentity.user): \(state), then systemctl restart homingd"]
        if configuration.spool.isEnabled, let operators = configuration.access.operate {
            let check = DropFolderCheck(operators: operators, daemon: geteuid())
            let ofFolder = check.faults(of: configuration.spool.directory)
            if !ofFolder.isEmpty {
                next.append(repair(configuration.spool.directory, isUsual: configuration.spool.directory == state + "/spool"))
            }
            faults += ofFolder
        }
        guard !faults.isEmpty else {
            return ServiceCheckReport(isGood: true, text: "The service can use its files, and operators can drop theirs.")
        }
        return ServiceCheckReport(isGood: false, text: (faults + next).joined(separator: "\n"))
    }

    private static func repair(_ directory: String, isUsual: Bool) -> String {
        isUsual
            ? "Repair the drop folder: systemd-tmpfiles --create homing.conf"
            : "Give \(directory) the owners, modes and ACLs that /usr/lib/tmpfiles.d/homing.conf gives to the usual drop folder."
    }

    /// The state directory's own files that the user cannot read and write.
    private static func closedFiles(in state: String) -> [String] {
        // `try?`: that it is missing is told by the configuration's own check.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
        let paths: [String] = names.sorted().map { "\(state)/\($0)" }
        return paths.filter { access($0, R_OK | W_OK) != 0 }
            .map { "The service’s user cannot read and write \($0)." }
    }
}
