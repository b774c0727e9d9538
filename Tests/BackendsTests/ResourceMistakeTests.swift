import Backends
import Foundation
import Testing

struct ResourceMistakeTests {
    private static let keep = """
        keep: [/id, /managed_id, /first_name, /last_name, /fm_percent_complete, /created_at]
            created: /created_at
        """
    private static let seventeen = "keep: [\((1...17).map { "/a\($0)" }.joined(separator: ", "))]"

    @Test(arguments: [
        WrongEdit("request: GET /managed_users", "request: POST /managed_users", "request", "GET, because reading must not change"),
        WrongEdit("request: GET /managed_users", "request: HEAD /managed_users", "request", "GET, because reading must not change"),
        WrongEdit("request: GET /managed_users", "request: GET https://other.example/people", "request", "a path at base_url"),
        WrongEdit("request: GET /managed_users", "request: GET /managed_users/{item.user_id}", "request", "{device_id}, {version}"),
        WrongEdit("request: GET /managed_users", "request: GET /managed_users/{parent}", "request", "a resource with the key parent"),
        WrongEdit("    request: GET /managed_users\n", "", "request", "METHOD /path"),
        WrongEdit("list: /managed_users", "list: managed_users", "list", "JSON pointer"),
        WrongEdit("    list: /managed_users\n", "", "list", "JSON pointer"),
        WrongEdit("id: /managed_id", "id: ''", "id", "the whole row"),
        WrongEdit("id: /managed_id", "id: [/managed_id, /id]", "id", "JSON pointer"),
        WrongEdit("    id: /managed_id\n", "", "id", "JSON pointer"),
        WrongEdit("label: [/first_name, /last_name]", "label: []", "label", "1 to 4 pointers"),
        WrongEdit("label: [/first_name, /last_name]", "label: [/a, /b, /c, /d, /e]", "label", "1 to 4 pointers"),
        WrongEdit("label: [/first_name, /last_name]", "label: [/first_name, '']", "label.1", "a value in a row"),
        WrongEdit(keep, seventeen, "keep", "0 to 16 pointers"),
        WrongEdit(keep, "keep: ''", "keep", "the whole row"),
        WrongEdit(keep, "keep: [/id, id]", "keep.1", "JSON pointer"),
        WrongEdit(keep, "keep: [/id, /id]", "keep", "only once"),
        WrongEdit("one: person, ", "", "title.one", "1 to 40 characters"),
        WrongEdit(", many: people", "", "title.many", "1 to 40 characters"),
        WrongEdit("one: person", "one: Person", "title.one", "a capital letter"),
        WrongEdit("one: person", "one: ''", "title.one", "1 to 40 characters"),
        WrongEdit("one: person", #"one: "a\nb""#, "title.one", "1 to 40 characters"),
        WrongEdit("one: person", "one: ' person'", "title.one", "1 to 40 characters"),
        WrongEdit("many: people", "many: \(String(repeating: "a", count: 41))", "title.many", "1 to 40 characters"),
        WrongEdit("many: people", "many: people, few: people", "title.few", "many, one"),
        WrongEdit("max_age: 86400", "max_age: 59", "max_age", "a number of seconds from 60"),
        WrongEdit("max_age: 86400", "max_age: 2592001", "max_age", "a number of seconds from 60"),
        WrongEdit("total: /total_count", "total: total_count", "pages.total", "JSON pointer"),
        WrongEdit("max_age: 86400", "max_age: 86400\n    gone: [GONE]", "gone", "the key parent"),
        WrongEdit("max_age: 86400", "max_age: 86400\n    since: since", "since", "max_age"),
        WrongEdit("max_age: 86400", "max_age: 86400\n    tombstones: {list: /tombstones}", "tombstones", "max_age"),
    ])
    func eachMistakeNamesItsKeyAndLine(edit: WrongEdit) throws {
        // The profile has such keys elsewhere too.
        let whole = shippedProfile
        let table = try #require(whole.range(of: "\nresources:\n"))
        let place = try #require(whole.range(of: edit.old, range: table.upperBound..<whole.endIndex))
        let text = whole.replacingCharacters(in: place, with: edit.new)
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": text]) })
        let mistake = try #require(mistakes.all.first)
        #expect(mistake.key == "resources.managed_users.\(edit.key)", "\(mistakes)")
        #expect(mistake.expected.contains(edit.expected), "\(mistake)")
        #expect(mistake.line != nil)
        #expect(mistakes.all.count == 1, "one mistake sets off no avalanche: \(mistakes)")
    }

    @Test(arguments: [
        ("Fit Tests: {", "resources.Fit Tests", "lowercase letters"),
        ("other: {title: {one: human, many: pEople}, ", "resources.managed_users.title", "no other resource"),
        ("people: {", "resources.managed_users.title", "no other resource"),
    ])
    func namesAndTitlesAreUnambiguous(start: String, key: String, expected: String) throws {
        let mistake = try #require(
            try mistakes("\nresources:\n", "\nresources:\n  \(start)request: GET /a, list: /a, id: /id}\n").first)
        #expect(mistake.key == key)
        #expect(mistake.expected.contains(expected), "\(mistake)")
        #expect(mistake.line != nil)
    }

    @Test(arguments: [
        ("touches: people", "", "a resource of this profile: fit_tests, managed_users"),
        ("touches: [managed_users, masks]", ".1", "managed_users"),
        ("touches: [5]", ".0", "text"), ("touches: 5", "", "text, or a list of texts"),
    ])
    func routesTouchDeclaredResources(touches: String, index: String, expected: String) throws {
        let mistakes = try mistakes("    max_depth: 98", "    max_depth: 98\n    \(touches)")
        #expect(mistakes.map(\.key) == ["routes.measurement.touches\(index)"])
        #expect(mistakes.first?.expected.contains(expected) == true)
        #expect(mistakes.first?.line != nil)
    }

    @Test func touchingAFaultyResourceIsNoSecondMistake() throws {
        #expect(try mistakes("request: GET /managed_users\n", "request: GET\n").map(\.key) == ["resources.managed_users.request"])
    }

    private func mistakes(_ old: String, _ new: String) throws -> [Mistake] {
        try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": edited(old, new)]) }).all
    }
}
