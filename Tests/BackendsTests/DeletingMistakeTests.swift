import Backends
import Testing

struct DeletingMistakeTests {
    private static let delete = "routes.delete_managed_user"
    private static let row = #"    row: {resource: managed_users, where: {/managed_id: "{item.user_id}"}, fresh: true}"#

    @Test(arguments: [
        WrongEdit("deletes: managed_users", "deletes: people", "\(delete).deletes", "the resource that the first reference"),
        WrongEdit("deletes: managed_users", "deletes: 5", "\(delete).deletes", "text"),
        WrongEdit(
            "    deletes: managed_users\n", "    deletes: managed_users\n    changes: managed_users\n", "\(delete).deletes",
            "only one of creates, changes and deletes"),
        WrongEdit("    deletes: managed_users\n", "", "\(delete).confirm", "the key deletes in the same route"),
        WrongEdit("confirm: true", "confirm: always", "\(delete).confirm", "true or false"),
        WrongEdit("row: {resource: managed_users", "row: {resource: people", "\(delete).row.resource", "a resource of this profile"),
        WrongEdit("row: {resource: managed_users, ", "row: {", "\(delete).row.resource", "text"),
        WrongEdit("fresh: true", "fresh: false", "\(delete).row.fresh", "always read just before"),
        WrongEdit(", fresh: true", "", "\(delete).row.fresh", "always read just before"),
        WrongEdit("fresh: true", "fresh: true, max_age: 5", "\(delete).row.max_age", "fresh, resource, where"),
        WrongEdit("{/managed_id: \"{item", "{managed_id: \"{item", "\(delete).row.where.managed_id", "a JSON pointer to a value in a row"),
        WrongEdit(
            "{/managed_id: \"{item.user_id}\"}", "{/managed_id: \"5\"}", "\(delete).row.where./managed_id",
            "text with {item.…} placeholders"),
        WrongEdit("{/managed_id: \"{item.user_id}\"}", "{}", "\(delete).row.where", "at least one value"),
        WrongEdit("{/managed_id: \"{item", "{/email: \"{item", "\(delete).row.where", "as its id or in keep"),
        WrongEdit("{row./id}", "{row./email}", "\(delete).request", "as its id or in keep"),
        WrongEdit("{row./id}", "{row.id}", "\(delete).request", "{row./<pointer>}"),
        WrongEdit("{row./id}", "{row./}{row.}", "\(delete).request", "{row./<pointer>}"),
        WrongEdit("DELETE /managed_users/{row./id}", "DELETE https://other.example/{row./id}", "\(delete).row", "a path at base_url"),
        WrongEdit("\(row)\n", "", "\(delete).absent_is_done", "the key row in the same route"),
        WrongEdit("\(row)\n", "", "\(delete).request", "one of the placeholders"),
        WrongEdit("absent_is_done: true", "absent_is_done: 1", "\(delete).absent_is_done", "true or false"),
        WrongEdit("/users/{item.user_id}/profile", "/users/{item.user_id}/{row./id}", "routes.profile.request", "one of the placeholders"),
    ])
    func mistakeNamesItsKeyAndLine(edit: WrongEdit) throws {
        try edit.expectMistake()
    }

    @Test func subjectNeedsAReference() throws {
        let text = """
            schema: 1
            name: p
            base_url: https://p.example
            auth: {scheme: bearer, on_401: []}
            health: {request: GET /me, account: /id}
            routes:
              one: {request: "DELETE /people/{item.id1}", after: subject}
            """
        let mistake = try #require(try mistakes(text, "p").first)
        #expect(mistake.key == "routes.one.after" && mistake.expected.contains("a reference in fields"))
    }

    @Test func lookUpAndRowExcludeEachOther() throws {
        let text = edited(
            "    marker: /arkit_data/client_mutation_id\n", "    marker: /arkit_data/client_mutation_id\n\(Self.row)\n")
        #expect(try mistakes(text).map(\.key) == ["routes.measurement.row"])
    }
}
