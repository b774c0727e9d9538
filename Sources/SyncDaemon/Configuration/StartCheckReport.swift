import Foundation
import Vault

/// The part of `homingd check` about the key and the other files that a start needs.
package enum StartCheckReport {
    /// The sentences with which a daemon of the current user would refuse to start; nil if it could start. Read-only.
    package static func text(file: String?, environment: [String: String]) -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        let found = faults(in: configuration.stateDirectory, environment: environment)
        return found.isEmpty ? nil : (["The daemon cannot start:"] + found).joined(separator: "\n")
    }

    static func faults(in state: String, environment: [String: String]) -> [String] {
        StateFiles.faults(in: state) + [keyFault(in: state, environment: environment)].compactMap(\.self)
    }

    /// The fault of the key; nil for a missing one that a unit may pass to the service.
    static func keyFault(in state: String, environment: [String: String]) -> String? {
        do {
            _ = try Daemon.findKeys(for: state, environment: environment)
            return nil
        } catch let error as VaultError where error.code == .keyMissing && environment["CREDENTIALS_DIRECTORY"] == nil {
            return ServiceIdentity.owns(state) ? nil : error.description
        } catch {
            return StartError.sentence(for: error)
        }
    }
}
