import Backends
import Foundation
import Outbox
import Salvage
import SyncModel
import Vault

/// The part of `homingd check` about waiting entries that the profiles cannot send.
package enum MisfitReport {
    /// The report; nil if there is nothing to report. Read-only, even beside a running daemon.
    package static func text(file: String?, environment: [String: String]) -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let (configuration, backends) = try? ConfigurationCheck.read(file: file, environment: environment) else { return nil }
        let state = configuration.stateDirectory
        guard StoreUse(of: Daemon.store(in: state)).isThere else { return nil }
        // The check of the start reports it.
        guard StartCheckReport.keyFault(in: state, environment: environment) == nil else { return nil }
        // `try?`: a key that is missing without a fault.
        guard let keys = try? Daemon.findKeys(for: state, environment: environment) else {
            return unknown("The key that opens them is not at \(state)/homing.key.")
        }
        do {
            let waiting = WaitingMutations(
                file: Daemon.store(in: state), vault: keys.vault(), isInUse: StoreCheckReport.isInUse(state))
            let origins = try waiting.origins()
            var misfits: [String: Int] = [:]
            let unreadable = try waiting.visit { mutation in
                if let line = misfit(mutation, backends, origins) { misfits[line, default: 0] += 1 }
            }
            let lines = misfits.sorted { $0.key < $1.key }.map { "  \(entries($0.value)) \($0.key)" }
            let unopened = unreadable > 0 ? ["\(entries(unreadable)) could not be opened, so they were not checked."] : []
            guard !lines.isEmpty else { return unopened.first }
            return ([heading] + lines + unopened + [next]).joined(separator: "\n")
        } catch {
            return unknown("\(error)".asSentence)
        }
    }

    private static let heading = "Waiting entries that these profiles cannot send:"
    private static let next =
        "Nothing is lost: Homing sends them once the profile fits again. To send them first, put the earlier profile back and run: homing sync --wait"

    /// Continues a line such as `12 entries …`; nil if the entry can be sent.
    private static func misfit(_ mutation: Mutation, _ backends: [Backend], _ origins: [String: String]) -> String? {
        let name = mutation.destination.backend
        guard let backend = backends.first(where: { $0.name == name }) else { return "for \(name), which no longer has a profile." }
        if let origin = origins[name], origin != backend.address, !backend.formerAddresses.contains(origin),
            !mutation.destination.account.namesItsServer
        {
            let now = "Its base_url is now \(backend.address)"
            return "of \(name) accepted for \(origin). \(now); if it is the same service, add: formerly: [\(origin)]"
        }
        return backend.misfit(of: mutation).map { "of the route \"\(mutation.route)\" at \(name): \($0.message)" }
    }

    private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    private static func unknown(_ why: String) -> String {
        """
        Homing could not check whether waiting entries fit these profiles. \(why)
        Run the check as the daemon’s user: sudo systemd-run --pipe -p User=homing -p LoadCredential=homing.key homingd check --as-service
        """
    }
}
