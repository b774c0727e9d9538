import SyncModel

extension Backend {
    /// In the order of the file.
    package var resources: [Resource] { profile.resources }

    package func resource(_ name: String) -> Resource? { profile.resources.first { $0.name == name } }

    /// The resources needed to read this one, from the outermost parent to itself.
    package func chain(to resource: Resource) -> [Resource] {
        let parent = resource.parent.flatMap { self.resource($0) }
        return (parent.map { chain(to: $0) } ?? []) + [resource]
    }

    /// The resources to read again after a delivery.
    package func touches(route name: String) -> [String] {
        guard let route = profile.routes[name] else { return [] }
        let implied = [route.rows.creates, route.rows.changes, route.deletion.deletes].compactMap(\.self)
        return route.touches + implied.filter { !route.touches.contains($0) }
    }

    /// The field that holds the subject, and its resource.
    package func subjectField(route name: String) -> (field: String, resource: Resource)? {
        guard let reference = profile.routes[name]?.references.first, let resource = resource(reference.resource) else { return nil }
        return (reference.field, resource)
    }

    /// The fields that take ids of rows, in the order of the file. The first one holds the subject.
    package func referenceFields(route name: String) -> [(field: String, resource: Resource)] {
        (profile.routes[name]?.references ?? []).compactMap { reference in
            resource(reference.resource).map { (field: reference.field, resource: $0) }
        }
    }

    /// True if the route's look-up requests the row that its entries refer to.
    package func looksUpRow(route name: String) -> Bool {
        guard let find = profile.routes[name]?.find, let field = subjectField(route: name)?.field else { return false }
        return find.request.url.placeholders.itemFields.contains(field)
    }

    package func subject(route name: String, fields: [String: JSONValue]) -> RosterID? {
        guard let field = subjectField(route: name)?.field else { return nil }
        return fields[field]?.text.map { RosterID($0) }
    }

    /// The fields that take ids of this resource, by route.
    package func references(to resource: Resource) -> [(route: String, field: String, type: String)] {
        var found: [(route: String, field: String, type: String)] = []
        for route in profile.routes.values.sorted(by: { $0.name < $1.name }) {
            for reference in route.references where reference.resource == resource.name {
                found.append((route.name, reference.field, (route.fields[reference.field] ?? .text).rawValue))
            }
        }
        return found
    }

    /// The request for a page, without credentials. `page` counts from 1; `parent` is the parent's row, if the resource has a parent.
    package func read(
        _ resource: Resource, of parent: RosterID? = nil, page: Int, unless etag: String?
    ) throws(Failure) -> OutboundRequest {
        var values = TemplateValues(subject: "The resource \"\(resource.name)\"")
        if let parent { values.inputs["parent"] = .string(parent.rawValue) }
        var request = try resource.request.render(values)
        if let pages = resource.pages { request.url = pages.added(to: request.url, page: page) }
        if let etag { request.setHeader("If-None-Match", etag) }
        return request
    }
}
