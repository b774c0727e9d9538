import GRDB
import Glibc
import StationSupport

/// Gives a store the form that the first version had, with what is in it.
enum OldStore {
    /// Undoes the migrations after "1" in the outbox `file`, which nobody may have open; one that has not had them all stays as it is.
    static func make(of file: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.inDatabase { db in
            let all = (1...5).map(String.init)
            let applied = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
            // A kill came between two migrations.
            if applied != all, all.starts(with: applied), applied.first == "1" { return }
            guard applied == all else { throw StationError("expected migrations \(all), found \(applied): undo the others here") }
            try db.execute(
                sql: """
                    BEGIN IMMEDIATE;
                    DROP TRIGGER entryContent;
                    UPDATE entry SET sealed = content.sealed FROM content WHERE content.sequence = entry.sequence;
                    DROP TRIGGER contentDestroyed;
                    DROP TABLE content;
                    CREATE TRIGGER entryContent BEFORE UPDATE OF sealed ON entry WHEN NEW.sealed IS NOT NULL AND NEW.sealed IS NOT OLD.sealed
                    BEGIN SELECT RAISE(ABORT, 'an entry never changes its content'); END;
                    DROP TABLE gap;
                    ALTER TABLE entry DROP COLUMN identity;
                    DROP TRIGGER entryMoved;
                    CREATE TRIGGER entryMoved AFTER UPDATE OF state, dueAt ON entry
                    WHEN OLD.state IS NOT NEW.state OR OLD.dueAt IS NOT NEW.dueAt BEGIN
                        DELETE FROM lane WHERE backend = NEW.backend AND account = NEW.account AND lane = NEW.lane;
                        INSERT INTO lane (backend, account, lane, head, dueAt)
                            SELECT backend, account, lane, sequence, CASE WHEN state = 'pending' THEN dueAt END FROM entry
                            WHERE blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
                            ORDER BY sequence LIMIT 1;
                    END;
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
        // That version has no such file, and SQLite has removed the log here.
        unlink(file + ".use")
    }
}
