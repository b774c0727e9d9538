import GRDB
import StationSupport

/// Gives a store the form that the first version had, with what is in it.
enum OldStore {
    /// Undoes the migrations after "1" in the outbox `file`, which nobody may have open; one that has that form already stays as it is.
    static func make(of file: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.inDatabase { db in
            let applied = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
            if applied == ["1"] { return }
            guard Set(applied) == ["1", "2"] else {
                throw StationError("expected migrations 1 and 2, found \(applied): undo the others here")
            }
            try db.execute(
                sql: """
                    BEGIN IMMEDIATE;
                    DROP INDEX laneStopped;
                    DROP INDEX laneAge;
                    DROP INDEX receiptOrder;
                    DROP TABLE origin;
                    DROP TABLE pause;
                    ALTER TABLE entry DROP COLUMN claimedAt;
                    ALTER TABLE entry DROP COLUMN uncertainAt;
                    ALTER TABLE entry DROP COLUMN retriedAt;
                    ALTER TABLE entry DROP COLUMN retriedBy;
                    ALTER TABLE receipt DROP COLUMN discardedBy;
                    DELETE FROM grdb_migrations WHERE identifier <> '1';
                    COMMIT;
                    """)
        }
        try queue.close()
    }
}
