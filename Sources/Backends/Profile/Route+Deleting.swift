import JSON
import SyncModel

extension Route {
    /// How a delivery deletes a row.
    struct Deletion: Sendable {
        /// The resource in which it deletes the subject's row.
        let deletes: String?
        /// A person must confirm it.
        let confirm: Bool
        /// Nil if nothing is read before a send.
        let row: RowRule?
    }

    /// Which row is read just before each send.
    struct RowRule: Sendable {
        let resource: String
        /// The values of the one row.
        let conditions: [(pointer: JSONPointer, value: TextTemplate)]
        /// An entry without such a row counts as delivered.
        let absentIsDone: Bool
    }
}

extension Route.Deletion {
    /// - Parameters:
    ///   - subject: the first reference of the route.
    ///   - request: nil if it has a mistake.
    init(_ table: StrictTable, subject: Route.Reference?, request: RequestTemplate?, defaults: RequestDefaults) {
        deletes = table.text("deletes")
        confirm = table.bool("confirm") ?? false
        let absentIsDone = table.bool("absent_is_done") ?? false
        row = table.table("row").flatMap { Route.RowRule($0, absentIsDone: absentIsDone, scope: defaults.scope.withItems) }
        let keys = Set(table.keys)
        if keys.contains("deletes"), keys.contains("creates") || keys.contains("changes") {
            table.reject("deletes", expected: "only one of creates, changes and deletes")
        } else if let deletes, subject?.resource != deletes {
            table.reject("deletes", expected: "the resource that the first reference in fields names", found: "\"\(deletes)\"")
        }
        if keys.contains("confirm"), !keys.contains("deletes") {
            table.reject("confirm", expected: "the key deletes in the same route")
        }
        if keys.contains("absent_is_done"), !keys.contains("row") {
            table.reject("absent_is_done", expected: "the key row in the same route")
        }
        guard keys.contains("row") else { return }
        if keys.contains("find") {
            table.reject("row", expected: "either row or find: a row that is read before each send also settles a lost answer")
        } else if let request, Origin(request.url.literalURL) != defaults.origin {
            table.reject("row", expected: "a request to a path at base_url, because rows belong to the signed-in account")
        }
    }
}

extension Route.RowRule {
    fileprivate init?(_ table: StrictTable, absentIsDone: Bool, scope: TemplateScope) {
        defer { table.close() }
        let resource = table.text("resource")
        let fresh = table.read("fresh") { node in
            if case .scalar(_, .bool(true)) = node.content { true } else { nil }
        }
        let conditions = table.identifyingValues("where", scope: scope)
        guard let resource, fresh == true, !conditions.isEmpty else { return nil }
        self.init(resource: resource, conditions: conditions, absentIsDone: absentIsDone)
    }
}

extension Profile {
    /// Checks `row`: only the id and the kept values of a row can identify it or be sent.
    static func checkRows(
        of routes: [Route], in resources: [Resource], _ declared: [(name: String, value: YAMLNode, path: String)],
        _ mistakes: MistakeCollector
    ) {
        // The kept values of a resource are unknown if it has a mistake.
        guard !mistakes.all.contains(where: { $0.key.hasPrefix("resources.") }) else { return }
        for route in routes {
            guard let row = route.deletion.row, let resource = resources.first(where: { $0.name == row.resource }),
                let place = declared.first(where: { $0.name == route.name })
            else { continue }
            let known = [resource.id] + resource.keep
            let expected = "a value that the resource \(resource.name) has as its id or in keep"
            for condition in row.conditions where !known.contains(condition.pointer) {
                mistakes.add(
                    at: place.value.member("row") ?? place.value, key: "\(place.path).row.where", found: "\"\(condition.pointer)\"",
                    expected: expected)
            }
            for placeholder in route.request.placeholders {
                guard let pointer = placeholder.rowPointer, !known.contains(pointer) else { continue }
                mistakes.add(
                    at: place.value.member("request") ?? place.value, key: "\(place.path).request", found: "{\(placeholder.name)}",
                    expected: expected)
            }
        }
    }
}
