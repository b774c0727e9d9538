import Foundation
import GRDB
import Outbox
import SyncModel

extension Salvage {
    /// Inserts an entry; an incomplete or invalid one is held as `unreadable`. With `isNewest`, it cannot have had a later version.
    func insertEntry(_ sequence: Int64, _ values: [DatabaseValue], isWhole: Bool, isNewest: Bool) throws {
        var row = Dictionary(zip(columns.dropFirst(), values), uniquingKeysWith: { first, _ in first })
        guard let id = row["id"]?.text.flatMap({ MutationID($0) }) else { return }
        row["id"] = id.description.databaseValue
        row["sequence"] = sequence.databaseValue
        if try Bool.fetchOne(db, sql: "SELECT 1 FROM entry WHERE id = ?", arguments: [id.description]) == true { return }
        if try Bool.fetchOne(db, sql: "SELECT 1 FROM entry WHERE sequence = ?", arguments: [sequence]) == true || sequence > Self.greatest {
            return displaced.append(row)
        }
        func doubt() {
            row["uncertain"] = 1.databaseValue
            let began = row["state"]?.text == "inflight" ? row["claimedAt"]?.integer : nil
            if row["uncertainAt"]?.isNull ?? true { row["uncertainAt"] = (began ?? now.ms).databaseValue }
        }
        // Later changes are unknown, so it is looked up before it is sent.
        if !isNewest, ["pending", "inflight"].contains(row["state"]?.text) { doubt() }
        if try isWhole && insert(row) { return }
        if isWhole, row["state"]?.text == "inflight" {
            // In an earlier version, it may be in flight beside another entry of its lane.
            doubt()
            row["state"] = "pending".databaseValue
            row["epoch"] = .null
            if try insert(row) { return }
        }
        try holdUnreadable(row)
    }

    /// Above all sequences, and below all times in milliseconds from 2004 on.
    static let greatest: Int64 = 1 << 40

    /// Gives displaced entries without a receipt a new sequence, last in their lanes, and holds them.
    func insertDisplaced() throws {
        for var row in displaced where try !hasReceipt(row["id"]?.text ?? "") {
            row["sequence"] = (assigned["entry", default: 0] + 1).databaseValue
            if try holdUnreadable(row) { _ = next("entry") }
        }
    }

    /// False if the row violates a constraint.
    private func insert(_ row: [String: DatabaseValue]) throws -> Bool {
        let names = columns.filter { row[$0] != nil }
        let places = names.map { _ in "?" }.joined(separator: ", ")
        do {
            try db.cachedStatement(sql: "INSERT INTO entry (\(names.joined(separator: ", "))) VALUES (\(places))")
                .execute(arguments: StatementArguments(names.map { row[$0] ?? .null }))
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    /// Holds the readable parts of an entry. Drops it if its lane is unknown.
    @discardableResult
    func holdUnreadable(_ row: [String: DatabaseValue]) throws -> Bool {
        var kept: [String: DatabaseValue] = [:]
        for name in ["sequence", "id", "backend", "account", "lane", "route"] { kept[name] = row[name] }
        func keep(_ name: String, where isGood: (DatabaseValue) -> Bool, else value: some DatabaseValueConvertible) {
            kept[name] = row[name].flatMap { isGood($0) ? $0 : nil } ?? value.databaseValue
        }
        keep("onDead", where: { $0.text.flatMap(Mutation.OnDead.init) != nil }, else: "skip")
        keep("size", where: { ($0.integer ?? -1) >= 0 }, else: 0)
        keep("digest", where: { Data.fromDatabaseValue($0)?.count == 32 }, else: Data(count: 32))
        for name in ["attempts", "releases", "crashes", "doubts", "looks"] { keep(name, where: { ($0.integer ?? -1) >= 0 }, else: 0) }
        keep("afterSubject", where: { [0, 1].contains($0.integer) }, else: 0)
        if row["replaces"]?.integer != nil { kept["replaces"] = row["replaces"] }
        for name in ["capturedAt", "acceptedAt"] { keep(name, where: { $0.integer != nil }, else: now.ms) }
        for name in ["triedAt", "countedAt", "identity", "after", "parent", "subject", "reference", "creates"] { kept[name] = row[name] }
        kept["dueAt"] = Outbox.atOnce.databaseValue
        kept["state"] = "held".databaseValue
        kept["holdReason"] = HoldReason.unreadable.rawValue.databaseValue
        // It may have been in flight.
        kept["uncertain"] = 1.databaseValue
        kept["uncertainAt"] = now.ms.databaseValue
        kept["lastReason"] = "unreadable".databaseValue
        kept["lastError"] = "The store was damaged, and the remaining data of this entry is not what Homing accepted.".databaseValue
        guard try insert(kept) else { return false }
        held.append((row["id"]?.text.flatMap { MutationID($0) }, row["backend"]?.text, row["account"]?.text, .unreadable))
        return true
    }
}
