import SyncModel

extension Backend {
    /// In the order of the file.
    package var resources: [Resource] { profile.resources }

    package func resource(_ name: String) -> Resource? { profile.resources.first { $0.name == name } }

    /// The names of the resources to read again after a delivery of this route.
    package func touches(route name: String) -> [String] { profile.routes[name]?.touches ?? [] }

    /// Without credentials. `page` counts from 1, and matters only with `pages`.
    package func read(_ resource: Resource, page: Int, unless etag: String?) throws(Failure) -> OutboundRequest {
        var request = try resource.request.render(TemplateValues(subject: "The resource \"\(resource.name)\""))
        if let pages = resource.pages { request.url = pages.added(to: request.url, page: page) }
        if let etag { request.setHeader("If-None-Match", etag) }
        return request
    }
}
