import Foundation

@testable import Backends

/// Profiles that together have every table, and changes of one key.
enum ProfilePart {
    /// The keys without a scheme.
    private static let common = """
        schema: 1
        name: p
        base_url: https://p.example
        health: {request: GET /me, account: /id}
        errors: {message: /error}
        idempotency: {header: Idempotency-Key}
        routes:
          plain: {request: POST /notes, json: "{item.payload}", title: {one: note, many: notes}}
          sought:
            request: POST /notes
            json: "{item.payload}"
            marker: /client_id
            find: {request: GET /notes, list: /notes, match: /client_id, remote_id: /id, pages: {page: page, per_page: size, total: /total}}
          person:
            request: DELETE /people/{item.user_id}
            fields: {user_id: {type: integer, reference: people}}
            reasons: [{status: 404, message: Gone, words: The person is gone.}]
          deletion:
            request: DELETE /people/{row./id}
            fields: {user_id: {type: integer, reference: people}}
            deletes: people
            row: {resource: people, where: {/id: "{item.user_id}"}, fresh: true}
          creation: {request: POST /people, creates: people, remote_id: /id}
          profile:
            request: PUT /people/{item.user_id}
            fields: {user_id: {reference: people}}
            json: "{item.payload}"
            changes: people
            form: [year_of_birth]
            values: {year_of_birth: {from: 1900, to: 2100}}
        resources:
          people:
            title: {one: person, many: people}
            request: GET /people
            list: /people
            id: /id
            keep: [/created_at, /role]
            pages: {page: page, per_page: size, total: /total}
          lists: {request: GET /lists, list: /lists, id: /id}
          tasks: {request: "GET /lists/{parent}/tasks", parent: lists, list: /tasks, id: /id}

        """

    private static let bearer = """
        auth:
          scheme: bearer
          on_401: []
          login: {request: POST /login, headers: {X-Password: "{password}"}, access: /token, account: /id}
          refresh: {request: POST /refresh, headers: {X-Refresh: "{refresh}"}, access: /token}
          logout: {request: POST /logout}

        """

    /// Without headers.
    private static let bodies = """
        auth:
          scheme: bearer
          on_401: []
          login: {request: POST /login, json: {password: "{password}"}, access: /token, account: /id}
          refresh: {request: POST /refresh, json: {refresh: "{refresh}"}, access: /token}

        """

    private static let cookie = """
        auth:
          scheme: cookie
          on_401: []
          csrf: {request: GET /csrf, token: /token, header: X-CSRF-Token}
          login: {request: POST /login, headers: {X-Password: "{password}"}, account: /id}

        """

    /// With the required keys only.
    private static let least = """
        schema: 1
        name: p
        base_url: https://p.example
        auth: {scheme: bearer}
        routes: {plain: {request: POST /notes}}

        """

    /// Without mistakes.
    static let wholes = [common + bearer, common + cookie, common + bodies, least].compactMap { node($0) }

    private static let names: [(table: String, chosen: [String])] = [
        ("routes", ["plain", "sought", "person", "deletion", "creation", "profile"]), ("resources", ["people", "lists", "tasks"]),
        ("fields", ["user_id"]), ("values", ["year_of_birth"]),
    ]

    /// The paths that a declared path means in `wholes`.
    static func places(of path: String) -> [String] {
        names.reduce([path]) { places, named in
            let declared = "\(named.table).NAME"
            return places.flatMap { place in
                guard place.contains(declared) else { return [place] }
                return named.chosen.map { place.replacing(declared, with: "\(named.table).\($0)") }
            }
        }
    }

    static func node(_ text: String) -> YAMLNode? { YAMLNode.parse(text, file: "p.yaml", mistakes: MistakeCollector()) }

    static func read(_ node: YAMLNode) -> (profile: Profile?, mistakes: [Mistake]) {
        let mistakes = MistakeCollector()
        let profile = Profile(node, constants: ["device_id": "device-1", "version": "1.0"], mistakes: mistakes)
        return (profile, mistakes.all)
    }

    /// `whole` with another value at the path; nil if the value is no YAML.
    static func changed(_ whole: YAMLNode, _ place: String, to value: String) -> YAMLNode? {
        var parts = place.split(separator: ".").map(String.init)
        let name = parts.removeLast()
        var lines = parts.enumerated().map { String(repeating: "  ", count: $0.offset) + "\($0.element):" }
        let indent = String(repeating: "  ", count: parts.count)
        if parts.last == "reasons" {
            let others = [("status", "404"), ("words", "The person is gone.")].filter { $0.0 != name }.map { "\($0.0): \($0.1)" }
            lines.append("\(indent)- {\((others + ["\(name): \(value)"]).joined(separator: ", "))}")
        } else {
            lines.append("\(indent)\(name): \(value)")
        }
        return node(lines.joined(separator: "\n") + "\n").map { $0.merged(over: whole) }
    }

    /// `whole` without the key at the path; nil if it does not have the table of the key.
    static func without(_ place: String, in whole: YAMLNode) -> YAMLNode? {
        without(place.split(separator: ".").map(String.init)[...], in: whole)
    }

    private static func without(_ parts: ArraySlice<String>, in node: YAMLNode) -> YAMLNode? {
        guard let first = parts.first else { return nil }
        switch node.content {
        case .table(let members) where parts.count == 1:
            return YAMLNode(file: node.file, line: node.line, content: .table(members.filter { $0.key != first }))
        case .table(let members):
            guard let index = members.firstIndex(where: { $0.key == first }),
                let value = without(parts.dropFirst(), in: members[index].value)
            else { return nil }
            var changed = members
            changed[index] = YAMLNode.Member(key: first, line: members[index].line, value: value)
            return YAMLNode(file: node.file, line: node.line, content: .table(changed))
        case .list(let items):
            let changed = items.compactMap { without(parts, in: $0) }
            return changed.isEmpty ? nil : YAMLNode(file: node.file, line: node.line, content: .list(changed))
        case .scalar: return nil
        }
    }
}
