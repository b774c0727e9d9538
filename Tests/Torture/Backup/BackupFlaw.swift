import Foundation
import GRDB

/// A negative control of the campaign: what a station would do without one of the guarantees.
enum BackupFlaw: String, LifeFlaw {
    /// The entries of the backup are not marked, and sending is not paused.
    case unmarked = "the doubt about each waiting entry of a backup, and the pause after a restore"
    /// The backup misses entries that were acknowledged before it.
    case older = "the entries that were acknowledged just before a backup"
    /// The person says that no entry on hold took effect.
    case careless = "a person’s look at the backend before an entry on hold is sent again"
    /// The file's checksum is not examined.
    case unchecked = "the check that a backup file is whole"

    /// Imitates a restore that only copies the pages.
    static func copyUnmarked(_ file: BackupFile, to store: String) throws {
        try file.copyPages(to: store)
        let queue = try DatabaseQueue(path: store)
        try queue.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE backup; PRAGMA application_id = 0") }
        try queue.close()
    }

    /// Imitates a restore that takes every file.
    static func copy(_ file: BackupFile, to store: String) throws { try FileManager.default.copyItem(atPath: file.path, toPath: store) }

    func isSeen(in finding: LifeFinding) -> Bool {
        switch self {
        case .unmarked: finding.isSentWhilePaused && finding.duplicated > 0
        case .older: finding.lost > 0
        case .careless: finding.duplicated > 0
        case .unchecked: finding.problems.contains { $0.contains("took a damaged backup for a whole one") }
        }
    }
}
