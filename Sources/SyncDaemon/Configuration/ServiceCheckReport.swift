import Capture
import ControlServer
import Foundation
import Glibc

/// The result of `homingd check --as-service`: the service's files and folders.
package struct ServiceCheckReport: Sendable {
    package let isGood: Bool
    package let text: String

    /// Checks as the current user, which is the service's. Read-only.
    package static func run(file: String?, environment: [String: String]) -> ServiceCheckReport? {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        let state = configuration.stateDirectory
        // The other faults follow from this one.
        if access(state, F_OK) != 0, errno == ENOENT {
            let next =
                state == "/var/lib/homing"
                ? "To make it and the drop folder, run: sudo systemd-tmpfiles --create homing.conf"
                : "Make it, owned by \(ServiceIdentity.user)."
            let text = """
                The state directory \(state) does not exist. The captures and the key were in it. \(next)
                If you have a backup and the key, then run: sudo homingd restore FILE
                """
            return ServiceCheckReport(isGood: false, text: text)
        }
        let closed = closedFiles(in: state)
        var faults = StartCheckReport.faults(in: state, environment: environment) + closed
        var next =
            closed.isEmpty ? [] : ["Give them to the service: chown -R \(ServiceIdentity.user): \(state), then systemctl restart homingd"]
        if configuration.spool.isEnabled, let operators = configuration.access.operate {
            let check = DropFolderCheck(operators: operators, daemon: geteuid())
            let ofFolder = check.faults(of: configuration.spool.directory)
            if !ofFolder.isEmpty {
                next.append(repair(configuration))
            }
            faults += ofFolder
        }
        guard !faults.isEmpty else {
            return ServiceCheckReport(isGood: true, text: "The service can use its files, and operators can drop files.")
        }
        return ServiceCheckReport(isGood: false, text: (faults + next).joined(separator: "\n"))
    }

    /// The step that gives the drop folder its owners, modes and ACLs.
    static func repair(_ configuration: Configuration) -> String {
        let directory = configuration.spool.directory
        return directory == configuration.stateDirectory + "/spool"
            ? "Repair the drop folder: systemd-tmpfiles --create homing.conf"
            : "Give \(directory) the owners, modes and ACLs that /usr/lib/tmpfiles.d/homing.conf gives to the usual drop folder."
    }

    /// Files in the state directory that the user cannot read and write.
    private static func closedFiles(in state: String) -> [String] {
        // `try?`: the configuration check reports a missing directory.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
        let paths: [String] = names.filter { !StateFiles.names.contains($0) }.sorted().map { "\(state)/\($0)" }
        return paths.filter { access($0, R_OK | W_OK) != 0 }
            .map { "The service’s user cannot read and write \($0)." }
    }
}
