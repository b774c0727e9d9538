import Foundation
import SyncModel
import Synchronization
import Vault

/// A resource that a profile declares now.
package struct RosterRule: Hashable, Sendable {
    let backend, resource: String
    /// The rule of the read; see `RosterRead`.
    let rule: Data

    /// - Parameter rule: the resource's source.
    package init(backend: String, resource: String, rule: Data) {
        self.init(backend: backend, resource: resource, digest: Vault.digest(rule))
    }

    init(backend: String, resource: String, digest: Data) { (self.backend, self.resource, rule) = (backend, resource, digest) }
}

/// The declared resources. A roster read under another declaration or address is ignored until it is deleted or replaced.
final class RosterRules: Sendable {
    private let rules = Mutex<Set<RosterRule>?>(nil)

    func know(_ known: [RosterRule]) { rules.withLock { $0 = Set(known) } }

    func include(_ roster: StoredRoster) -> Bool {
        let key = roster.head.key
        let rule = RosterRule(backend: key.destination.backend, resource: key.resource, digest: roster.rule)
        return rules.withLock { $0?.contains(rule) ?? true }
    }
}
