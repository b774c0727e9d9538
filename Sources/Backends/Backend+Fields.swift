extension Backend {
    /// An item field of a route.
    package struct Field: Sendable, Equatable {
        package let name: String
        /// `integer` or `text`.
        package let type: String
        /// The resource whose ids it takes; nil for none.
        package let reference: String?
    }

    /// The fields that a submission may have, by name; empty for an unknown route.
    package func fields(route name: String) -> [Field] {
        guard let route = profile.routes[name] else { return [] }
        return route.usedFields.sorted().map { field in
            Field(
                name: field, type: (route.fields[field] ?? .text).rawValue,
                reference: route.references.first { $0.field == field }?.resource)
        }
    }

    /// The field names of a route without payload; nil for other routes, and without fields.
    package func fieldsWithoutPayload(route name: String) -> [String]? {
        guard !takesPayload(route: name), then(route: name) == nil else { return nil }
        let names = fields(route: name).map(\.name)
        return names.isEmpty ? nil : names
    }

    /// True if the route sends a payload. That of a create may go to the next route; see `then(route:)`.
    package func takesPayload(route name: String) -> Bool { profile.routes[name]?.request.json?.takesPayload ?? false }
}
