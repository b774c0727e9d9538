import Foundation
import JSON
import SyncModel

extension Route {
    /// The effect of a delivery on the rows of a resource.
    struct RowRules: Sendable {
        /// The resource in which it creates a row, with the id at `remote_id`.
        let creates: String?
        /// The resource in which it changes the subject's row.
        let changes: String?
        /// The route that gets the payload of a submission, for the created row.
        let then: String?
        /// The only members of the payload; empty for any.
        let form: [String]
        /// Declared values of members; others take texts.
        let values: [String: FormValue]
    }

    /// Throws if the payload is empty, or has an undeclared member or value.
    func checkForm(_ payload: JSONDocument) throws(Failure) {
        guard !rows.form.isEmpty else { return }
        let root = payload.root
        let list = rows.form.joined(separator: ", ")
        guard root.kind == .object else {
            throw Failure(.profile, "The payload for the route \"\(name)\" must be a JSON object with these members: \(list).")
        }
        guard root.members.contains(where: { _ in true }) else {
            throw Failure(.profile, "The payload for the route \"\(name)\" is empty; expected at least one of these members: \(list).")
        }
        if let other = root.members.first(where: { !rows.form.contains($0.name) })?.name {
            throw Failure(
                .profile, "The payload for the route \"\(name)\" has the member \"\(other.prefix(100))\". It may only have these: \(list).")
        }
        // Without the value: the words may be logged.
        for (member, value) in root.members {
            let rule = rows.values[member] ?? .text
            guard !rule.accepts(value) else { continue }
            throw Failure(.profile, "The \(member.replacing("_", with: " ")) is not valid; expected \(rule.expected).")
        }
    }
}

extension Route.RowRules {
    /// - Parameters:
    ///   - subject: the first reference of the route.
    ///   - takesPayload: nil if the request has a mistake.
    init(_ table: StrictTable, subject: Route.Reference?, takesPayload: Bool?) {
        creates = table.text("creates")
        changes = table.text("changes")
        then = table.text("then")
        form = table.list("form") { $0.member } ?? []
        let rules = table.map("values").compactMap { name, node, path in
            FormValue(node, path: path, mistakes: table.mistakes).map { (name, $0) }
        }
        values = Dictionary(rules) { first, _ in first }
        checkKeys(table, subject, takesPayload)
        checkForm(table)
    }

    private func checkKeys(_ table: StrictTable, _ subject: Route.Reference?, _ takesPayload: Bool?) {
        let keys = Set(table.keys)
        if keys.contains("creates"), !keys.contains("remote_id") {
            table.reject("creates", expected: "the key remote_id in the same route: without the row's id, no entry can refer to it")
        }
        if keys.isSuperset(of: ["creates", "changes"]) {
            table.reject("changes", expected: "either creates or changes, not both")
        } else if let changes, subject?.resource != changes {
            table.reject("changes", expected: "the resource that the first reference in fields names", found: "\"\(changes)\"")
        } else if keys.contains("changes"), takesPayload == false {
            table.reject("changes", expected: "{item.payload} in json, because changes applies to the payload")
        }
        if keys.contains("then"), !keys.contains("creates") {
            table.reject("then", expected: "the key creates in the same route")
        } else if keys.contains("then"), takesPayload == true {
            table.reject("then", expected: "json without {item.payload}, because the payload goes to the other route")
        }
    }

    private func checkForm(_ table: StrictTable) {
        for name in values.keys.sorted() where !form.contains(name) {
            table.reject("values", expected: "members of the form in the same route", found: "\"\(name)\"")
        }
        guard let node = table.node.member("form") else { return }
        if !table.keys.contains("changes") {
            table.reject("form", expected: "the key changes in the same route")
        } else if case .list(let items) = node.content, items.isEmpty {
            table.reject("form", expected: Self.member, found: "none")
        } else if Set(form).count < form.count {
            table.reject("form", expected: "each member only once", found: "a member twice")
        }
    }

    static let member = "a list of the names of the payload's members, each of 1 to 100 characters"
}

extension YAMLNode {
    fileprivate var member: String? {
        text.flatMap { (1...100).contains($0.count) && !$0.unicodeScalars.contains(where: \.isSteering) ? $0 : nil }
    }
}

extension Profile {
    /// A route in `then` must change the created row, and need nothing but its id and the payload.
    static func checkFollowers(
        of routes: [Route], _ declared: [(name: String, value: YAMLNode, path: String)], _ mistakes: MistakeCollector
    ) {
        for route in routes {
            // A mistake in the other route is already reported.
            guard let then = route.rows.then, let resource = route.rows.creates,
                let place = declared.first(where: { $0.name == route.name }),
                let node = place.value.member("then"), let expected = mistake(in: then, of: routes, declared.map(\.name), for: resource)
            else { continue }
            mistakes.add(at: node, key: "\(place.path).then", expected: expected)
        }
    }

    /// The expected route; nil if the route `name` fits.
    private static func mistake(in name: String, of routes: [Route], _ declared: [String], for resource: String) -> String? {
        guard let follower = routes.first(where: { $0.name == name }) else {
            return declared.contains(name) ? nil : "a route of this profile with changes: \(resource)"
        }
        guard follower.rows.changes == nil || follower.rows.changes == follower.references.first?.resource else { return nil }
        guard follower.rows.changes == resource else { return "a route with changes: \(resource)" }
        let field = follower.references.first?.field
        guard let other = follower.requiredFields.sorted().first(where: { $0 != field }) else { return nil }
        return "a route that needs no field but \(field ?? "the reference"); \(name) needs \(other)"
    }
}
