import ControlAPI
import SyncModel

/// Fields that take the id of a row, such as a person, accept its name too, and `@` with the id of the entry that creates it.
struct SubjectArgument {
    private let all: [RosterReport]
    /// The lists with fields of the route; empty if the backend must be named first.
    private let rosters: [RosterReport]
    private let route: String
    private let page: (RosterQuery) async throws(Problem) -> RosterPage
    private let entry: (String) async throws(Problem) -> NamedEntry

    /// `entry` finds an entry by a short id or a number.
    init(
        _ rosters: [RosterReport], route: String, page: @escaping (RosterQuery) async throws(Problem) -> RosterPage,
        entry: @escaping (String) async throws(Problem) -> NamedEntry
    ) {
        let meant = rosters.filter { $0.references?.contains { $0.route == route } == true }
        all = rosters
        self.rosters = Set(meant.map(\.backend)).count == 1 ? meant : []
        self.route = route
        self.page = page
        self.entry = entry
    }

    struct NamedEntry {
        let id: String
        let subject: SubjectReport?
    }

    /// A number is an id, even if a person has that name.
    static func isID(_ value: String) -> Bool { Int64(value) != nil }

    /// The field with an id in place of a name; unchanged if it takes none. `option` and `end` surround the value in messages.
    func resolved(_ item: ItemField, option: String, end: String = "") async throws(Problem) -> ItemField {
        guard !Self.isID(item.value), !item.value.isEmpty else { return item }
        for roster in rosters {
            guard let reference = roster.references?.first(where: { $0.route == route && $0.field == item.name }) else { continue }
            let id = try await id(of: item.value, roster, takesText: reference.type == "text", option, end: end)
            return ItemField(name: item.name, value: id)
        }
        return item
    }

    /// The id that `text` stands for in the list.
    func id(
        of text: String, _ roster: RosterReport, takesText: Bool, _ option: String, end: String = ""
    ) async throws(Problem) -> String {
        if let id = try await reference(text, roster, takesText: takesText) { return id }
        guard roster.count != nil else {
            // Any text may be an id there.
            if takesText { return text }
            throw .invalid("Names cannot be looked up. \(roster.sentence)", next: "Or give the id: \(option)ID\(end)")
        }
        if takesText, try await page(query(roster) { $0.ids = [text] }).rows.contains(where: { $0.id == text }) { return text }
        let found = try await page(query(roster) { $0.label = text })
        let rows = Self.closest(found.rows, to: text, isWhole: found.rows.count == found.matching)
        guard let row = rows.first else {
            // The daemon warns of an id that is not in the list.
            if takesText { return text }
            throw try await unknown(text, roster)
        }
        guard rows.count == 1 else {
            let count = rows.count == found.rows.count ? found.matching : rows.count
            let names = rows.prefix(Self.shown).map(\.named).joined(separator: ", ") + (count > Self.shown ? ", …" : "")
            let commands = rows.prefix(Self.shown).map { "\(option)\($0.shownID.asArgument)\(end)" }
            throw .invalid(
                "\(count) \(roster.title.many) are called ‘\(text.printable)’: \(names).",
                // No concrete id, which would be copied for the wrong one.
                next: option.hasPrefix("homing ")
                    ? (["Run the command for the right one:"] + commands).joined(separator: "\n") : "Give the id: \(option)ID\(end)")
        }
        return row.id
    }

    /// The exact matches, if any. `isWhole` is false if more rows fit than these.
    static func closest(_ rows: [ControlAPI.RosterRow], to text: String, isWhole: Bool = true) -> [ControlAPI.RosterRow] {
        let exact = rows.filter { $0.label == text }
        return exact.isEmpty || !isWhole ? rows : exact
    }

    private static let shown = 10

    /// The rows with this label, or with this id if any text can be an id.
    func rows(of text: String, _ roster: RosterReport, takesText: Bool) async throws(Problem) -> [ControlAPI.RosterRow] {
        if takesText, let row = try await page(query(roster) { $0.ids = [text] }).rows.first(where: { $0.id == text }) { return [row] }
        return try await page(query(roster) { $0.label = text }).rows
    }

    /// `@` with the full id of the entry that creates the row; nil if `text` is no reference.
    private func reference(_ text: String, _ roster: RosterReport, takesText: Bool) async throws(Problem) -> String? {
        let name = String(text.dropFirst())
        guard text.hasPrefix("@"), let parsed = EntryName(name) else { return nil }
        if parsed.id != nil { return text.lowercased() }
        do throws(Problem) {
            let found = try await entry(name)
            // The entry may have the new row's form: it is about the same row.
            if let subject = found.subject, subject.resource == roster.resource {
                if let reference = subject.reference ?? (subject.isNew == true ? subject.id : nil) { return reference }
            }
            return "@\(found.id)"
        } catch {
            guard error.code == .notFound else { throw error }
            // Any text may be an id there.
            if takesText { return nil }
            var problem = error
            problem.detail = "The \(roster.title.one) ‘\(text.printable)’ is unknown. \(error.detail)"
            throw problem
        }
    }

    /// Names up to three rows that share a word with `text`.
    private func unknown(_ text: String, _ roster: RosterReport) async throws(Problem) -> Problem {
        var similar: [String] = []
        for word in text.split(separator: " ").prefix(4) where word.count > 1 {
            let rows = try await page(query(roster, limit: 3) { $0.find = String(word) }).rows
            for row in rows.map(\.named) where !similar.contains(row) { similar.append(row) }
        }
        let hint = similar.isEmpty ? "" : " Similar: \(similar.prefix(3).joined(separator: ", "))."
        let title = roster.title.many
        let isOnly = all.count { $0.title.many == title } == 1
        let command = roster.command + (isOnly ? "" : " --backend \(roster.backend.asArgument)")
        return .invalid(
            "No \(roster.title.one) is called ‘\(text.printable)’.\(hint)",
            next: "To see all, run: \(command)\nAfter a change at \(roster.backend), run: \(command) --refresh")
    }

    private func query(_ roster: RosterReport, limit: Int = 100, _ change: (inout RosterQuery) -> Void) -> RosterQuery {
        var query = RosterQuery(resource: roster.resource, backend: roster.backend, limit: limit)
        change(&query)
        return query
    }
}

extension SubjectArgument {
    init(_ rosters: [RosterReport], route: String, _ client: ControlClient) {
        self.init(rosters, route: route) { query async throws(Problem) in
            try await client.call(Endpoints.roster, query)
        } entry: { name async throws(Problem) in
            do throws(Problem) {
                let entry = try await client.call(Endpoints.entry, EntryReference(id: name)).entry
                return NamedEntry(id: entry.id, subject: entry.subject)
            } catch {
                guard error.code == .notFound else { throw error }
                // Long after its delivery, only the receipt is left.
                let receipt = try await client.call(Endpoints.receipt, EntryReference(id: name))
                return NamedEntry(id: receipt.id, subject: receipt.subject)
            }
        }
    }

    /// The fields with ids in place of names, and `user` as the field `user_id`. Asks the daemon only if a value may be a name.
    static func fields(
        _ items: [ItemField], user: String?, route: String, at backend: String?, _ client: ControlClient
    ) async throws(Problem) -> [ItemField] {
        let users = user.map { [ItemField(name: "user_id", value: $0)] } ?? []
        guard !(items + users).allSatisfy({ isID($0.value) }) else { return items + users }
        var rosters: [RosterReport] = []
        do throws(Problem) {
            rosters = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend)).rosters
        } catch {
            // A starting daemon gets its second chance at the submission.
            if error.code != .daemonNotRunning { throw error }
        }
        let argument = SubjectArgument(rosters, route: route, client)
        var fields: [ItemField] = []
        for item in items { fields.append(try await argument.resolved(item, option: "--item \(item.name)=")) }
        for item in users { fields.append(try await argument.resolved(item, option: "--user ")) }
        return fields
    }
}
