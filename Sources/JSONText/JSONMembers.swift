import GRDB

/// The members of a JSON object, by SQLite's reader: Foundation's keeps one of several with the same name, gives a number another text, and
/// takes hours over what stands deep.
package struct JSONMembers {
    package struct Member {
        /// As SQLite calls it: `object`, `integer`, `real`, `text`, …
        fileprivate let type: String
        /// Of an object or an array its text without white space, else byte for byte as it was; of a scalar its value.
        fileprivate let value: DatabaseValue
    }

    private let members: [String: [Member]]

    /// Of the object `text` the members called one of `names`; nil where it is no object.
    ///
    /// - Parameter text: a JSON document, without NULs.
    package init?(_ names: [String], of text: String) {
        // `try?`: what fails is a lack of memory or the document, and then nothing can be said of it.
        let members = try? Self.sqlite.get().inDatabase { db -> [String: [Member]]? in
            guard try String.fetchOne(db.makeStatement(sql: "SELECT json_type(?)"), arguments: [text]) == "object" else { return nil }
            // Not statements that are kept: they would hold on to the document. A name that goes on behind an escaped NUL is another one.
            let marks = databaseQuestionMarks(count: names.count)
            let statement = try db.makeStatement(
                sql: "SELECT key, type, value FROM json_each(?) WHERE key IN (\(marks)) AND instr(fullkey, '\\u0000') = 0")
            return try Row.fetchAll(statement, arguments: StatementArguments([text] + names)).reduce(into: [:]) { members, row in
                members[row[0], default: []].append(Member(type: row[1], value: row[2]))
            }
        }
        guard let members else { return nil }
        self.members = members
    }

    private static let sqlite = Result { try DatabaseQueue() }

    package func isRepeated(_ name: String) -> Bool { members[name, default: []].count > 1 }

    package subscript(name: String) -> Member? { members[name]?.first }
}

extension JSONMembers.Member {
    package var isObject: Bool { type == "object" }

    /// Of an object its text.
    package var object: String? { isObject ? String.fromDatabaseValue(value) : nil }

    /// Of a string what it says.
    package var string: String? { type == "text" ? String.fromDatabaseValue(value) : nil }

    /// A number that is whole, also where it is written as `5.0`.
    package var whole: Int64? {
        switch type {
        case "integer": Int64.fromDatabaseValue(value)
        case "real": Double.fromDatabaseValue(value).flatMap(Int64.init(exactly:))
        default: nil
        }
    }
}
