import Capture
import Outbox
import SyncModel

extension ControlHandler {
    /// The create of the row whose values the entry has: the two were accepted together, perhaps before corrections. Nil for other entries.
    func create(followedBy entry: Entry) async throws(OutboxError) -> MutationID? {
        let first = try await outbox.first(of: entry)
        guard let create = first.mutation.subject?.reference ?? entry.mutation.subject?.reference,
            [first.id, entry.id, entry.mutation.supersedes].contains(create.follower)
        else { return nil }
        // A correction may be for another row.
        if entry.mutation.subject == RosterID(createdBy: create) { return create }
        let row = try await outbox.bindings(of: [create])[create]
        return row != nil && row == entry.mutation.subject ? create : nil
    }
}
