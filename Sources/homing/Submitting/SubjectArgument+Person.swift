import ArgumentParser
import ControlAPI

extension SubjectArgument {
    struct Person: Equatable {
        /// The server's id, or `@` and the full id of an entry.
        var id: String
        /// Of the list; nil for an id, if no backend has such a list.
        var backend: String?
        /// The account of the list in which the name was found; nil for an id.
        var account: String?
    }

    /// The person that `text` stands for, in the list that `user_id` refers to on any route.
    ///
    /// - Parameter backend: nil if only one backend has such a list.
    static func person(_ text: String, at backend: String?, _ client: ControlClient) async throws(Problem) -> Person {
        let all = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend)).rosters
        return try await person(text, at: backend, in: all) { SubjectArgument(all, route: $0, client) }
    }

    /// - Parameter argument: finds names for a route.
    static func person(
        _ text: String, at backend: String?, in all: [RosterReport], _ argument: (String) -> SubjectArgument
    ) async throws(Problem) -> Person {
        let lists = all.filter { person(in: $0) != nil }
        guard let list = lists.first, let reference = person(in: list) else {
            if isID(text) { return Person(id: text, backend: backend) }
            throw .invalid("There is no list in which to look up ‘\(text.printable)’.", next: "Give the person's id.")
        }
        guard lists.count == 1 else {
            throw .invalid(
                "There is more than one list of people: at \(lists.map(\.backend).inWords).", next: "Name one of these with --backend.")
        }
        // The same id may be another person's at another backend, and a name may be another person's in another account.
        if isID(text) { return Person(id: text, backend: list.backend) }
        let id = try await argument(reference.route).id(of: text, list, takesText: reference.type == "text", "--user ")
        return Person(id: id, backend: list.backend, account: text.hasPrefix("@") ? nil : list.account)
    }

    private static func person(in roster: RosterReport) -> FieldReference? { roster.references?.first { $0.field == "user_id" } }

    /// Throws if `--user` has a value that cannot name a person.
    static func validate(user: String?) throws {
        guard let user, user.isEmpty || user.hasPrefix("-") else { return }
        throw ValidationError("--user is ‘\(user)’; expected an id or a name, as in --user 5.")
    }
}
