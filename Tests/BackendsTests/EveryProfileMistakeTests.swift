import Backends
import Foundation
import Testing

/// A mistake that replaces the first `old`. The reported key must end in `key`.
struct CommonWrongEdit: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let key: String

    init(_ old: String, _ new: String, _ key: String) { (self.old, self.new, self.key) = (old, new, key) }

    var testDescription: String { "\(key): \(new)" }
}

struct EveryProfileMistakeTests {
    /// Each mistake must apply to at least one shipped file.
    @Test(arguments: [
        CommonWrongEdit("\nschema: 1", "\nschema: 2", "schema"),
        CommonWrongEdit("\nschema: 1", "\nshema: 1", "shema"),
        CommonWrongEdit("\nname: ", "\nname: The ", "name"),
        CommonWrongEdit("\nname: ", "\nname: 5 # ", "name"),
        CommonWrongEdit("\nbase_url: http", "\nbase_url: ftp", "base_url"),
        CommonWrongEdit("\nbase_url: https://", "\nbase_url: http://", "base_url"),
        CommonWrongEdit("\nextends: ", "\nextends: no-", "extends"),
        CommonWrongEdit("\ntimeout: ", "\ntimeout: -", "timeout"),
        CommonWrongEdit("\nroutes:\n", "\nroutse:\n", "routse"),
        CommonWrongEdit("scheme: bearer", "scheme: basic", "auth.scheme"),
        CommonWrongEdit("placement: query:", "placement: cookie:", "auth.placement"),
        CommonWrongEdit("on_401: [refresh", "on_401: [never, refresh", "auth.on_401.0"),
        CommonWrongEdit("  lifetime: ", "  lifetime: -", "auth.lifetime"),
        CommonWrongEdit("  skew: ", "  skew: -", "auth.skew"),
        CommonWrongEdit("  keepalive: ", "  keepalive: -", "auth.keepalive"),
        CommonWrongEdit("    access: /", "    access: ", ".access"),
        CommonWrongEdit("    access: /", "    acess: /", ".acess"),
        CommonWrongEdit("    refresh: /", "    refresh: ", ".refresh"),
        CommonWrongEdit("    expires_in: /", "    expires_in: ", ".expires_in"),
        CommonWrongEdit("    account: /", "    account: ", ".account"),
        CommonWrongEdit("    email: /", "    email: ", ".email"),
        CommonWrongEdit("\"{email}\"", "\"{mail}\"", ".email"),
        CommonWrongEdit("\"{password}\"", "\"{secret}\"", ".password"),
        CommonWrongEdit("{refresh}", "{password}", ""),
        CommonWrongEdit("request: POST /", "request: FETCH /", ".request"),
        CommonWrongEdit("request: DELETE /", "request: DELETE ", ".request"),
        CommonWrongEdit("request: POST /", "requst: POST /", ".requst"),
        CommonWrongEdit("on_failure: ", "on_failure: not-", "auth.logout.on_failure"),
        CommonWrongEdit("outbox: ", "outbox: not-", "auth.logout.outbox"),
        CommonWrongEdit("  ok: /", "  ok: ", "errors.ok"),
        CommonWrongEdit("  code: [/", "  code: [", "errors.code.0"),
        CommonWrongEdit("  message: [/", "  message: [", "errors.message.0"),
        CommonWrongEdit("  relogin: [", "  relogin: [401, ", "errors.relogin.0"),
        CommonWrongEdit("  retry: [", "  retry: [429, ", "errors.retry.0"),
        CommonWrongEdit("  dead: [", "  dead: [400, ", "errors.dead.0"),
        CommonWrongEdit("{item.payload}", "a {item.payload}", ""),
        CommonWrongEdit("{item.", "{itm.", ""),
        CommonWrongEdit("delivery: at-", "delivery: ", ".delivery"),
        CommonWrongEdit("    timeout: ", "    timeout: -", ".timeout"),
        CommonWrongEdit("    remote_id: /", "    remote_id: ", ".remote_id"),
        CommonWrongEdit("    promises: /", "    promises: ", ".promises"),
        CommonWrongEdit("    promises: /data", "    promises: /data\n    empty: true", ".empty"),
    ])
    func mistakeNamesItsKeyAndLine(edit: CommonWrongEdit) throws {
        let files = try ShippedProfiles.files().mapValues(Self.withoutComments)
        let chosen = files.filter { "\n\($0.value)".contains(edit.old) }
        #expect(!chosen.isEmpty)
        for (name, text) in chosen {
            var texts = Dictionary(uniqueKeysWithValues: files.map { ("\($0.key).yaml", $0.value) })
            texts["\(name).yaml"] = Self.edited("\n\(text)", edit)
            let mistakes = try #require(#expect(throws: Mistakes.self, "\(name)") { try load(texts) })
            let named = mistakes.all.first { $0.file.hasSuffix("/\(name).yaml") && $0.key.hasSuffix(edit.key) }
            #expect(named?.line != nil, "\(name): \(mistakes)")
            #expect(mistakes.all.count <= 2, "one mistake sets off no avalanche: \(name): \(mistakes)")
        }
    }

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("#") }.joined(separator: "\n") + "\n"
    }

    /// `text` begins with a line feed that the test added.
    private static func edited(_ text: String, _ edit: CommonWrongEdit) -> String {
        guard let place = text.range(of: edit.old) else { return text }
        return String(text.replacingCharacters(in: place, with: edit.new).dropFirst())
    }
}
