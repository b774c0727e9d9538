import Files
import Foundation
import GRDB
import Glibc
import Outbox
import Vault

/// Moves a damaged store aside and puts a fresh one with all readable rows in its place. A crash at any moment loses neither: the fresh one
/// is made in the folder for the damaged files, and the next start resumes an interrupted move (Decisions/DamagedStore.md).
struct StoreRepair {
    let file: String
    let vault: Vault
    let now: Date
    let progress: () -> Void
    /// Before a salvage; throws to leave the damaged store as it is.
    let permit: () throws -> Void

    /// The error of `permit`.
    struct Refusal: Error {
        let cause: any Error
    }

    private static let unfinished = "unfinished.sqlite"
    private static let finished = "salvaged.sqlite"
    private var parts: [String] { ["-wal", "-shm", ""].map { file + $0 } }
    private var directory: String { (file as NSString).deletingLastPathComponent }
    private var mark: DurableFile { Damage.mark(of: file) }

    /// Makes sure that the store can be opened, without reading all of it. Returns the report of a salvage. Throws `tooNew` before it
    /// writes.
    func prepare() throws -> SalvageReport? {
        if let report = try finishEarlier() { return report }
        // The outbox makes a new one.
        if !StoreUse(of: file).isThere { return nil }
        // A file without access permission is not damaged; SQLite reports the reason.
        guard access(file, R_OK | W_OK) == 0 || errno == ENOENT else { return nil }
        let pages = try StorePages(path: file)
        // Its entries are not marked, so they would be sent twice.
        if pages.isBackup { throw OutboxError.isBackup }
        let known = pages.damage == nil ? pages.migrations : nil
        let ours = Set(OutboxSchema.migrator.migrations)
        let seen = Set(known ?? pages.scatteredMigrations)
        // A newer version has all our migrations and more; another name in place of one of ours is damage.
        if seen.isStrictSuperset(of: ours) { throw OutboxError.tooNew }
        if let damage = pages.damage { return try salvage(because: StoreUse(of: file).isLost ? SalvageReport.missingStore : damage) }
        if known == nil || !seen.isSubset(of: ours) { return try salvage(because: "its tables cannot be found") }
        // `try?`: the mark counts even if it cannot be read.
        if mark.exists {
            return try salvage(because: ((try? mark.read()).flatMap(\.self)).map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
        return nil
    }

    func salvage(because reason: String) throws -> SalvageReport {
        do { try permit() } catch { throw Refusal(cause: error) }
        let folder = try makeFolder()
        let fresh = folder + "/" + Self.unfinished
        do {
            let pages = try StorePages(path: file)
            var report = SalvageReport(at: now, reason: reason)
            try NewStore.write(to: fresh) { db in
                let triggers = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
                for trigger in triggers { try db.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
                let salvage = try Salvage(pages, into: db, vault: vault, because: reason, now: now, progress: progress)
                report = try salvage.run()
                try adjustEpoch(after: salvage, to: StoreUse(of: file), db)
                for trigger in triggers { try db.execute(sql: trigger["sql"]) }
            }
            try report.write(to: folder)
            try DurableFile(path: fresh).move(to: folder + "/" + Self.finished)
        } catch {
            // `try?`: the next start removes the rest.
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        return try finish(folder)
    }

    /// Makes the epoch agree with the marker: a salvaged older copy stays older, and what damage has removed makes no store a copy.
    private func adjustEpoch(after salvage: Salvage, to use: StoreUse, _ db: Database) throws {
        guard let mark = use.mark else { return }
        let event = salvage.pages.log.mayLackVersions ? nil : salvage.counters["event"]
        let isCopy = mark.isAhead(of: salvage.certainEpoch ?? mark.epoch, event: event, inode: use.inode)
        try db.execute(
            sql: "UPDATE run SET epoch = \(isCopy ? "min(epoch, ?)" : "max(epoch, ?)")", arguments: [mark.epoch + (isCopy ? -1 : 1)])
    }

    /// True if a salvage was interrupted before it had put its result in the place of the store.
    static func isPending(beside file: String) -> Bool {
        let all = SalvageReport.folder(in: (file as NSString).deletingLastPathComponent)
        // `try?`: without this folder, nothing was ever damaged.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
        return names.contains { access("\(all)/\($0)/\(finished)", F_OK) == 0 }
    }

    private func finishEarlier() throws -> SalvageReport? {
        let all = SalvageReport.folder(in: directory)
        // `try?`: without this folder, nothing was ever damaged.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? [] {
            let folder = all + "/" + name
            if access(folder + "/" + Self.finished, F_OK) == 0 { return try finish(folder) }
            let isUnfinished = access(folder + "/" + Self.unfinished, F_OK) == 0
            // Holds only our own attempt; the damaged files have not moved.
            if isUnfinished { try FileManager.default.removeItem(atPath: folder) }
        }
        return nil
    }

    private func finish(_ folder: String) throws -> SalvageReport {
        for part in parts where access(part, F_OK) == 0 {
            try DurableFile(path: part).move(to: folder + "/" + (part as NSString).lastPathComponent)
        }
        unlink(mark.path)
        let use = StoreUse(of: file)
        use.closed(StoreMark(epoch: use.mark?.epoch ?? 0))
        try DurableFile(path: folder + "/" + Self.finished).move(to: file)
        return SalvageReport(folder: folder) ?? SalvageReport(at: now, reason: "")
    }

    private func makeFolder() throws -> String {
        let all = SalvageReport.folder(in: directory)
        try DurableFile.makeFolder(all)
        let time = now.formatted(.iso8601).replacing(":", with: "-")
        var folder = all + "/" + time
        var number = 1
        while access(folder, F_OK) == 0 {
            number += 1
            folder = "\(all)/\(time).\(number)"
        }
        try DurableFile.makeFolder(folder)
        return folder
    }
}
