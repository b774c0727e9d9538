import Foundation
import GRDB
import SyncModel

/// The members of a JSON document's outermost object, by SQLite's reader; Foundation's keeps one of several with the same name.
enum JSONMembers {
    private static let sqlite = Result { try DatabaseQueue() }

    /// The names that stand there more than once.
    ///
    /// - Parameter document: an object in UTF-8, without NULs. What SQLite, which is strict, does not take for JSON is not understood.
    static func repeated(in document: Data) throws(CaptureFile.NotUnderstood) -> Set<String> {
        let text = String(decoding: document.withoutByteOrderMark, as: UTF8.self)
        do {
            return try sqlite.get().inDatabase { db in
                // Not one that is kept: it would hold on to the document.
                let statement = try db.makeStatement(sql: "SELECT key FROM json_each(?) GROUP BY key HAVING count(*) > 1")
                return try String.fetchSet(statement, arguments: [text])
            }
        } catch {
            throw CaptureFile.NotUnderstood.noObject
        }
    }
}
