import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// An entry with its content. Durably records the event `exported` first. Throws `wrongState` if the content is destroyed, and
    /// `unreadable` if it cannot be read.
    package func export(_ id: MutationID, by actor: String, at now: Date) async throws(OutboxError) -> Entry {
        let entry = try await readable(id)
        try await commit { db in try Self.insert(SyncEvent(at: now, .exported, of: entry, detail: ["by": actor]), db) }
        eventsWritten.send()
        return entry
    }

    /// An undelivered entry with its content. Throws as `export` does.
    package func readable(_ id: MutationID) async throws(OutboxError) -> Entry {
        let size = try await entry(id)?.entry.size ?? 0
        await preparing.take(size)
        defer { preparing.release(size) }
        return try await read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id.description]) else {
                guard let settled = try Self.entry(id, db) else { throw OutboxError.notFound(id) }
                throw OutboxError.wrongState(id, settled.state)
            }
            let entry = try Entry(row: row)
            if entry.state == .delivered || entry.state == .discarded { throw OutboxError.wrongState(id, entry.state) }
            do { return try decryptor.entry(of: row, Self.sealedContent(of: entry.sequence, db)) } catch let error as DatabaseError {
                throw error
            } catch {
                throw OutboxError.unreadable(id)
            }
        }
    }
}
