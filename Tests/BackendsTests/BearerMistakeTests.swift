import Foundation
import Testing

@testable import Backends
@testable import Sessions

@Suite struct BearerMistakeTests {
    @Test(
        "34: each mistake in the token settings names its key",
        arguments: [
            WrongEdit("scheme: bearer", "scheme: bearer\n  placement: cookie", "auth.placement", "query:"),
            WrongEdit("scheme: bearer", "scheme: bearer\n  placement: 'query:'", "auth.placement", "query:"),
            WrongEdit("scheme: bearer", "scheme: bearer\n  placement: 'query:a b'", "auth.placement", "query:"),
            WrongEdit("scheme: bearer", "scheme: bearer\n  csrf: {request: GET /t, token: /t, header: X}", "auth.csrf", "on_401"),
            WrongEdit("on_401: [refresh]", "on_401: [again]", "auth.on_401.0", "refresh or login"),
            WrongEdit("scheme: bearer", "scheme: bearer\n  sign_in: google", "auth.sign_in", "refresh_token"),
            WrongEdit(
                "scheme: bearer", "scheme: bearer\n  sign_in: token", "auth.sign_in", "token is only for profiles without login and refresh"
            ),
            WrongEdit("scheme: bearer", "scheme: bearer\n  sign_in: refresh_token", "auth.refresh.account", "or the table health"),
            WrongEdit(#"routes: {note: {request: POST /notes, json: "{item.payload}"}}"#, "", "routes", "at least one route"),
            WrongEdit(#"{note: {request: POST /notes, json: "{item.payload}"}}"#, "{}", "routes", "at least one route"),
            WrongEdit(#"{note: {request: POST /notes, json: "{item.payload}"}}"#, "", "routes", "a table of keys"),
            WrongEdit("relogin: [gone]", "words: {gone: [x]}", "errors.words.gone", "a sentence"),
            WrongEdit("on_401: [refresh]", "on_401: [refresh, refresh]", "auth.on_401", "each step only once"),
            WrongEdit("on_401: [refresh]", "on_401: [login, refresh, login]", "auth.on_401", "each step only once"),
            WrongEdit(
                #"note: {request: POST /notes, json: "{item.payload}"}"#, #"note: {request: POST /notes, json: {t: "{access}"}}"#,
                "routes.note.json.t", "Homing adds the token to all others itself"),
            WrongEdit("skew: 180", "skew: soon", "auth.skew", "seconds"),
            WrongEdit("lifetime: 900", "lifetime: 0", "auth.lifetime", "seconds"),
            WrongEdit("keepalive: 86400", "keepalive: -1", "auth.keepalive", "seconds"),
            WrongEdit("    access: /access\n", "", "auth.login.access", "JSON pointer"),
            WrongEdit("    access: /access\n", "    access: []\n", "auth.login.access", "a JSON pointer such as /data/id, or a list of"),
            WrongEdit("    account: /user/id\n", "", "auth.login.account", "JSON pointer"),
            WrongEdit("request: POST /login", "request: POST /login/{refresh}", "auth.login.request", "{refresh} only"),
            WrongEdit("request: POST /refresh", "request: POST /refresh/{refresh}", "auth.refresh.request", "never in a URL"),
            WrongEdit("request: POST /refresh", "request: POST /refresh?t={access}", "auth.refresh.request", "never in a URL"),
            WrongEdit(
                "json: {token: \"{refresh}\"}\n    access", "json: {token: x}\n    access", "auth.refresh.request", "{refresh} in a header"),
            WrongEdit(
                "json: {token: \"{refresh}\"}\n    access", "json: {token: \"{password}\"}\n    access", "auth.refresh.json.token",
                "{password} only"),
            WrongEdit("request: POST /logout", "request: POST /logout?t={refresh}", "auth.logout.request", "never in a URL"),
            WrongEdit("on_failure: clear", "on_failure: clear\n    owed: keep", "auth.logout.owed", "one of retry"),
            WrongEdit("on_failure: clear", "on_failure: keep\n    owed: retry", "auth.logout.owed", "on_failure: clear"),
            WrongEdit(
                "    request: POST /logout\n    json: {token: \"{refresh}\"}\n    json_all: {all: true}\n    on_failure: clear",
                "    owed: retry", "auth.logout.owed", "the key request"),
        ])
    func tokenMistakeNamesItsKey(edit: WrongEdit) throws {
        let range = try #require(TokenBench.profile.range(of: edit.old))
        let text = TokenBench.profile.replacingCharacters(in: range, with: edit.new)
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["tok.yaml": text]) })
        let named = mistakes.all.filter { $0.key == edit.key }
        #expect(named.contains { $0.expected.contains(edit.expected) }, "\(mistakes)")
    }

    @Test func derivesSignInMeansFromProfile() throws {
        func means(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> SignInMeans {
            try load(["tok.yaml": TokenBench.profile.replacing(old, with: new)])[0].signInMeans
        }
        #expect(try means() == .password)
        let health = "health: {request: GET /me, account: /id}"
        #expect(try means("auth:\n  scheme: bearer", "\(health)\nauth:\n  scheme: bearer\n  sign_in: refresh_token") == .refreshToken)
        let keyed = "schema: 1\nname: k\nbase_url: https://k.example\nauth: {scheme: bearer, on_401: []}\nroutes: {n: {request: POST /n}}"
        #expect(try load(["k.yaml": keyed])[0].signInMeans == .token)
        let profiles = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../config/backends").standardized.path
        let shipped = try ProfileLibrary.load(directory: profiles, deviceID: "d", version: "1")
        #expect(shipped.filter { $0.signInMeans != .password }.map(\.name) == ["aiphoto"])
    }

    @Test("34: each renewal step needs its table") func renewalStepNeedsItsTable() throws {
        let text = """
            schema: 1
            name: tok
            base_url: https://api.example.org
            auth: {scheme: bearer, on_401: [refresh, login]}
            """
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["tok.yaml": text]) })
        #expect(mistakes.all.filter { $0.key == "auth.on_401" }.map(\.expected).count == 2)
    }
}
