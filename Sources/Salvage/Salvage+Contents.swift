import Foundation
import GRDB
import Outbox
import SyncModel
import Vault

extension Salvage {
    /// Content never changes, so any version that opens is right.
    func insertContent(_ sequence: Int64, _ id: MutationID, _ sealed: Data) throws {
        let present = try String.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM content WHERE sequence = ?"), arguments: [sequence])
        if present == id.description {
            let stored = try Data.fetchOne(db, sql: "SELECT sealed FROM content WHERE sequence = ?", arguments: [sequence])
            if stored == sealed || opens(stored ?? Data(), id) || !opens(sealed, id) { return }
            return try db.execute(sql: "UPDATE content SET sealed = ? WHERE sequence = ?", arguments: [sealed, sequence])
        }
        // Another content has this sequence: one of the two has changed.
        let place = present == nil && sequence <= Self.greatest ? sequence : nil
        try db.makeStatement(sql: "INSERT INTO content (sequence, id, sealed) VALUES (?, ?, ?)")
            .execute(arguments: [place, id.description, sealed])
    }

    // `try?`: nil means that it does not open.
    private func opens(_ sealed: Data, _ id: MutationID) -> Bool { (try? vault.open(sealed, as: id.description)) != nil }

    /// Moves each payload to its entry, by the id if the sequences differ. Drops those that no unsettled entry needs.
    func joinContents() throws {
        try db.execute(
            sql: """
                UPDATE content SET sequence = -sequence WHERE NOT EXISTS (
                    SELECT 1 FROM entry WHERE entry.sequence = content.sequence AND entry.id = content.id);
                INSERT OR IGNORE INTO content (sequence, id, sealed)
                    SELECT entry.sequence, content.id, content.sealed FROM content JOIN entry USING (id) WHERE content.sequence < 0;
                DELETE FROM content WHERE sequence < 0 OR sequence IN (SELECT sequence FROM entry WHERE settledAt IS NOT NULL);
                """)
    }

    /// Holds entries whose payload differs from the accepted one.
    func checkContents() throws {
        var changed: [[String: DatabaseValue]] = []
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM entry WHERE state IN ('pending', 'inflight')")
        var count = 0
        while let row = try rows.next() {
            count += 1
            if count % 256 == 0 { progress() }
            let sealed = try Outbox.sealedContent(of: row.decode(forColumn: "sequence"), db)
            do { _ = try PayloadDecryptor(vault: vault).entry(of: row, sealed) } catch { changed.append(stored(row)) }
        }
        for row in changed {
            try db.execute(sql: "DELETE FROM entry WHERE sequence = ?", arguments: [row["sequence"]])
            try holdUnreadable(row)
        }
    }
}
