import Backends
import Foundation
import Testing

struct RowRuleMistakeTests {
    private static let create = "routes.create_managed_user"
    private static let profile = "routes.profile"

    @Test(arguments: [
        WrongEdit(
            "creates: managed_users", "creates: people", "\(create).creates", "a resource of this profile: fit_tests, managed_users"),
        WrongEdit("creates: managed_users", "creates: 5", "\(create).creates", "text"),
        WrongEdit("    remote_id: /managed_user/managed_id\n", "", "\(create).creates", "the key remote_id in the same route"),
        WrongEdit(
            "    creates: managed_users\n", "    creates: managed_users\n    changes: managed_users\n", "\(create).changes", "not both"),
        WrongEdit("then: profile", "then: profiles", "\(create).then", "a route of this profile with changes: managed_users"),
        WrongEdit("then: profile", "then: fit_test", "\(create).then", "a route with changes: managed_users"),
        WrongEdit("then: profile", "then: profile\n    json: {a: \"{item.payload}\"}", "\(create).then", "json without {item.payload}"),
        WrongEdit(
            "json: {profile: \"{item.payload}\"}", "json: {profile: \"{item.payload}\", room: \"{item.room}\"}", "\(create).then",
            "a route that needs no field but user_id; profile needs room"),
        WrongEdit("    creates: managed_users\n", "", "\(create).then", "the key creates in the same route"),
        WrongEdit("changes: managed_users", "changes: people", "\(profile).changes", "the resource that the first reference"),
        WrongEdit("form: [first_name", "form: [5, first_name", "\(profile).form.0", "the names of the payload's members"),
        WrongEdit("form: [first_name", "form: [last_name", "\(profile).form", "each member only once"),
        WrongEdit("values: {year_of_birth", "values: {year", "\(profile).values", "members of the form in the same route"),
        WrongEdit("[imperial, metric]", "[imperial, 5]", "\(profile).values.measurement_system", "a list of texts, or a table"),
        WrongEdit("[imperial, metric]", "imperial", "\(profile).values.measurement_system", "a list of texts, or a table"),
        WrongEdit("[imperial, metric]", "\"text\"", "\(profile).values.measurement_system", "or the word scalar"),
        WrongEdit("from: 1900", "from: 2200", "\(profile).values.year_of_birth", "the keys from and to"),
        WrongEdit("{from: 1900, to: 2100}", "{to: 2100}", "\(profile).values.year_of_birth", "the keys from and to"),
        WrongEdit("max_depth: 98", "max_depth: 98\n    values: {a: [b]}", "routes.measurement.values", "members of the form"),
        WrongEdit("max_depth: 98", "max_depth: 98\n    form: [a]", "routes.measurement.form", "the key changes in the same route"),
        WrongEdit("max_depth: 98", "max_depth: 98\n    then: profile", "routes.measurement.then", "the key creates in the same route"),
    ])
    func mistakeNamesItsKeyAndLine(edit: WrongEdit) throws {
        try edit.expectMistake()
    }

    @Test func changesNeedsReferenceAndPayload() throws {
        func profile(_ route: String) -> String {
            """
            schema: 1
            name: p
            base_url: https://p.example
            auth: {scheme: bearer, on_401: []}
            health: {request: GET /me, account: /id}
            routes:
              one: {\(route)}
            resources:
              people: {request: GET /people, list: /people, id: /id}
              masks: {request: GET /masks, list: /masks, id: /id}
            """
        }
        let reference = "fields: {id1: {reference: people}}, json: \"{item.payload}\""
        let sound = "request: \"PUT /people/{item.id1}\", changes: people, form: name"
        #expect(try load(["p.yaml": profile("\(sound), \(reference)")])[0].form(route: "one") == ["name"])
        let none = try mistakes(profile("\(sound), json: \"{item.payload}\""), "p")
        #expect(none.map(\.key) == ["routes.one.changes"])
        let other = try mistakes(profile("\(sound), \(reference)").replacing("changes: people", with: "changes: masks"), "p")
        #expect(other.map(\.key) == ["routes.one.changes"])
        #expect(other.first?.expected == "the resource that the first reference in fields names")
        let empty = try mistakes(profile("\(sound), fields: {id1: {reference: people}}"), "p")
        #expect(empty.map(\.expected) == ["{item.payload} in json, because changes applies to the payload"])
        let formless = try mistakes(profile("\(sound), \(reference)").replacing("form: name", with: "form: []"), "p")
        #expect(formless.map(\.key) == ["routes.one.form"])
    }
}
