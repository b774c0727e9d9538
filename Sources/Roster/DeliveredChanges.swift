import Backends
import Outbox
import SyncModel

/// The change of a delivery in a list that has not been read again since.
package enum DeliveredChange: Sendable, Equatable {
    /// The entry made the row of this create, or gave it its values: the submitted parts of the label.
    case named(create: MutationID, parts: [JSONValue?])
    /// The entry deleted this row.
    case deleted(RosterID)
}

/// Changes since the last stored read. In memory only, because a delivery destroys the payload, and with it the stored name.
struct DeliveredChanges: Sendable {
    /// In all lists together; the oldest go first.
    static let most = 1000

    private var changes: [(entry: MutationID, key: RosterKey, change: DeliveredChange, isInRead: Bool)] = []
    /// By backend; nil for an account that is not signed in.
    private var sessions: [String: (account: AccountID?, revision: Int)] = [:]

    /// Adds the change of a delivery. Call after the server's answer, and before the delivery is stored.
    mutating func add(_ mutation: Mutation, of backend: Backend) {
        let owner = mutation.destination
        // The account may have left while its entry was sent.
        if let session = sessions[owner.backend], session.account != owner.account { return }
        guard let (resource, change) = backend.change(by: mutation) else { return }
        changes.removeAll { $0.entry == mutation.id }
        changes.append((mutation.id, RosterKey(destination: owner, resource: resource), change, false))
        if changes.count > Self.most { changes.removeFirst() }
    }

    /// The read has the changes so far. Counted by order, because the clock may be set.
    mutating func beginRead(of key: RosterKey) {
        for index in changes.indices where changes[index].key == key { changes[index].isInRead = true }
    }

    /// The list is stored as the last read has found it.
    mutating func endRead(of key: RosterKey) { changes.removeAll { $0.key == key && $0.isInRead } }

    /// `account` is nil unless one is signed in. An older `revision` is ignored.
    mutating func sessionChanged(at backend: String, to account: AccountID?, revision: Int) {
        guard revision >= sessions[backend]?.revision ?? 0 else { return }
        sessions[backend] = (account, revision)
        changes.removeAll { $0.key.destination.backend == backend && $0.key.destination.account != account }
    }

    /// By entry.
    subscript(key: RosterKey) -> [MutationID: DeliveredChange] {
        Dictionary(uniqueKeysWithValues: changes.filter { $0.key == key }.map { ($0.entry, $0.change) })
    }
}

extension Backend {
    /// The change of a delivery; nil if it changes no list, and for an existing row without a name.
    fileprivate func change(by mutation: Mutation) -> (resource: String, change: DeliveredChange)? {
        if let resource = deletes(route: mutation.route) {
            guard let subject = mutation.subject else { return nil }
            return (resource, .deleted(subject))
        }
        let create = mutation.creates == nil ? mutation.subject?.reference : mutation.id
        guard let create, let name = mutation.creates ?? changes(route: mutation.route), let resource = resource(name) else { return nil }
        let parts = resource.labelParts(in: mutation)
        // The name of a new row may be in a second entry.
        guard mutation.creates != nil || resource.label(of: parts) != nil else { return nil }
        return (name, .named(create: create, parts: parts))
    }
}
