import Foundation
import Vault

/// The part of `homingd check` about the other needs of a start: the key, and usable files.
package enum StartCheckReport {
    /// The sentences of a daemon that the current user could not start, with a heading; nil if it could. Read-only.
    package static func text(file: String?, environment: [String: String]) -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        let found = faults(in: configuration.stateDirectory, environment: environment)
        return found.isEmpty ? nil : (["The daemon cannot start:"] + found).joined(separator: "\n")
    }

    static func faults(in state: String, environment: [String: String]) -> [String] {
        StateFiles.faults(in: state) + [keyFault(in: state, environment: environment)].compactMap(\.self)
    }

    /// The certain mistake about the key; nil for a missing key that a unit may pass to the service.
    static func keyFault(in state: String, environment: [String: String]) -> String? {
        do {
            _ = try Daemon.findKey(for: state, environment: environment)
            return nil
        } catch let error as VaultError where error.code == .keyMissing && environment["CREDENTIALS_DIRECTORY"] == nil {
            return ServiceIdentity.owns(state) ? nil : error.description
        } catch {
            return StartError.sentence(for: error)
        }
    }
}
