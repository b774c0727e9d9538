import GRDB

/// The tables. Their constraints hold even where the Swift code has a bug. There is one schema and no migration, because nothing has been
/// released. Times are Unix milliseconds.
package enum OutboxSchema {
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for part in [entry, content, keyring, derived, records, people, rosters, figures, guards] { try db.execute(sql: part) }
        }
        return migrator
    }

    /// - `identity`: see `Mutation.identity`.
    /// - `capturedAt`: as stated by the file or the caller; `acceptedAt`: by this store.
    /// - `claimedAt`: start of the current or interrupted send; `failedAt`: when a send last failed.
    /// - `uncertainAt`: start of the first send with unknown outcome; `doubtedAt`: end of the latest; `doubts`: how many since the last
    ///   retry; `looks`: lookups since then without an answer, or consecutive stopped reads of its row.
    /// - `aside`: it failed while nothing on its route succeeded, or cannot be looked up. With `skip`, later entries of its lane go first;
    ///   with `skipFailed` only once it has failed for good.
    /// - `after`: a lane whose earlier entries go first; `parent`: the newest of them at acceptance, or its replacement, which must be
    ///   delivered. 0 if they need only be tried (`behind` in profiles).
    /// - `afterSubject`: all earlier entries with the same subject go first, under any of its ids (Decisions/DeletingRows.md).
    /// - `replaces`: the sequence of the entry that it replaced, or of the first in a chain: `afterSubject` orders it there.
    /// - `subject`: the id that the entry refers to, such as the person's; `reference`: the resource of that id.
    /// - `subjectOrder`, `routeOrder`: for lists of entries; see `EntrySearch`.
    /// - `creates`: the resource of which a delivery makes a row; `needs`: the entry that creates the subject's row
    ///   (Decisions/References.md).
    /// - `discardAt`, `discardBy`, `discardActor`, `restoreTo`: set while a person can still undo a discard: until when, by whom (as a name
    ///   and as in events), and the state before it.
    private static let entry = """
        CREATE TABLE run (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL
        ) STRICT;
        INSERT INTO run (id, epoch) VALUES (1, 0);

        CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            lane TEXT NOT NULL,
            route TEXT NOT NULL,
            onDead TEXT NOT NULL CHECK (onDead IN ('halt', 'skip', 'skipFailed')),
            size INTEGER NOT NULL CHECK (size >= 0),
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            identity BLOB CHECK (length(identity) = 16),
            capturedAt INTEGER NOT NULL,
            acceptedAt INTEGER NOT NULL,
            supersedes TEXT,
            after TEXT,
            parent INTEGER,
            subject TEXT,
            reference TEXT,
            creates TEXT,
            afterSubject INTEGER NOT NULL DEFAULT 0 CHECK (afterSubject IN (0, 1)),
            replaces INTEGER,
            state TEXT NOT NULL DEFAULT 'pending'
                CHECK (state IN ('pending', 'inflight', 'delivered', 'dead', 'held', 'discarded')),
            holdReason TEXT CHECK (holdReason IN
                ('forbidden', 'unknownOutcome', 'dependency', 'crashes', 'profile', 'unreadable', 'operator', 'discarding')),
            dueAt INTEGER NOT NULL,
            aside INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1)),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            releases INTEGER NOT NULL DEFAULT 0 CHECK (releases >= 0),
            crashes INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
            uncertain INTEGER NOT NULL DEFAULT 0 CHECK (uncertain IN (0, 1)),
            uncertainAt INTEGER,
            doubtedAt INTEGER,
            doubts INTEGER NOT NULL DEFAULT 0 CHECK (doubts >= 0),
            looks INTEGER NOT NULL DEFAULT 0 CHECK (looks >= 0),
            epoch INTEGER,
            claimedAt INTEGER,
            triedAt INTEGER,
            countedAt INTEGER,
            failedAt INTEGER,
            settledAt INTEGER,
            retriedAt INTEGER,
            retriedBy TEXT,
            lastStatus INTEGER,
            lastReason TEXT,
            lastError TEXT,
            remoteID TEXT,
            discardAt INTEGER,
            discardBy TEXT,
            discardActor TEXT,
            restoreTo TEXT CHECK (restoreTo IN ('dead', 'pending') OR restoreTo GLOB 'held:?*'),
            blocks INTEGER NOT NULL GENERATED ALWAYS AS (
                state = 'inflight' OR (state = 'pending' AND NOT (aside AND onDead = 'skip'))
                OR (state IN ('dead', 'held') AND onDead = 'halt' AND holdReason IS NOT 'discarding')) VIRTUAL,
            needs TEXT GENERATED ALWAYS AS (iif(subject GLOB '\(reference)', substr(subject, 2), NULL)) VIRTUAL,
            CHECK ((state = 'held') = (holdReason IS NOT NULL)),
            CHECK ((state = 'inflight') = (epoch IS NOT NULL)),
            CHECK ((state IN ('delivered', 'discarded')) = (settledAt IS NOT NULL)),
            CHECK ((discardAt IS NULL) = (restoreTo IS NULL)),
            CHECK (discardAt IS NOT NULL OR holdReason IS NOT 'discarding')
        ) STRICT;

        CREATE UNIQUE INDEX oneInFlight ON entry (backend, account, lane) WHERE state = 'inflight';
        CREATE INDEX laneOrder ON entry (backend, account, lane, sequence) WHERE blocks;
        CREATE INDEX asideOrder ON entry (backend, account, lane, sequence) WHERE aside AND state = 'pending';
        CREATE INDEX failedOrder ON entry (backend, account, lane, sequence) WHERE state IN ('dead', 'held');
        CREATE INDEX afterOrder ON entry (after, sequence, backend, account) WHERE after IS NOT NULL AND state = 'pending';
        CREATE INDEX stateOrder ON entry (state, backend, sequence);
        CREATE INDEX settledOrder ON entry (settledAt) WHERE settledAt IS NOT NULL;
        CREATE INDEX entryEnd ON entry (substr(id, -4));
        CREATE INDEX subjectOrder ON entry (subject, sequence) WHERE subject IS NOT NULL;
        CREATE INDEX subjectWaiting ON entry (subject, sequence) WHERE afterSubject AND state = 'pending';
        CREATE INDEX subjectFailed ON entry (subject, sequence) WHERE subject IS NOT NULL AND state IN ('dead', 'held');
        CREATE INDEX routeOrder ON entry (route, capturedAt);
        CREATE INDEX neededBy ON entry (needs, state) WHERE needs IS NOT NULL AND state NOT IN ('delivered', 'discarded');
        CREATE INDEX createOrder ON entry (creates, backend) WHERE creates IS NOT NULL AND state NOT IN ('delivered', 'discarded');
        CREATE INDEX discardOrder ON entry (discardAt) WHERE discardAt IS NOT NULL;
        """

    /// `RosterID.reference`, as a pattern of SQLite.
    private static let reference = "@" + [8, 4, 4, 4, 12].map { String(repeating: "[0-9a-f]", count: $0) }.joined(separator: "-")

    /// Apart from `entry`, because SQLite rewrites a changed row as a whole, with its payload (Decisions/ContentApart.md).
    private static let content = """
        CREATE TABLE content (
            sequence INTEGER PRIMARY KEY REFERENCES entry (sequence),
            id TEXT NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT;
        """

    /// A copy of `homing.keyring`; see `WrappedKeyring`. A salvage leaves it out, because the start after it writes it again.
    private static let keyring = """
        CREATE TABLE keyring (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            wrapped BLOB NOT NULL
        ) STRICT;
        """

    /// `lane` holds each lane's first blocking entry and earlier ones that stepped aside. `tally` holds the counts for `status`, by route;
    /// `delivered` and `discarded` include pruned entries, but no replaced ones. Triggers maintain both (Decisions/DerivedTables.md), and
    /// `Outbox.supersede` takes replaced entries out. Two rows of no backend hold the last sequence and cursor: a table of their own, as of
    /// AUTOINCREMENT, would be one more page of each change.
    ///
    /// - `laneEntered`: a new entry behind a blocking one changes no head of its lane.
    private static let derived = """
        CREATE TABLE lane (
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            lane TEXT NOT NULL,
            head INTEGER NOT NULL,
            route TEXT NOT NULL,
            dueAt INTEGER,
            PRIMARY KEY (backend, account, lane, head)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX laneDue ON lane (backend, account, route, dueAt, head) WHERE dueAt IS NOT NULL;

        CREATE TABLE tally (
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            state TEXT NOT NULL,
            route TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count >= 0),
            bytes INTEGER NOT NULL CHECK (bytes >= 0),
            latest INTEGER,
            PRIMARY KEY (backend, account, state, route)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO tally (backend, account, state, route, count, bytes) VALUES ('', '', 'entry', '', 0, 0), ('', '', 'event', '', 0, 0);

        CREATE TRIGGER laneEntered AFTER INSERT ON entry
        WHEN NOT EXISTS (SELECT 1 FROM entry WHERE blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
            AND sequence < NEW.sequence)
        BEGIN
            \(refillLane)
        END;

        CREATE TRIGGER entryInserted AFTER INSERT ON entry BEGIN
            INSERT INTO tally (backend, account, state, route, count, bytes)
                VALUES (NEW.backend, NEW.account, NEW.state, NEW.route, 1, NEW.size)
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
            UPDATE tally SET count = max(count, NEW.sequence) WHERE backend = '' AND account = '' AND state = 'entry';
        END;

        CREATE TRIGGER entryMoved AFTER UPDATE OF state, holdReason, dueAt, aside ON entry
        WHEN OLD.state IS NOT NEW.state OR OLD.holdReason IS NOT NEW.holdReason OR OLD.dueAt IS NOT NEW.dueAt OR OLD.aside IS NOT NEW.aside
        BEGIN
            \(refillLane)
            \(refreshHeads("""
                WHERE sequence IN (SELECT sequence FROM entry \(following)
                    UNION ALL SELECT sequence FROM entry \(needing) AND NEW.creates IS NOT NULL AND OLD.state IS NOT NEW.state
                    UNION ALL SELECT sequence FROM entry \(waiting("SELECT NEW.subject UNION ALL \(otherSubjects("NEW"))"))
                        AND NEW.state IN ('delivered', 'discarded') AND NEW.subject IS NOT NULL)
                """))
        END;

        CREATE TRIGGER laneDueMoved AFTER UPDATE OF dueAt ON lane WHEN (OLD.dueAt IS NULL) <> (NEW.dueAt IS NULL) BEGIN
            \(refreshHeads(behind("NEW")))
        END;
        CREATE TRIGGER laneGained AFTER INSERT ON lane WHEN NEW.dueAt IS NOT NULL BEGIN \(refreshHeads(behind("NEW"))) END;
        CREATE TRIGGER laneLost AFTER DELETE ON lane WHEN OLD.dueAt IS NOT NULL BEGIN \(refreshHeads(behind("OLD"))) END;

        CREATE TRIGGER parentReplaced AFTER UPDATE OF parent ON entry BEGIN \(refreshHeads("WHERE sequence = NEW.sequence")) END;

        CREATE TRIGGER createInserted AFTER INSERT ON entry WHEN NEW.creates IS NOT NULL BEGIN \(refreshHeads(needing)) END;

        CREATE TRIGGER subjectReplaced AFTER INSERT ON entry
        WHEN NEW.replaces IS NOT NULL AND NEW.subject IS NOT NULL AND \(anyWaitsForSubject) BEGIN
            \(refreshHeads(waiting("SELECT NEW.subject UNION ALL \(otherSubjects("NEW"))")))
        END;

        CREATE TRIGGER entryCounted AFTER UPDATE OF state ON entry WHEN OLD.state IS NOT NEW.state BEGIN
            UPDATE tally SET count = count - 1, bytes = bytes - OLD.size
                WHERE backend = OLD.backend AND account = OLD.account AND state = OLD.state AND route = OLD.route;
            INSERT INTO tally (backend, account, state, route, count, bytes, latest)
                VALUES (NEW.backend, NEW.account, NEW.state, NEW.route, 1, NEW.size, NEW.settledAt)
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes, latest = excluded.latest;
        END;
        """

    /// For a new entry: above all sequences that were ever assigned.
    static let nextSequence = "max(coalesce(\(lastNumber(of: "entry")), 0), coalesce((SELECT max(sequence) FROM entry), 0)) + 1"

    /// The last number assigned to a row of `entry` or `event`; NULL if damage has removed it.
    static func lastNumber(of table: String) -> String {
        "(SELECT count FROM tally WHERE backend = '' AND account = '' AND state = '\(table)')"
    }

    /// Rebuilds the rows of one lane. `dueAt` occurs once, because SQLite compiles it with each change of an entry.
    private static let refillLane = """
        DELETE FROM lane WHERE backend = NEW.backend AND account = NEW.account AND lane = NEW.lane;
            INSERT INTO lane (backend, account, lane, head, route, dueAt)
                SELECT backend, account, lane, sequence, route, \(dueAt("entry")) FROM entry WHERE sequence IN (\(firstBlocking)
                    UNION ALL SELECT sequence FROM entry
                    WHERE aside AND state = 'pending' AND NOT blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
                        AND sequence < coalesce((\(firstBlocking)), \(Int64.max)));
        """

    private static let firstBlocking = """
        SELECT min(sequence) FROM entry WHERE blocks AND backend = NEW.backend AND account = NEW.account AND lane = NEW.lane
        """

    /// Recomputes when the heads among these entries are due. `entries` is the end of a query, after `FROM entry`. Uses the key of `lane`,
    /// because there may be 100,000 lanes.
    private static func refreshHeads(_ entries: String) -> String {
        """
        UPDATE lane SET dueAt = (SELECT \(dueAt("entry")) FROM entry WHERE entry.sequence = lane.head)
                WHERE (backend, account, lane, head) IN (SELECT backend, account, lane, sequence FROM entry
                    \(entries));
        """
    }

    private static let following = """
        INDEXED BY afterOrder WHERE backend = NEW.backend AND account = NEW.account AND after = NEW.lane AND after IS NOT NULL
                    AND state = 'pending'
        """

    private static func behind(_ lane: String) -> String {
        """
        INDEXED BY afterOrder WHERE backend = \(lane).backend AND account = \(lane).account AND after = \(lane).lane
                    AND after IS NOT NULL AND state = 'pending' AND parent = 0
        """
    }

    /// Run once `lane` has all rows: those with a `parent` of 0 depend on others.
    package static let refreshBehind = refreshHeads(
        "INDEXED BY afterOrder WHERE after IS NOT NULL AND state = 'pending' AND parent = 0")

    /// The pending entries that need a create, for its triggers. A removal has none: `dueAt` treats a settled one like one that is gone.
    private static let needing = "WHERE needs = NEW.id AND state = 'pending' AND state NOT IN ('delivered', 'discarded')"

    /// Nearly always false: one look at an empty index.
    private static let anyWaitsForSubject = """
        EXISTS (SELECT 1 FROM entry INDEXED BY subjectWaiting WHERE afterSubject AND state = 'pending')
        """

    /// - Parameter subjects: a query for the names of one row.
    private static func waiting(_ subjects: String) -> String {
        """
        INDEXED BY subjectWaiting WHERE afterSubject AND state = 'pending'
                    AND backend = NEW.backend AND account = NEW.account AND subject IN (\(subjects))
        """
    }

    /// The server's id of the entry's row, and references to the creates that made it.
    private static func otherSubjects(_ name: String) -> String {
        """
        SELECT made.remoteID AS subject FROM receipt AS made WHERE made.id = \(name).needs AND made.creates IS NOT NULL
                    AND made.backend = \(name).backend AND made.account = \(name).account
                UNION ALL SELECT '@' || made.id FROM receipt AS made WHERE made.creates IS NOT NULL
                    AND made.creates = coalesce(\(name).reference, made.creates)
                    AND made.backend = \(name).backend AND made.account = \(name).account AND made.remoteID = coalesce(
                        (SELECT remoteID FROM receipt AS own WHERE own.id = \(name).needs AND own.creates IS NOT NULL
                            AND own.backend = \(name).backend AND own.account = \(name).account), \(name).subject)
        """
    }

    /// A replacement counts in the place of the first entry, unless it waits for the other one itself.
    static func precedes(_ name: String) -> String {
        """
        (first.sequence < \(name).sequence OR (first.replaces < \(name).sequence AND NOT first.afterSubject
                AND first.lane <> \(name).lane AND first.after IS NOT \(name).lane))
        """
    }

    /// The newest undelivered entry with the same subject before this one; NULL for none. It is mostly the last to be delivered, so the
    /// search ends soon.
    static func earlierOfSubject(_ name: String) -> String {
        let isEarlier = isEarlierOfSubject(name)
        return """
            coalesce(
                (SELECT first.sequence FROM entry AS first INDEXED BY subjectOrder WHERE first.subject = \(name).subject
                    AND \(isEarlier) ORDER BY first.sequence DESC LIMIT 1),
                (SELECT max(first.sequence) FROM (\(otherSubjects(name))) AS other
                    CROSS JOIN entry AS first INDEXED BY subjectOrder WHERE first.subject = other.subject AND \(isEarlier)))
            """
    }

    private static func isEarlierOfSubject(_ name: String) -> String {
        """
        \(precedes(name)) AND first.backend = \(name).backend AND first.account = \(name).account
            AND first.reference IS \(name).reference AND first.state NOT IN ('delivered', 'discarded')
        """
    }

    /// An entry that is being discarded goes by itself.
    static func needsPerson(_ name: String) -> String {
        "(\(name).state = 'dead' OR (\(name).state = 'held' AND \(name).holdReason <> 'discarding'))"
    }

    /// True if an earlier undelivered entry with the same subject failed or is on hold.
    static func hasFailedBefore(_ name: String) -> String {
        let isFailed = "first.state IN ('dead', 'held') AND \(isEarlierOfSubject(name)) AND \(needsPerson("first"))"
        return """
            (EXISTS (SELECT 1 FROM entry AS first INDEXED BY subjectFailed WHERE first.subject = \(name).subject AND \(isFailed))
                OR EXISTS (SELECT 1 FROM (\(otherSubjects(name))) AS other
                    CROSS JOIN entry AS first INDEXED BY subjectFailed WHERE first.subject = other.subject AND \(isFailed)))
            """
    }

    /// The rows that `lane` must hold.
    package static let lanes = """
        SELECT backend, account, lane, sequence, route, \(dueAt("this")) FROM entry AS this
        WHERE (blocks OR (aside AND state = 'pending')) AND NOT EXISTS (SELECT 1 FROM entry AS other WHERE other.blocks
            AND other.backend = this.backend AND other.account = this.account AND other.lane = this.lane
            AND other.sequence < this.sequence)
        """

    /// When the entry may be claimed. NULL while one that goes before it is not settled: in flight in its lane, an earlier one of its
    /// `after` lane, the one that it needs, its `parent`, or with `afterSubject` an earlier one of its subject. If `parent` is 0, an
    /// earlier one of its `after` lane counts only while it is being sent or may be, and has not stepped aside, so that no two wait for
    /// each other.
    private static func dueAt(_ name: String) -> String {
        """
        CASE WHEN \(name).state = 'pending' AND NOT EXISTS (SELECT 1 FROM entry AS sent WHERE sent.state = 'inflight'
            AND sent.backend = \(name).backend AND sent.account = \(name).account AND sent.lane = \(name).lane)
        AND (\(name).needs IS NULL OR NOT EXISTS (SELECT 1 FROM entry AS first WHERE first.id = \(name).needs
            AND first.state NOT IN ('delivered', 'discarded')))
        AND (NOT \(name).afterSubject OR \(earlierOfSubject(name)) IS NULL)
        AND (\(name).after IS NULL OR NOT CASE WHEN \(name).parent = 0 THEN
            EXISTS (SELECT 1 FROM entry AS first WHERE first.state = 'inflight' AND NOT first.aside
                AND first.backend = \(name).backend AND first.account = \(name).account AND first.lane = \(name).after
                AND first.sequence < \(name).sequence)
            OR EXISTS (SELECT 1 FROM lane AS ahead JOIN entry AS first ON first.sequence = ahead.head AND NOT first.aside
                WHERE ahead.backend = \(name).backend AND ahead.account = \(name).account
                AND ahead.lane = \(name).after AND ahead.head < \(name).sequence AND ahead.dueAt IS NOT NULL)
        ELSE
            EXISTS (SELECT 1 FROM entry AS first WHERE first.blocks AND first.state IN ('pending', 'inflight')
                AND first.backend = \(name).backend AND first.account = \(name).account AND first.lane = \(name).after
                AND first.sequence < \(name).sequence)
            OR EXISTS (SELECT 1 FROM entry AS first WHERE first.aside AND first.state = 'pending'
                AND first.backend = \(name).backend AND first.account = \(name).account AND first.lane = \(name).after
                AND first.sequence < \(name).sequence)
            OR EXISTS (SELECT 1 FROM entry AS first WHERE first.sequence = \(name).parent
                AND first.state NOT IN ('delivered', 'discarded'))
        END)
        THEN \(name).dueAt END
        """
    }

    private static let namesOfCreatedRow = """
        SELECT NEW.remoteID UNION ALL SELECT '@' || id FROM receipt WHERE creates IS NOT NULL AND remoteID = NEW.remoteID
                    AND backend = NEW.backend AND account = NEW.account
        """

    /// - `receiptOf`: the 0 tells its rows from those of an entry's id, for a salvage; see `FoundRow`.
    /// - `receipt.altered`: the first difference between the server's echo and the payload.
    /// - `receipt.unverified`: the session's account could not be verified.
    /// - `receipt.creates`: with it, `remoteID` is the new row's id, to which references to this entry are bound.
    /// - `receipt.supersededBy`: the entry that replaces a discarded one; `receipt.resolvedBy`: the person who recorded the delivery.
    /// - `gap`: missing sequences that a salvage has counted.
    /// - `eventWords`: the events of an entry with server messages. `eventDiscards`: its discards, and those that were undone.
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
            id TEXT NOT NULL,
            sequence INTEGER PRIMARY KEY,
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
            acceptedAt INTEGER NOT NULL,
            settledAt INTEGER NOT NULL,
            altered TEXT,
            unverified INTEGER NOT NULL DEFAULT 0 CHECK (unverified IN (0, 1)),
            discardedBy TEXT,
            subject TEXT,
            creates TEXT,
            supersededBy TEXT,
            resolvedBy TEXT
        ) STRICT;
        CREATE UNIQUE INDEX receiptOf ON receipt (id, 0);
        CREATE INDEX createdRow ON receipt (remoteID, backend, account, creates) WHERE creates IS NOT NULL;

        CREATE TRIGGER rowCreated AFTER INSERT ON receipt
        WHEN NEW.creates IS NOT NULL AND NEW.remoteID IS NOT NULL AND \(anyWaitsForSubject) BEGIN
            \(refreshHeads(waiting(namesOfCreatedRow)))
        END;

        CREATE TABLE event (
            cursor INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            backend TEXT,
            account TEXT,
            entry TEXT,
            detail TEXT NOT NULL CHECK (json_valid(detail))
        ) STRICT;
        CREATE INDEX eventWords ON event (entry, kind) WHERE \(tellsAnswer);
        CREATE INDEX eventDiscards ON event (entry, kind) WHERE \(tellsDiscard);

        CREATE TRIGGER eventCounted AFTER INSERT ON event BEGIN
            UPDATE tally SET count = max(count, NEW.cursor) WHERE backend = '' AND account = '' AND state = 'event';
        END;

        CREATE TABLE gap (
            first INTEGER NOT NULL PRIMARY KEY,
            last INTEGER NOT NULL CHECK (last >= first),
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// - `origin`: each backend's base URL at first contact, because account numbers differ elsewhere.
    /// - `lookupRule`: how the lookups of a route recognise an entry. For both digests see `CheckedText`.
    /// - `session`: sealed; see `SessionRecord`. `account`: whose rosters may be stored, none after a sign-out; `keeps`: the change that ended the
    ///   session leaves its rosters.
    /// - `owedSignOut`: sealed credentials for one call, until the server has heard of a sign-out, at most for a day. A salvage leaves them out.
    /// - `notification`: a sealed message to send to one receiver, oldest first, at most 100 for each; `notified`: the sealed memory of what was
    ///   reported (Decisions/NotificationsOfAStation.md). A salvage leaves both out.
    /// - `pause`: set by a person; `quiet`: until when a server wants no requests.
    private static let people = """
        CREATE TABLE account (
            backend TEXT NOT NULL,
            id TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (backend, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE origin (
            backend TEXT NOT NULL PRIMARY KEY,
            origin TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 8)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE lookupRule (
            backend TEXT NOT NULL,
            route TEXT NOT NULL,
            rule TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 8),
            PRIMARY KEY (backend, route)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE session (
            backend TEXT NOT NULL PRIMARY KEY,
            sealed BLOB NOT NULL,
            account TEXT,
            keeps INTEGER NOT NULL DEFAULT 0 CHECK (keeps IN (0, 1))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE owedSignOut (
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            until INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (backend, account)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE notification (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL CHECK (length(id) = 36),
            receiver TEXT NOT NULL CHECK (receiver IN ('webhook', 'mail')),
            dueAt INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            sealed BLOB NOT NULL
        ) STRICT;

        CREATE TABLE notified (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            rule TEXT NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT;

        CREATE TABLE pause (
            backend TEXT NOT NULL PRIMARY KEY,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER CHECK (until > since),
            "by" TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE quiet (
            backend TEXT NOT NULL PRIMARY KEY,
            address TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER NOT NULL,
            status INTEGER,
            message TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Cached lists, which never outlive their account's session unless a person keeps them.
    ///
    /// - `roster.rule`: digest of the backend's address and the resource's declaration.
    /// - `rosterPage.sealed`: a server page with its ETag; see `CachedPage`.
    ///
    /// No unique columns: their indexes would have the shapes of a lane's place and of a gap, and a salvage could confuse them
    /// (`FoundRow`).
    private static let rosters = """
        CREATE TABLE roster (
            number INTEGER PRIMARY KEY,
            readAt INTEGER NOT NULL,
            beganAt INTEGER NOT NULL,
            revision INTEGER NOT NULL CHECK (revision > 0),
            count INTEGER NOT NULL CHECK (count BETWEEN 0 AND 10000),
            total INTEGER NOT NULL CHECK (total >= count),
            incomplete TEXT CHECK (incomplete IN ('limit', 'changing', 'contradiction', 'rows')),
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            resource TEXT NOT NULL,
            rule BLOB NOT NULL CHECK (length(rule) = 32)
        ) STRICT;
        CREATE UNIQUE INDEX rosterOf ON roster (account, backend || char(10) || resource);

        CREATE TABLE rosterPage (
            number INTEGER PRIMARY KEY,
            roster INTEGER NOT NULL REFERENCES roster (number) ON DELETE CASCADE,
            page INTEGER NOT NULL CHECK (page > 0),
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE INDEX rosterPages ON rosterPage (roster);

        CREATE TRIGGER rosterOwned BEFORE INSERT ON roster
        WHEN NOT EXISTS (SELECT 1 FROM session WHERE backend = NEW.backend AND account = NEW.account)
        BEGIN SELECT RAISE(ABORT, 'a roster belongs to the account of the session'); END;

        CREATE TRIGGER rosterMoves BEFORE UPDATE OF backend, account, resource, rule ON roster
        BEGIN SELECT RAISE(ABORT, 'a roster never changes what it is'); END;

        CREATE TRIGGER rosterEnds AFTER UPDATE OF account ON session
        WHEN OLD.account IS NOT NULL AND OLD.account IS NOT NEW.account AND NOT NEW.keeps
        BEGIN DELETE FROM roster WHERE backend = OLD.backend AND account = OLD.account; END;
        """

    /// Counted from events; see `Outbox+Figures`.
    ///
    /// - `dailyFigure.account`: empty for the backend as a whole; `refused`: counts by reason; `delays`: counts by bucket of `DelayHistogram`.
    /// - `figureCursor`: the last event counted, and outages that go on or were interrupted, by backend; see `BackendOutage`.
    private static let figures = """
        CREATE TABLE dailyFigure (
            day INTEGER NOT NULL,
            backend TEXT NOT NULL,
            account TEXT NOT NULL,
            captured INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            retried INTEGER NOT NULL,
            discarded INTEGER NOT NULL,
            signedIn INTEGER NOT NULL,
            signedOut INTEGER NOT NULL,
            signInsFailed INTEGER NOT NULL,
            outages INTEGER NOT NULL,
            outageTime INTEGER NOT NULL,
            refused TEXT NOT NULL CHECK (json_valid(refused)),
            delays TEXT NOT NULL CHECK (json_valid(delays)),
            PRIMARY KEY (day, backend, account),
            CHECK (min(captured, delivered, retried, discarded, signedIn, signedOut, signInsFailed, outages, outageTime) >= 0),
            CHECK (max(captured, delivered, retried, discarded, signedIn, signedOut, signInsFailed, outages, outageTime) < 1 << 50)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE figureCursor (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            cursor INTEGER NOT NULL,
            outages TEXT NOT NULL CHECK (json_valid(outages))
        ) STRICT;
        """

    /// Events with the `message` of an answer.
    static let tellsAnswer = "kind IN ('retrying', 'released', 'held', 'dead')"

    /// Events of the end of a discard. Its beginning, with a grace, is an event `held`.
    static let tellsDiscard = "kind IN ('discarded', 'restored')"

    /// - `contentSame`: sealing a content again keeps its length.
    private static let guards = """
        CREATE TRIGGER newestEventStays BEFORE DELETE ON event WHEN NOT EXISTS (SELECT 1 FROM event WHERE cursor > OLD.cursor)
        BEGIN SELECT RAISE(ABORT, 'the newest event stays, so that its cursor is not assigned again'); END;

        CREATE TRIGGER entryTransition BEFORE UPDATE OF state ON entry
        WHEN OLD.state IS NOT NEW.state AND NOT CASE OLD.state
            WHEN 'pending' THEN NEW.state IN ('inflight', 'delivered', 'held', 'discarded')
            WHEN 'inflight' THEN NEW.state IN ('pending', 'delivered', 'dead', 'held')
            WHEN 'dead' THEN NEW.state IN ('pending', 'delivered', 'held', 'discarded')
            WHEN 'held' THEN NEW.state IN ('pending', 'delivered', 'dead', 'discarded')
            ELSE 0 END
        BEGIN SELECT RAISE(ABORT, 'no such transition'); END;

        CREATE TRIGGER entryIdentity BEFORE UPDATE OF sequence, id, backend, account, lane, route, onDead, size, digest, capturedAt, acceptedAt,
            after, subject, creates, afterSubject, replaces ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry never changes what it is'); END;

        CREATE TRIGGER parentMoves BEFORE UPDATE OF parent ON entry
        WHEN NOT EXISTS (SELECT 1 FROM receipt JOIN entry AS other ON other.id = receipt.supersededBy
            WHERE receipt.sequence = OLD.parent AND other.sequence = NEW.parent AND other.lane = OLD.after)
        BEGIN SELECT RAISE(ABORT, 'an entry follows another one only if that replaced its parent'); END;

        CREATE TRIGGER entryStays BEFORE DELETE ON entry
        WHEN OLD.state NOT IN ('delivered', 'discarded') OR NOT EXISTS (SELECT 1 FROM receipt WHERE id = OLD.id)
        BEGIN SELECT RAISE(ABORT, 'an entry leaves only behind a receipt'); END;

        CREATE TRIGGER contentDestroyed AFTER UPDATE OF state ON entry WHEN NEW.state IN ('delivered', 'discarded') BEGIN
            DELETE FROM content WHERE sequence = NEW.sequence;
            UPDATE entry SET lastError = NULL WHERE sequence = NEW.sequence AND lastError IS NOT NULL;
            UPDATE attempt SET message = NULL WHERE entry = NEW.sequence AND message IS NOT NULL;
            UPDATE event SET detail = json_remove(detail, '$.message') WHERE entry = NEW.id AND \(tellsAnswer);
        END;

        CREATE TRIGGER contentStays BEFORE DELETE ON content
        WHEN EXISTS (SELECT 1 FROM entry WHERE sequence = OLD.sequence AND state NOT IN ('delivered', 'discarded'))
        BEGIN SELECT RAISE(ABORT, 'content leaves only with its entry'); END;

        CREATE TRIGGER contentSame BEFORE UPDATE ON content
        WHEN OLD.sequence IS NOT NEW.sequence OR OLD.id IS NOT NEW.id OR length(OLD.sealed) IS NOT length(NEW.sealed)
        BEGIN SELECT RAISE(ABORT, 'an entry never changes its content'); END;
        """
}
