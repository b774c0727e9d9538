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

    private static let listed = Dictionary(grouping: ProfileKeys.all, by: \.table).mapValues { Set($0.map(\.name)) }

    @Test func declaresExactlyTheKeysThatAreRead() throws {
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

    @Test func namesTheRightTableOfMisplacedKey() throws {
        let wrong = edited("    on_dead: skip", "    idempotency: {header: Idempotency-Key}")
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": wrong]) })
        #expect(mistakes.all.map(\.key) == ["routes.measurement.idempotency"])
        #expect(mistakes.all.first?.expected.hasSuffix("; idempotency belongs in the top level") == true, "\(mistakes)")
    }
}
