import GRDB
import SyncModel

/// Reads the index with the fewest rows for a filter, so that no part of it alone reads the whole table.
struct EntrySearch {
    /// Rows of one index.
    private struct Source {
        /// The clauses after `FROM entry`. No two parts have a common row.
        var parts: [String]
        /// The rows of each part are in the order of acceptance.
        var isOrdered = true
    }

    private(set) var arguments: [String: (any DatabaseValueConvertible)?] = [:]
    private var conditions: [String] = []
    private var source = Source(parts: ["NOT INDEXED WHERE 1"])

    init(_ filter: EntryFilter, _ db: Database) throws {
        var sources: [Source] = []
        if let subject = filter.subject {
            sources.append(try subjects(subject, db))
            if subject.reference == nil { keepOnly(filter.resources) }
        }
        if filter.state != nil || filter.backend != nil { sources.append(try states(filter, db)) }
        if filter.route != nil || filter.since != nil || filter.until != nil { sources.append(captures(filter)) }
        let counts = try sources.map { try count($0, where: [], upTo: Self.mostSorted + 1, db) }
        guard let least = counts.min(), let best = counts.firstIndex(of: least) else { return }
        // Otherwise the newest entries are found sooner in the table.
        if least <= Self.mostSorted || sources[best].isOrdered { source = sources[best] }
    }

    /// The maximum number of rows read from an index in another order than acceptance.
    private static let mostSorted = 10_000

    func count(upTo limit: Int, _ db: Database) throws -> Int { try count(source, where: conditions, upTo: limit, db) }

    /// By ascending sequence: those after `after`, or the newest ones if it is nil.
    func entries(after: Int64?, limit: Int, _ db: Database) throws -> [Entry] {
        var arguments = arguments
        arguments["limit"] = limit
        if let after { arguments["after"] = after }
        let entries = try Entry.fetchAll(db, sql: list(ofNewest: after == nil), arguments: StatementArguments(arguments))
        return after == nil ? entries.reversed() : entries
    }

    /// The query has the arguments `limit` and, unless it is for the newest, `after`.
    func list(ofNewest: Bool) -> String {
        let order = ofNewest ? "DESC" : "ASC"
        let conditions = conditions + (ofNewest ? [] : ["sequence > :after"])
        let found = source.parts.map { part in
            "SELECT * FROM (SELECT sequence FROM entry \(Self.joined(part, conditions)) ORDER BY sequence \(order) LIMIT :limit)"
        }
        return """
            SELECT * FROM entry WHERE sequence IN (\(found.joined(separator: " UNION ALL "))) ORDER BY sequence \(order) LIMIT :limit
            """
    }

    private func count(_ source: Source, where conditions: [String], upTo limit: Int, _ db: Database) throws -> Int {
        let rows = source.parts.map { "SELECT 1 FROM entry \(Self.joined($0, conditions))" }.joined(separator: " UNION ALL ")
        return try Int.fetchOne(
            db, sql: "SELECT count(*) FROM (\(rows) LIMIT \(limit))", arguments: StatementArguments(arguments)) ?? 0
    }

    private static func joined(_ part: String, _ conditions: [String]) -> String {
        ([part] + conditions).joined(separator: " AND ")
    }
}

extension EntrySearch {
    /// By `subjectOrder`.
    private mutating func subjects(_ subject: RosterID, _ db: Database) throws -> Source {
        let meant = try Self.equals(of: subject, db).map { equal in
            var condition = "subject = \(bound(equal.subject.rawValue))"
            if let owner = equal.owner { condition += " AND backend = \(bound(owner.backend)) AND account = \(bound(owner.account))" }
            if let resource = equal.resource { condition += " AND (reference IS NULL OR reference = \(bound(resource)))" }
            return condition
        }
        conditions.append("(\(meant.joined(separator: " OR ")))")
        return Source(parts: meant.map { "INDEXED BY subjectOrder WHERE \($0)" })
    }

    /// Rows of several resources may have the same id.
    private mutating func keepOnly(_ resources: [String: Set<String>]) {
        for (backend, names) in resources.sorted(by: { $0.key < $1.key }) {
            let names = names.sorted().map { bound($0) }.joined(separator: ", ")
            conditions.append("(reference IS NULL OR backend <> \(bound(backend)) OR reference IN (\(names)))")
        }
    }

    /// Searches `stateOrder`, which is in the order of acceptance for one state and backend.
    private mutating func states(_ filter: EntryFilter, _ db: Database) throws -> Source {
        if let state = filter.state { conditions.append("state = \(bound(state.rawValue))") }
        if let backend = filter.backend { conditions.append("backend = \(bound(backend))") }
        let backends = try filter.backend.map { [$0] } ?? String.fetchAll(db, sql: "SELECT DISTINCT backend FROM tally WHERE backend <> ''")
        let states = filter.state.map { [$0] } ?? Entry.State.allCases
        return Source(
            parts: states.flatMap { state in
                backends.map { "INDEXED BY stateOrder WHERE state = \(bound(state.rawValue)) AND backend = \(bound($0))" }
            } + ["INDEXED BY stateOrder WHERE state = '' AND backend = ''"])
    }

    /// Searches `routeOrder`, which is in the order of capture for one route.
    private mutating func captures(_ filter: EntryFilter) -> Source {
        var times: [String] = []
        if let since = filter.since { times.append("capturedAt >= \(bound(since.ms))") }
        if let until = filter.until { times.append("capturedAt < \(bound(until.ms))") }
        let route = filter.route.map { "route = \(bound($0))" }
        conditions += times + [route].compactMap(\.self)
        let part = "INDEXED BY routeOrder WHERE \(route ?? "route IN (\(Self.routes))")"
        return Source(parts: [Self.joined(part, times)], isOrdered: false)
    }

    /// Finds each route by one seek.
    private static let routes = """
        WITH RECURSIVE known (route) AS (
            SELECT min(route) FROM entry
            UNION ALL SELECT (SELECT min(route) FROM entry WHERE route > known.route) FROM known WHERE known.route IS NOT NULL)
        SELECT route FROM known WHERE route IS NOT NULL
        """

    private mutating func bound(_ value: some DatabaseValueConvertible) -> String {
        let name = "value\(arguments.count)"
        arguments[name] = value
        return ":\(name)"
    }

    /// The subject and all other names of its row; `owner` and `resource` are nil if they do not matter.
    static func equals(
        of subject: RosterID, _ db: Database
    ) throws -> [(subject: RosterID, owner: Destination?, resource: String?)] {
        var equals: [(subject: RosterID, owner: Destination?, resource: String?)] = [(subject, nil, nil)]
        if let create = subject.reference {
            let made = try Row.fetchOne(
                db,
                sql: """
                    SELECT remoteID, backend, account, creates FROM receipt
                    WHERE id = ? AND creates IS NOT NULL AND remoteID IS NOT NULL
                    """,
                arguments: [create.description])
            if let made {
                let owner = Destination(backend: made["backend"], account: made["account"])
                equals.append((RosterID(made["remoteID"] as String), owner, made["creates"]))
            }
        } else {
            let creates = try String.fetchAll(
                db, sql: "SELECT id FROM receipt WHERE remoteID = ? AND creates IS NOT NULL ORDER BY sequence DESC LIMIT \(mostCreates)",
                arguments: [subject.rawValue])
            for create in creates { equals.append((RosterID("@\(create)"), nil, nil)) }
        }
        return equals
    }

    /// Each account and list may have a row of the same id.
    private static let mostCreates = 100
}
