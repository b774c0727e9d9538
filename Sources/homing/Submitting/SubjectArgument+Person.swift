import ArgumentParser
import ControlAPI

extension SubjectArgument {
    /// The id, or `@` and the full id of an entry, that `text` stands for: of a person, in the list that `user_id` refers to on any route.
    ///
    /// - Parameter backend: nil if only one backend has such a list.
    static func person(_ text: String, at backend: String?, _ client: ControlClient) async throws(Problem) -> String {
        if isID(text) { return text }
        let all = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend)).rosters
        let lists = all.filter { person(in: $0) != nil }
        guard let list = lists.first, let reference = person(in: list) else {
            throw .invalid("There is no list in which to look up ‘\(text.printable)’.", next: "Give the person's id.")
        }
        guard lists.count == 1 else {
            throw .invalid(
                "There is more than one list of people: at \(lists.map(\.backend).inWords).", next: "Name one of these with --backend.")
        }
        return try await SubjectArgument(all, route: reference.route, client)
            .id(of: text, list, takesText: reference.type == "text", "--user ")
    }

    private static func person(in roster: RosterReport) -> FieldReference? { roster.references?.first { $0.field == "user_id" } }

    /// Throws if `--user` has a value that cannot name a person.
    static func validate(user: String?) throws {
        guard let user, user.isEmpty || user.hasPrefix("-") else { return }
        throw ValidationError("--user is ‘\(user)’; expected an id or a name, as in --user 5.")
    }
}
