import Foundation
import Testing

@testable import Backends

@Suite struct ProfileKeysTests {
    private static let request = "no_such_key: 1, request: GET /a"
    /// A profile with an unknown key in every table.
    private static func profile(_ auth: String) -> String {
        """
        schema: 1
        name: p
        base_url: https://p.example
        no_such_key: 1
        auth:
          no_such_key: 1
        \(auth)
          login: {\(request)}
          logout: {\(request)}
        health: {\(request)}
        errors: {no_such_key: 1}
        idempotency: {no_such_key: 1}
        routes: {one: {\(request), title: {no_such_key: 1}, reasons: {no_such_key: 1}, fields: {one: {no_such_key: 1}}, values: {one: {no_such_key: 1}}, row: {no_such_key: 1}, find: {\(request), pages: {no_such_key: 1}}}}
        resources: {one: {\(request), title: {no_such_key: 1}, pages: {no_such_key: 1}}}
        """
    }

    private static let listed = Dictionary(uniqueKeysWithValues: ProfileKeys.tables.map { ($0.key, Set($0.value)) })

    @Test func listsExactlyTheKeysThatAreRead() throws {
        var known: [String: Set<String>] = [:]
        for auth in ["  scheme: cookie\n  csrf: {\(Self.request)}", "  scheme: bearer\n  refresh: {\(Self.request)}"] {
            let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["p.yaml": Self.profile(auth)]) })
            for mistake in mistakes.all where mistake.found == StrictTable.unknownKey {
                let table = mistake.key.replacing("no_such_key", with: "").replacing(".one", with: ".NAME").replacing(".0.", with: ".")
                let keys = mistake.expected.replacing("one of ", with: "").components(separatedBy: ", ")
                #expect(Set(keys).count == keys.count, "a key is named twice: \(mistake)")
                known[table.hasSuffix(".") ? String(table.dropLast()) : table, default: []].formUnion(keys)
            }
        }
        #expect(known == Self.listed)
    }

    @Test func guideListsAllKeys() throws {
        let guide = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../Sources/SyncDaemon/Documentation.docc/AddingABackend.md").standardized
        let text = try String(contentsOf: guide, encoding: .utf8)
        let rows = try #require(text.components(separatedBy: "\n## All keys\n").last).split(separator: "\n").filter { $0.hasPrefix("| ") }
        var told: [String: Set<String>] = [:]
        for row in rows.dropFirst() {
            let cells = row.split(separator: "|").map(String.init)
            let table = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            told[table == "the top level" ? "" : table] = Set(cells[1].matches(of: /`([a-z_0-9]+)`/).map { String($0.1) })
        }
        #expect(told == Self.listed)
    }

    @Test func namesTheRightTableOfMisplacedKey() throws {
        let wrong = edited("    on_dead: skip", "    idempotency: {header: Idempotency-Key}")
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": wrong]) })
        #expect(mistakes.all.map(\.key) == ["routes.measurement.idempotency"])
        #expect(mistakes.all.first?.expected.hasSuffix("; idempotency belongs in the top level") == true, "\(mistakes)")
    }
}
