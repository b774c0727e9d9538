import Foundation
import GRDB
import SyncModel

/// The waiting entries of a restored store: how many, by what happens to them next. Any of them may have been sent after the backup.
package struct RestoredEntries: Sendable, Equatable {
    /// Looked up before they are sent.
    package var lookedUp = 0
    /// Sent again: the server gives several sends one effect.
    package var repeated = 0
    /// On hold until a person has looked at the server.
    package var held = 0
    /// On hold because they need an entry that is on hold.
    package var dependent = 0

    package init(lookedUp: Int = 0, repeated: Int = 0, held: Int = 0, dependent: Int = 0) {
        (self.lookedUp, self.repeated, self.held, self.dependent) = (lookedUp, repeated, held, dependent)
    }

    /// How the backup came into the place of the store: `olderCopy` without a restore.
    enum Cause {
        case restore, olderCopy

        fileprivate var words: String {
            switch self {
            case .restore: "Homing was restored from a backup. Discard the entries that must not be sent, and then resume."
            case .olderCopy:
                """
                An older copy of the store was put in its place. Submit later captures again, discard the entries that must not be sent, \
                and then resume.
                """
            }
        }

        fileprivate var pauser: String { self == .restore ? Pause.restore : Pause.olderCopy }
    }

    /// Gives each undelivered entry an unknown outcome, holds those that would be sent although nothing can tell whether the server has
    /// them, and pauses the backends of the others. After an older copy, it also pauses those with a session.
    static func mark(
        since backup: Date, at now: Date, by actor: String, after cause: Cause = .restore,
        traits: (_ backend: String, _ route: String) -> RouteTraits?, _ db: Database
    ) throws -> RestoredEntries {
        try doubt(since: backup, now: now, db)
        let routes = try Row.fetchAll(
            db, sql: "SELECT DISTINCT backend, route FROM entry WHERE state NOT IN ('delivered', 'discarded') ORDER BY backend, route"
        ).map { (backend: $0["backend"] as String, route: $0["route"] as String) }
        var entries = RestoredEntries()
        // Without a profile, nothing is known of the route.
        let blind = routes.filter { traits($0.backend, $0.route)?.isBlind ?? true }
        for route in blind { try hold(route.backend, route.route, now: now, db) }
        // Afterwards, because an entry on hold also holds those that need its row.
        for route in blind { entries.held += try holdForGood(route.backend, route.route, db) }
        for route in routes {
            guard let traits = traits(route.backend, route.route), !traits.isBlind else { continue }
            let waiting = "SELECT count(*) FROM entry WHERE state = 'pending' AND backend = ? AND route = ?"
            let count = try Int.fetchOne(db, sql: waiting, arguments: [route.backend, route.route]) ?? 0
            if traits.canLookUp { entries.lookedUp += count } else { entries.repeated += count }
        }
        let dependent = "SELECT count(*) FROM entry WHERE state = 'held' AND holdReason = 'dependency'"
        entries.dependent = try Int.fetchOne(db, sql: dependent) ?? 0
        try pause(after: cause, at: now, by: actor, db)
        // They are about the station as it was at the backup.
        try db.execute(sql: "DELETE FROM notification; DELETE FROM notified")
        let detail = ["by": actor, "made": backup.formatted(.iso8601), "held": String(entries.held)]
        try Outbox.insert(SyncEvent(at: now, .backupRestored, detail: detail), db)
        // Above the runs of any store before: one that is put back later is an older copy.
        try db.execute(sql: "UPDATE run SET epoch = max(epoch, ?)", arguments: [now.ms])
        return entries
    }

    /// Entries that were discarded or fixed after the backup are waiting again. A person decides before they are sent.
    /// An older copy lacks later captures, so it needs a person even if it has no pending entry.
    private static func pause(after cause: Cause, at now: Date, by actor: String, _ db: Database) throws {
        let backends = "SELECT backend FROM entry WHERE state = 'pending' UNION SELECT backend FROM session WHERE ? ORDER BY backend"
        for backend in try String.fetchAll(db, sql: backends, arguments: [cause == .olderCopy]) {
            let pause = Pause(backend: backend, reason: cause.words, since: now, until: nil, by: cause.pauser)
            try Outbox.begin(pause, by: actor, now, db)
        }
    }

    private static func doubt(since backup: Date, now: Date, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE entry SET lastStatus = NULL, lastReason = ?, lastError = ?
                WHERE state IN ('pending', 'inflight') AND NOT uncertain
                """, arguments: [Failure.Reason.restored.rawValue, Outbox.restoredWords])
        // The first send of unknown outcome was not before the backup, and the last one not after the restore.
        try db.execute(
            sql: """
                UPDATE entry SET state = iif(state = 'inflight', 'pending', state), epoch = NULL, uncertain = 1,
                    uncertainAt = coalesce(uncertainAt, iif(state = 'inflight', claimedAt, NULL), ?), doubtedAt = ?, doubts = doubts + 1,
                    looks = 0
                WHERE state NOT IN ('delivered', 'discarded')
                """, arguments: [backup.ms, now.ms])
    }

    private static func hold(_ backend: String, _ route: String, now: Date, _ db: Database) throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT sequence, lastReason FROM entry WHERE state = 'pending' AND backend = ? AND route = ? ORDER BY sequence",
            arguments: [backend, route])
        for row in rows {
            let isNewDoubt = row["lastReason"] as String? == Failure.Reason.restored.rawValue
            try Outbox.hold(row["sequence"], isNewDoubt ? .restored : .unfindable, at: now, db)
        }
    }

    /// Changes the reason of those that Homing would otherwise release by itself; returns how many are on hold for their unknown outcome.
    private static func holdForGood(_ backend: String, _ route: String, _ db: Database) throws -> Int {
        let cause: StatementArguments = [Failure.Reason.restored.rawValue, Outbox.restoredWords, backend, route]
        try db.execute(
            sql: """
                UPDATE entry SET holdReason = 'unknownOutcome', lastStatus = NULL, lastReason = ?, lastError = ?
                WHERE state = 'held' AND holdReason IN ('dependency', 'profile') AND backend = ? AND route = ?
                """, arguments: cause)
        // Undoing a discard must not send it either.
        try db.execute(
            sql: """
                UPDATE entry SET restoreTo = 'held:unknownOutcome', lastStatus = NULL, lastReason = ?, lastError = ?
                WHERE state = 'held' AND restoreTo IN ('pending', 'held:dependency', 'held:profile') AND backend = ? AND route = ?
                """, arguments: cause)
        let held = "SELECT count(*) FROM entry WHERE state = 'held' AND holdReason = 'unknownOutcome' AND backend = ? AND route = ?"
        return try Int.fetchOne(db, sql: held, arguments: [backend, route]) ?? 0
    }
}

extension Outbox {
    /// The last error of an entry that may have been sent since a backup was made, or an older copy that was put in the store’s place.
    static let restoredWords = "The store was restored from an older copy, and the server may have this entry already."
}
