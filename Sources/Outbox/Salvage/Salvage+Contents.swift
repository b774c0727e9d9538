import Foundation
import GRDB
import SyncModel
import Vault

/// The contents of entries, which are rows of their own.
extension Salvage {
    /// Keeps what an entry holds until it is known where that is. It never changes: the first version that opens is as good as any.
    func insertContent(_ sequence: Int64, _ id: MutationID, _ sealed: Data) throws {
        let present = try String.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM content WHERE sequence = ?"), arguments: [sequence])
        if present == id.description {
            let stored = try Data.fetchOne(db, sql: "SELECT sealed FROM content WHERE sequence = ?", arguments: [sequence])
            if stored == sealed || opens(stored ?? Data(), id) || !opens(sealed, id) { return }
            return try db.execute(sql: "UPDATE content SET sealed = ? WHERE sequence = ?", arguments: [sealed, sequence])
        }
        // In another one's place: one of the two sequences has changed.
        let place = present == nil && sequence <= Self.greatest ? sequence : nil
        try db.makeStatement(sql: "INSERT INTO content (sequence, id, sealed) VALUES (?, ?, ?)")
            .execute(arguments: [place, id.description, sealed])
    }

    // `try?`: whether it opens is the question.
    private func opens(_ sealed: Data, _ id: MutationID) -> Bool { (try? vault.open(sealed, as: id.description)) != nil }

    /// Brings each content to its entry, by the id where their sequences differ. What has no entry that waits for it is left out.
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

    /// Holds what would be sent and is not what was accepted.
    func checkContents() throws {
        var changed: [[String: DatabaseValue]] = []
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM entry WHERE state IN ('pending', 'inflight')")
        var count = 0
        while let row = try rows.next() {
            count += 1
            if count % 256 == 0 { progress() }
            let entry = try EntryRow(row: row).withContent(db)
            do { _ = try Opening(vault: vault).content(of: entry) } catch { changed.append(stored(row)) }
        }
        for row in changed {
            try db.execute(sql: "DELETE FROM entry WHERE sequence = ?", arguments: [row["sequence"]])
            try quarantine(row)
        }
    }
}
