import ArgumentParser
import ControlAPI

extension SubjectArgument {
    struct Person: Equatable {
        /// The server's, or `@` and the full id of an entry.
        var id: String
        /// The backend of the list; nil for an id, if no backend has such a list.
        var backend: String?
        /// The account whose list has the name; nil for an id.
        var account: String?
    }

    /// Finds a person in the lists that `user_id` refers to on any route. `backend` is nil for all; `command` is for messages. With
    /// `inAll`, throws if one of the lists is unavailable, because the name may be in it.
    static func person(
        _ text: String, at backend: String?, for command: String, inAll: Bool = false, _ client: ControlClient
    ) async throws(Problem) -> Person {
        let all = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend)).rosters
        return try await person(text, at: backend, in: all, for: command, inAll: inAll) { SubjectArgument(all, route: $0, client) }
    }

    /// - Parameter argument: finds names for a route.
    static func person(
        _ text: String, at backend: String?, in all: [RosterReport], for command: String, inAll: Bool = false,
        _ argument: (String) -> SubjectArgument
    ) async throws(Problem) -> Person {
        let lists = all.filter { person(in: $0) != nil }
        guard let list = lists.first, let reference = person(in: list) else {
            if isID(text) { return Person(id: text, backend: backend) }
            throw .invalid("There is no list in which to look up ‘\(text.printable)’.", next: "Give the person's id.")
        }
        guard lists.count == 1 else {
            if inAll, let silent = lists.first(where: { $0.count == nil }), !isID(text), !text.hasPrefix("@") {
                throw .invalid(
                    "At \(silent.backend), names cannot be looked up, and ‘\(text.printable)’ may be meant there. \(silent.sentence)",
                    next: "Add --backend, with the backend whose person you mean.")
            }
            return try await person(text, inSeveral: lists, for: command, argument)
        }
        // The same id may be another person's at another backend, and a name another person's in another account.
        if isID(text) { return Person(id: text, backend: list.backend) }
        let id = try await argument(reference.route).id(of: text, list, takesText: reference.type == "text", "--user ")
        return Person(id: id, backend: list.backend, account: text.hasPrefix("@") ? nil : list.account)
    }

    /// A name may be in one of several lists; an id may be in each.
    private static func person(
        _ text: String, inSeveral lists: [RosterReport], for command: String, _ argument: (String) -> SubjectArgument
    ) async throws(Problem) -> Person {
        if isID(text) || text.hasPrefix("@") {
            throw several(
                lists.map { Person(id: text, backend: $0.backend) }, for: command,
                "There is more than one list of people: at \(lists.map(\.backend).inWords).")
        }
        var all: [(row: RosterRow, list: RosterReport)] = []
        for list in lists where list.count != nil {
            guard let reference = person(in: list) else { continue }
            let rows = try await argument(reference.route).rows(of: text, list, takesText: reference.type == "text")
            all += rows.map { ($0, list) }
        }
        let exact = all.filter { $0.row.label == text }
        let found = exact.isEmpty ? all : exact
        let people = found.map { Person(id: $0.row.id, backend: $0.list.backend, account: $0.list.account) }
        if let only = people.first, people.count == 1 { return only }
        guard found.isEmpty else {
            let places = found.map { "\($0.row.named) at \($0.list.backend.printable)" }
            throw several(people, for: command, "\(found.count) people are called ‘\(text.printable)’: \(places.inWords).")
        }
        throw unknown(text, lists)
    }

    private static func several(_ people: [Person], for command: String, _ detail: String) -> Problem {
        let commands = people.map { person in
            let backend = person.backend.map { " --backend \($0.asArgument)" } ?? ""
            return "\(command) --user \(RowReference.short(person.id).asArgument)\(backend)"
        }
        return .invalid(detail, next: (["Run the command for the right one:"] + commands).joined(separator: "\n"))
    }

    private static func unknown(_ text: String, _ lists: [RosterReport]) -> Problem {
        let searched = lists.filter { $0.count != nil }
        let others = lists.filter { $0.count == nil }.map { " At \($0.backend), names cannot be looked up. \($0.sentence)" }.joined()
        let detail =
            searched.isEmpty
            ? "Names cannot be looked up.\(others)"
            : "No person at \(searched.map(\.backend).inWords) is called ‘\(text.printable)’.\(others)"
        let commands = searched.map { "To see all, run: \($0.command) --backend \($0.backend.asArgument)" }
        return .invalid(detail, next: commands.isEmpty ? "Give the person's id, and --backend." : commands.joined(separator: "\n"))
    }

    private static func person(in roster: RosterReport) -> FieldReference? { roster.references?.first { $0.field == "user_id" } }

    /// Throws if `--user` has a value that cannot name a person.
    static func validate(user: String?) throws {
        guard let user else { return }
        guard user.count <= longestName else {
            let count = "\(Words.number(user.count)) characters; expected an id or a name of at most \(Words.number(longestName))"
            throw ValidationError("--user has \(count), as in --user 5.")
        }
        guard user.isEmpty || user.hasPrefix("-") else { return }
        throw ValidationError("--user is ‘\(user)’; expected an id or a name, as in --user 5.")
    }

    /// In characters.
    private static let longestName = 1000
}
