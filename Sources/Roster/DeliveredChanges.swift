import Backends
import Foundation
import Outbox
import SyncModel

/// What a delivery has changed in a list that has not been read again since.
package enum DeliveredChange: Sendable, Equatable {
    /// The entry made the row of this create, or gave it its values: the parts of the label as they were submitted.
    case named(create: MutationID, parts: [JSONValue?])
    /// The entry deleted this row.
    case deleted(RosterID)
}

/// The changes of deliveries until a list that began to be read later is stored. In memory only, because a delivery destroys the payload, and with it
/// the name on the disk.
struct DeliveredChanges: Sendable {
    /// In all lists together; the oldest go first.
    static let most = 1000

    private var changes: [(entry: MutationID, key: RosterKey, change: DeliveredChange, at: Date)] = []

    /// - Parameter now: after the server's answer, and before the delivery is stored.
    mutating func add(_ mutation: Mutation, of backend: Backend, at now: Date) {
        guard let (resource, change) = backend.change(by: mutation) else { return }
        changes.removeAll { $0.entry == mutation.id }
        changes.append((mutation.id, RosterKey(destination: mutation.destination, resource: resource), change, now))
        if changes.count > Self.most { changes.removeFirst() }
    }

    /// A list that began to be read at this time is stored: it has the earlier changes.
    mutating func remove(in key: RosterKey, before began: Date) { changes.removeAll { $0.key == key && $0.at < began } }

    /// Another account, or none, is signed in at the backend.
    mutating func remove(at backend: String, except account: AccountID?) {
        changes.removeAll { $0.key.destination.backend == backend && $0.key.destination.account != account }
    }

    /// By entry.
    subscript(key: RosterKey) -> [MutationID: DeliveredChange] {
        Dictionary(uniqueKeysWithValues: changes.filter { $0.key == key }.map { ($0.entry, $0.change) })
    }
}

extension Backend {
    /// The resource that a delivery changes, and how; nil for none, and without a name.
    fileprivate func change(by mutation: Mutation) -> (resource: String, change: DeliveredChange)? {
        if let resource = deletes(route: mutation.route) {
            guard let subject = mutation.subject else { return nil }
            return (resource, .deleted(subject))
        }
        let create = mutation.creates == nil ? mutation.subject?.reference : mutation.id
        guard let create, let name = mutation.creates ?? changes(route: mutation.route), let resource = resource(name) else { return nil }
        let parts = resource.labelParts(in: mutation)
        guard resource.label(of: parts) != nil else { return nil }
        return (name, .named(create: create, parts: parts))
    }
}
