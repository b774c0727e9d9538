import GRDB

/// The tables, and in them the rules that no bug in Swift can break. To add a column, append a migration.
enum OutboxSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: entry)
            try db.execute(sql: lane)
            try db.execute(sql: records)
            try db.execute(sql: guards)
        }
        migrator.registerMigration("2") { db in
            try db.execute(sql: times)
            try db.execute(sql: origins)
            try db.execute(sql: persons)
        }
        migrator.registerMigration("3") { db in try db.execute(sql: revival) }
        // Nothing in it touches a row: a million of them need no look.
        migrator.registerMigration("4", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: damage)
        }
        migrator.registerMigration("5", foreignKeyChecks: .immediate) { db in try db.execute(sql: content) }
        return migrator
    }

    /// Times are integers, Unix milliseconds.
    private static let entry = """
        CREATE TABLE run (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL
        ) STRICT;
        INSERT INTO run (id, epoch) VALUES (1, 0);

        CREATE TABLE account (
            backend TEXT NOT NULL,
            id TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (backend, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            lane TEXT NOT NULL,
            route TEXT NOT NULL,
            onDead TEXT NOT NULL CHECK (onDead IN ('halt', 'skip')),
            sealed BLOB,
            size INTEGER NOT NULL CHECK (size >= 0),
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            state TEXT NOT NULL DEFAULT 'pending'
                CHECK (state IN ('pending', 'inflight', 'delivered', 'dead', 'held', 'discarded')),
            holdReason TEXT
                CHECK (holdReason IN ('forbidden', 'unknownOutcome', 'dependency', 'poison', 'quarantine', 'operator')),
            dueAt INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            releases INTEGER NOT NULL DEFAULT 0 CHECK (releases >= 0),
            crashes INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
            uncertain INTEGER NOT NULL DEFAULT 0 CHECK (uncertain IN (0, 1)),
            epoch INTEGER,
            capturedAt INTEGER NOT NULL,
            triedAt INTEGER,
            countedAt INTEGER,
            settledAt INTEGER,
            lastStatus INTEGER,
            lastReason TEXT,
            lastError TEXT,
            remoteID TEXT,
            supersedes TEXT,
            blocks INTEGER NOT NULL GENERATED ALWAYS AS
                (state IN ('pending', 'inflight') OR (state IN ('dead', 'held') AND onDead = 'halt')) VIRTUAL,
            CHECK ((state = 'held') = (holdReason IS NOT NULL)),
            CHECK ((state = 'inflight') = (epoch IS NOT NULL)),
            CHECK ((state IN ('delivered', 'discarded')) = (settledAt IS NOT NULL)),
            CHECK ((state IN ('delivered', 'discarded')) = (sealed IS NULL))
        ) STRICT;

        CREATE UNIQUE INDEX oneInFlight ON entry (backend, account, lane) WHERE state = 'inflight';
        CREATE INDEX laneOrder ON entry (backend, account, lane, sequence) WHERE blocks;
        CREATE INDEX stateOrder ON entry (state, backend, sequence);
        CREATE INDEX settledOrder ON entry (settledAt) WHERE settledAt IS NOT NULL;
        """

    /// `lane` holds the head of every lane that has one: what a claim reads instead of a million entries. `tally` holds the counts
    /// that `status` shows; `delivered` and `discarded` in it never fall. Triggers keep both; `Outbox.derivedTablesMatch` proves them.
    private static let lane = """
        CREATE TABLE lane (
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            lane TEXT NOT NULL,
            head INTEGER NOT NULL,
            dueAt INTEGER,
            PRIMARY KEY (backend, account, lane)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX laneDue ON lane (backend, account, dueAt, head) WHERE dueAt IS NOT NULL;

        CREATE TABLE tally (
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            state TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count >= 0),
            bytes INTEGER NOT NULL CHECK (bytes >= 0),
            latest INTEGER,
            PRIMARY KEY (backend, account, state)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER entryInserted AFTER INSERT ON entry BEGIN
            INSERT INTO lane (backend, account, lane, head, dueAt)
                VALUES (NEW.backend, NEW.account, NEW.lane, NEW.sequence, NEW.dueAt) ON CONFLICT DO NOTHING;
            INSERT INTO tally (backend, account, state, count, bytes) VALUES (NEW.backend, NEW.account, NEW.state, 1, NEW.size)
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        END;

        CREATE TRIGGER entryMoved AFTER UPDATE OF state, dueAt ON entry
        WHEN OLD.state IS NOT NEW.state OR OLD.dueAt IS NOT NEW.dueAt BEGIN
            DELETE FROM lane WHERE backend = NEW.backend AND account = NEW.account AND lane = NEW.lane;
            INSERT INTO lane (backend, account, lane, head, dueAt)
                SELECT backend, account, lane, sequence, CASE WHEN state = 'pending' THEN dueAt END FROM entry
                WHERE blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
                ORDER BY sequence LIMIT 1;
        END;

        CREATE TRIGGER entryCounted AFTER UPDATE OF state ON entry WHEN OLD.state IS NOT NEW.state BEGIN
            UPDATE tally SET count = count - 1, bytes = bytes - OLD.size
                WHERE backend = OLD.backend AND account = OLD.account AND state = OLD.state;
            INSERT INTO tally (backend, account, state, count, bytes, latest)
                VALUES (NEW.backend, NEW.account, NEW.state, 1, NEW.size, NEW.settledAt)
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes, latest = excluded.latest;
        END;
        """

    private static let records = """
        CREATE TABLE attempt (
            entry INTEGER NOT NULL REFERENCES entry (sequence) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            startedAt INTEGER NOT NULL,
            endedAt INTEGER NOT NULL,
            verdict TEXT NOT NULL,
            counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
            status INTEGER,
            message TEXT,
            PRIMARY KEY (entry, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE receipt (
            id TEXT NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL UNIQUE,
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            lane TEXT NOT NULL,
            route TEXT NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'discarded')),
            remoteID TEXT,
            status INTEGER,
            foundByLookup INTEGER NOT NULL CHECK (foundByLookup IN (0, 1)),
            attempts INTEGER NOT NULL,
            capturedAt INTEGER NOT NULL,
            settledAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE event (
            cursor INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            backend TEXT,
            account TEXT,
            entry TEXT,
            detail TEXT NOT NULL CHECK (json_valid(detail))
        ) STRICT;
        """

    private static let guards = """
        CREATE TRIGGER entryTransition BEFORE UPDATE OF state ON entry
        WHEN OLD.state IS NOT NEW.state AND NOT CASE OLD.state
            WHEN 'pending' THEN NEW.state IN ('inflight', 'held', 'discarded')
            WHEN 'inflight' THEN NEW.state IN ('pending', 'delivered', 'dead', 'held')
            WHEN 'dead' THEN NEW.state IN ('pending', 'discarded')
            WHEN 'held' THEN NEW.state IN ('pending', 'discarded')
            ELSE 0 END
        BEGIN SELECT RAISE(ABORT, 'no such transition'); END;

        CREATE TRIGGER entryIdentity BEFORE UPDATE OF sequence, id, backend, account, lane, route, onDead, size, digest, capturedAt ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry never changes what it is'); END;

        CREATE TRIGGER entryContent BEFORE UPDATE OF sealed ON entry WHEN NEW.sealed IS NOT NULL AND NEW.sealed IS NOT OLD.sealed
        BEGIN SELECT RAISE(ABORT, 'an entry never changes its content'); END;

        CREATE TRIGGER entryStays BEFORE DELETE ON entry
        WHEN OLD.state NOT IN ('delivered', 'discarded') OR NOT EXISTS (SELECT 1 FROM receipt WHERE id = OLD.id)
        BEGIN SELECT RAISE(ABORT, 'an entry leaves only behind a receipt'); END;
        """

    /// `claimedAt`: when the send began that is under way, or was when the daemon died. `uncertainAt`: when the first send began whose effect
    /// is not known; a server may remember its key for so long and no longer.
    private static let times = """
        ALTER TABLE entry ADD COLUMN claimedAt INTEGER;
        ALTER TABLE entry ADD COLUMN uncertainAt INTEGER;
        CREATE INDEX laneStopped ON lane (backend, account, head) WHERE dueAt IS NULL;
        """

    /// Where each backend was when it was first spoken to: an account there is not the one with the same number elsewhere.
    private static let origins = """
        CREATE TABLE origin (
            backend TEXT NOT NULL PRIMARY KEY,
            origin TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// What persons decide: where sending pauses, who had an entry tried again, and who discarded one. `laneAge` and `receiptOrder` are for
    /// the lists of lanes, oldest first, and of receipts.
    private static let persons = """
        CREATE TABLE pause (
            backend TEXT NOT NULL PRIMARY KEY,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER CHECK (until > since),
            "by" TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE entry ADD COLUMN retriedAt INTEGER;
        ALTER TABLE entry ADD COLUMN retriedBy TEXT;
        ALTER TABLE receipt ADD COLUMN discardedBy TEXT;
        CREATE INDEX laneAge ON lane (head);
        CREATE INDEX receiptOrder ON receipt (sequence, settledAt, backend);
        """

    /// An entry that a person revives may go before one of its lane that is being sent: nothing of the lane is due until that one has come
    /// to its end, or its claim would put two in flight.
    private static let revival = """
        DROP TRIGGER entryMoved;
        CREATE TRIGGER entryMoved AFTER UPDATE OF state, dueAt ON entry
        WHEN OLD.state IS NOT NEW.state OR OLD.dueAt IS NOT NEW.dueAt BEGIN
            DELETE FROM lane WHERE backend = NEW.backend AND account = NEW.account AND lane = NEW.lane;
            INSERT INTO lane (backend, account, lane, head, dueAt)
                SELECT backend, account, lane, sequence, CASE WHEN state = 'pending' AND NOT EXISTS (
                    SELECT 1 FROM entry WHERE state = 'inflight' AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
                ) THEN dueAt END FROM entry
                WHERE blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
                ORDER BY sequence LIMIT 1;
        END;
        """

    /// `identity`: a checksum of what an entry is (see `EntryRow.identity`); NULL in rows from before it was kept. `gap`: sequences of which
    /// nothing was left when a store was salvaged, so that they are missed once.
    private static let damage = """
        ALTER TABLE entry ADD COLUMN identity BLOB CHECK (length(identity) = 16);
        CREATE TABLE gap (
            first INTEGER NOT NULL PRIMARY KEY,
            last INTEGER NOT NULL CHECK (last >= first),
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The content of an entry apart from it: SQLite writes a row that has changed anew as a whole, and would a large document with it each
    /// time that its entry moves. `sealed` of such an entry is empty; in rows from before it is the content itself.
    private static let content = """
        CREATE TABLE content (
            sequence INTEGER PRIMARY KEY REFERENCES entry (sequence),
            id TEXT NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT;

        CREATE TRIGGER contentDestroyed AFTER UPDATE OF state ON entry WHEN NEW.state IN ('delivered', 'discarded') BEGIN
            DELETE FROM content WHERE sequence = NEW.sequence;
        END;

        CREATE TRIGGER contentStays BEFORE DELETE ON content
        WHEN EXISTS (SELECT 1 FROM entry WHERE sequence = OLD.sequence AND state NOT IN ('delivered', 'discarded'))
        BEGIN SELECT RAISE(ABORT, 'content leaves only with its entry'); END;

        CREATE TRIGGER contentSame BEFORE UPDATE ON content
        BEGIN SELECT RAISE(ABORT, 'an entry never changes its content'); END;
        """
}
