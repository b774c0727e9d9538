import Backends
import Foundation
import Testing

struct ProfileMistakeTests {
    static let login = #"json: {user: {email: "{email}", password: "{password}", remember_me: "1"}}"#

    @Test(
        "34: each mistake in a profile names its key and line",
        arguments: [
            WrongEdit("schema: 1", "schema: 2", "schema", "1"),
            WrongEdit("schema: 1\n", "", "schema", "1"),
            WrongEdit("name: breathesafe\n", "", "name", "a name"),
            WrongEdit("name: breathesafe", "name: Breathe Safe", "name", "lowercase letters"),
            WrongEdit("name: breathesafe", "name: other", "name", "the file name without .yaml"),
            WrongEdit("base_url: https://www.breathesafe.xyz", "", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "http://www.breathesafe.xyz", "base_url", "loopback"),
            WrongEdit("https://www.breathesafe.xyz", "https://u:p@www.breathesafe.xyz", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "https://www.breathesafe.xyz?a=b", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "ftp://www.breathesafe.xyz", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "http://127.0.0.1.example.org", "base_url", "loopback"),
            WrongEdit("timeout: 60", "timeout: '60'", "timeout", "seconds"),
            WrongEdit("timeout: 60", "timeout: 0", "timeout", "seconds"),
            WrongEdit("timeout: 60", "timeuot: 60", "timeuot", "timeout"),
            WrongEdit("{Accept: application/json}", "{Accept: true}", "headers.Accept", "text; put it in quotes"),
            WrongEdit("{Accept: application/json}", "{Cookie: a=b}", "headers.Cookie", "a header name other than"),
            WrongEdit("{Accept: application/json}", "{Content-Encoding: gzip}", "headers.Content-Encoding", "a header name other than"),
            WrongEdit("{Accept: application/json}", "{'X Y': a}", "headers.X Y", "a header name"),
            WrongEdit("{Accept: application/json}", #"{X-Y: "a\r\nb"}"#, "headers.X-Y", "on one line"),
            WrongEdit("{Accept: application/json}", "{X-Y: '{item.id}'}", "headers.X-Y", "{device_id}, {version}"),
            WrongEdit("timeout: 60", "vars: {version: x}", "vars.version", "a name other than"),
            WrongEdit("scheme: cookie", "scheme: bearer", "auth.login.access", "JSON pointer"),
            WrongEdit("scheme: cookie", "scheme: basic", "auth.scheme", "cookie"),
            WrongEdit("on_401: [login]", "on_401: [refresh]", "auth.on_401.0", "login, or an empty list"),
            WrongEdit("on_401: [login]", "on_401: [login, login]", "auth.on_401", "each step only once"),
            WrongEdit("on_401: [login]", "skew: 5", "auth.skew", "on_401"),
            WrongEdit("token: /csrf_token", "token: csrf_token", "auth.csrf.token", "JSON pointer"),
            WrongEdit("token: /csrf_token, ", "", "auth.csrf.token", "JSON pointer"),
            WrongEdit("header: X-CSRF-Token", "header: ''", "auth.csrf.header", "a header name"),
            WrongEdit("request: POST /users/log_in", "request: /users/log_in", "auth.login.request", "METHOD /path"),
            WrongEdit("request: POST /users/log_in", "request: FETCH /users/log_in", "auth.login.request", "METHOD /path"),
            WrongEdit("request: POST /users/log_in", "request: POST users/log_in", "auth.login.request", "METHOD /path"),
            WrongEdit("request: POST /users/log_in", "request: 'POST /users/log_in?p={password}'", "auth.login.request", "{password} only"),
            WrongEdit("request: POST /users/log_in", "request: 'POST /users/log_in?p={access}'", "auth.login.request", "never in a URL"),
            WrongEdit("request: POST /users/log_in", "request: GET /users/log_in", "auth.login.request", "takes a body"),
            WrongEdit("request: POST /users/log_in", "request: POST http://example.org/log_in", "auth.login.request", "loopback"),
            WrongEdit(Self.login, "json: {user: '{name}'}", "auth.login.json.user", "{email}"),
            WrongEdit(Self.login, "json: {user: '{refresh}'}", "auth.login.json.user", "{refresh} only"),
            WrongEdit(Self.login, "json: {user: 'a {email'}", "auth.login.json.user", "placeholders"),
            WrongEdit(
                Self.login, "json: {user: {email: {email}, password: '{password}'}}", "auth.login.json.user.email", #""{email}", in quotes"#
            ),
            WrongEdit(
                Self.login, "json: {user: {email: '{email}', password: {password}}}", "auth.login.json.user.password", #""{password}""#),
            WrongEdit(Self.login, "json: {user: '{email}', word: }", "auth.login.json.word", "a value"),
            WrongEdit(Self.login, "json: {user: '{email}'}", "auth.login.request", "{password} in a header or in the body"),
            WrongEdit(Self.login, "form: {user: {email}}", "auth.login.form.user", "in quotes"),
            WrongEdit(
                #"{arkit_data: "{item.payload}"}"#, "{arkit_data: {item.payload}}", "routes.measurement.json.arkit_data", "in quotes"),
            WrongEdit(#"{profile: "{item.payload}"}"#, "{item.payload}", "routes.profile.json", #""{item.payload}", in quotes"#),
            WrongEdit(#"{profile: "{item.payload}"}"#, "[{item.note?}]", "routes.profile.json.0", #""{item.note?}", in quotes"#),
            WrongEdit(Self.login, "json: {a: 1}\n    form: {a: b}", "auth.login.form", "either json or form, not both"),
            WrongEdit("    account: /id\n", "", "auth.login.account", "JSON pointer"),
            WrongEdit("    account: /id\n", "    account: []\n", "auth.login.account", "a JSON pointer such as /data/id, or a list of"),
            WrongEdit("email: /email", "email: /e~mail", "auth.login.email", "JSON pointer"),
            WrongEdit("on_failure: clear", "on_failure: forget", "auth.logout.on_failure", "clear, keep"),
            WrongEdit("on_failure: clear", "json: {p: '{password}'}", "auth.logout.json.p", "{password} only"),
            WrongEdit("on_failure: clear", "outbox: burn", "auth.logout.outbox", "hold, drop, refuse"),
            WrongEdit(
                "request: DELETE /users/log_out, ", "json_all: {a: 1}, ", "auth.logout.json_all", "the key request in the same table"),
            WrongEdit(", account: /currentUser/id", "", "health.account", "JSON pointer"),
            WrongEdit("GET /users/get_current_user", "POST /users/get_current_user", "health.request", "GET"),
            WrongEdit("dead: [", "deed: [", "errors.deed", "dead"),
            WrongEdit("code: [/messages/0, /error]", "code: [messages]", "errors.code.0", "JSON pointer"),
            WrongEdit("code: [/messages/0, /error]", "code: 3.5", "errors.code", "a JSON pointer such as /data/id, or a list of them"),
            WrongEdit("\"Unauthorized.\"]", "401]", "errors.auth.3", "text"),
            WrongEdit("schema: 1", "schema: 1\nidempotency: {quoted: true}", "idempotency.header", "a header name"),
            WrongEdit("marker: /arkit_data/client_mutation_id", "marker: /arkit_data/a/b", "routes.measurement.marker", "a new member"),
            WrongEdit("marker: /arkit_data/client_mutation_id", "marker: /arkit_data", "routes.measurement.marker", "a new member"),
            WrongEdit("    marker: /arkit_data/client_mutation_id\n", "", "routes.measurement.find", "the key marker in the same route"),
            WrongEdit("match: /arkit/client_mutation_id", "match: arkit", "routes.measurement.find.match", "JSON pointer"),
            WrongEdit("      list: /facial_measurements\n", "", "routes.measurement.find.list", "JSON pointer"),
            WrongEdit("GET /users/{item.user_id}/facial", "DELETE /users/{item.user_id}/facial", "routes.measurement.find.request", "GET"),
            WrongEdit("unknown_on: [500, 406]", "unknown_on: [200]", "routes.measurement.unknown_on.0", "a status"),
            WrongEdit("{type: integer, reference: managed_users}", "number", "routes.measurement.fields.user_id", "integer, text"),
            WrongEdit("{user_id: {type", "{usr_id: {type", "routes.measurement.fields", "fields that the route uses"),
            WrongEdit("{user_id: {type: integer, reference: managed_users}}", "integer", "routes.measurement.fields", "a table of keys"),
            WrongEdit("type: integer, reference", "type: number, reference", "routes.measurement.fields.user_id.type", "integer, text"),
            WrongEdit("reference: managed_users", "refers: managed_users", "routes.measurement.fields.user_id.refers", "reference, type"),
            WrongEdit(
                "reference: managed_users", "reference: people", "routes.measurement.fields.user_id.reference",
                "a resource of this profile: fit_tests, managed_users"),
            WrongEdit("reference: managed_users", "reference: 5", "routes.measurement.fields.user_id.reference", "text"),
            WrongEdit("requires: [/average_measurements]", "requires: [average]", "routes.measurement.requires.0", "JSON pointer"),
            WrongEdit("delivery: at-most-once", "requires: [/a]", "routes.create_managed_user.requires", "{item.payload} in json"),
            WrongEdit("delivery: at-most-once", "compress: gzip", "routes.create_managed_user.compress", "{item.payload} in json"),
            WrongEdit("max_depth: 98", "compress: br", "routes.measurement.compress", "one of gzip"),
            WrongEdit("on_dead: skip", "on_dead: stop", "routes.measurement.on_dead", "halt, skip"),
            WrongEdit(
                "delivery: at-most-once", "delivery: once", "routes.create_managed_user.delivery", "at-least-once, at-most-once, repeatable"
            ),
            WrongEdit("on_dead: skip", "empty: true", "routes.measurement.empty", "either empty or remote_id, not both"),
            WrongEdit("on_dead: skip", "gone: [no such row]", "routes.measurement.gone", "DELETE"),
            WrongEdit("lane: users/{item.user_id}", "lane: users/{user_id}", "routes.measurement.lane", "{item.<field>}"),
            WrongEdit("lane: users/{item.user_id}", #"lane: "users/{item.user_id}\e""#, "routes.measurement.lane", "text on one line"),
            WrongEdit("lane: users/{item.user_id}", #"lane: "{item.user_id}\u202E""#, "routes.measurement.lane", "text on one line"),
            WrongEdit(
                "behind: fit_tests/{item.user_id}", #"behind: "fit_tests/\n{item.user_id}""#, "routes.measurement.behind",
                "without control characters"),
            WrongEdit("\n  fit_test:\n", "\n  \"fit\\u202Etest\":\n", "routes.fit\u{202E}test", "text on one line"),
            WrongEdit(
                "lane: users/{item.user_id}", "lane: users/{item.payload}", "routes.measurement.lane", "{item.payload} as a whole value"),
            WrongEdit(
                "POST /users/{item.user_id}/", "POST /users/{item.user_id?}/", "routes.measurement.request", "without a question mark"),
            WrongEdit("POST /users/{item.user_id}/", "POST https://{item.user_id}/", "routes.measurement.request", "a fixed host"),
            WrongEdit(
                "POST /users/{item.user_id}/", "POST https://example.org{item.user_id}/", "routes.measurement.request", "a fixed host"),
            WrongEdit(
                #"{arkit_data: "{item.payload}"}"#, #"{arkit_data: "x{item.payload}"}"#, "routes.measurement.json.arkit_data",
                "as a whole value"),
            WrongEdit("max_age: 86400", "max_age: 1 day", "resources.managed_users.max_age", "seconds"),
            WrongEdit("per_page: per_page", "per_page: 5", "resources.managed_users.pages.per_page", "text"),
            WrongEdit("timeout: 60", "extends: 5", "extends", "the name of another profile"),
            WrongEdit("timeout: 60", "extends: nothing", "extends", "the name of another profile"),
            WrongEdit("timeout: 60", "timeout: 60\ntimeout: 61", "timeout", "each key only once"),
            WrongEdit("timeout: 60", "timeout: 60\n!other timeout: 61", "timeout", "each key only once"),
            WrongEdit("timeout: 60", "timeout: 60\n!!str base_url: https://a.example", "base_url", "each key only once"),
            WrongEdit("timeout: 60", "timeout: 60\n? [base_url]\n: https://a.example", "", "a name"),
            WrongEdit("timeout: 60", "timeout: &t 60", "", "the value itself"),
            WrongEdit("https://www.breathesafe.xyz", "https://www.breathesafe.xуz", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", #""https://a.example\u200b""#, "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "https://a%2eexample", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", #"https://a.example\@b.example"#, "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "https://@a.example", "base_url", "https://host"),
            WrongEdit("https://www.breathesafe.xyz", "https://a.example:99999", "base_url", "https://host"),
            WrongEdit("request: POST /users/log_in", "request: POST https://a%2eexample/log_in", "auth.login.request", "METHOD /path"),
        ])
    func eachMistakeNamesItsKeyAndLine(edit: WrongEdit) throws {
        try edit.expectMistake()
    }

    @Test(arguments: [
        ("timeout: 60", "\ttimeout: 60", "expected spaces, because YAML does not allow tabs for indentation, found a tab"),
        ("timeout: 60", "timeout: @60", "expected valid YAML, found character that cannot start any token"),
    ])
    func reportsInvalidYAMLPlainly(old: String, new: String, words: String) throws {
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": edited(old, new)]) })
        #expect(mistakes.description.hasSuffix(words), "\(mistakes)")
    }

    @Test(arguments: [
        ("[[/error]]", ".0", "a JSON pointer such as /data/id, found a list"), ("{a: b}", "", "or a list of them, found a table"),
    ])
    func elementOfAListIsNotExpectedToBeAList(code: String, index: String, words: String) throws {
        let text = edited("code: [/messages/0, /error]", "code: \(code)")
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": text]) })
        #expect(mistakes.all.map(\.key) == ["errors.code\(index)"])
        #expect(mistakes.description.hasSuffix(words), "\(mistakes)")
    }

    @Test func explicitNullIsAValue() throws {
        let backend = try breathesafe(#"{profile: "{item.payload}"}"#, #"{profile: "{item.payload}", note: null, other: ~}"#)
        let body = try backend.request(for: mutation("profile", payload: Data("1".utf8))).body
        #expect(body.map { String(decoding: $0, as: UTF8.self) } == #"{"profile":1,"note":null,"other":null}"#)
    }

    @Test("34: a mistake names the line of its key") func aMistakeNamesTheLineOfItsKey() throws {
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try load(["breathesafe.yaml": edited("timeout: 60", "timeout: soon")]) })
        let line = try #require(
            shippedProfile.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix("timeout") })
        #expect(mistakes.all.first?.line == line + 1)
        #expect(mistakes.all.first?.found == "\"soon\"")
    }
}
