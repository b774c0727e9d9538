import Foundation

public struct RosterListQuery: WireRequest {
    /// Nil for all.
    public var backend: String?

    public init(backend: String? = nil) { self.backend = backend }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(backend: try ParameterReader(parameters, known: ["backend"]).text("backend"))
    }
    public var parameters: [String: String] { backend.map { ["backend": $0] } ?? [:] }
}

public struct RosterReference: WireRequest {
    /// The resource's name in the profile.
    public var resource: String
    /// Nil for the only backend with this resource.
    public var backend: String?

    public init(resource: String, backend: String? = nil) {
        self.resource = resource
        self.backend = backend
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["resource", "backend"])
        self.init(resource: try reader.required("resource"), backend: reader.text("backend"))
    }

    public var parameters: [String: String] {
        var all = ["resource": resource]
        all["backend"] = backend
        return all
    }
    public var auditTarget: String? { resource }
}

public struct RosterQuery: WireRequest {
    /// The list's name; see `RosterReference`.
    public var resource: String
    public var backend: String?
    /// A part of the label, in any case and with or without accents and apostrophes, or the beginning of the id.
    public var find: String?
    /// The whole label, in any case, with or without accents, and with any kind of apostrophe.
    public var label: String?
    /// Only these ids, at most 500; empty for all.
    public var ids: [String]
    /// Only rows after the one with this id.
    public var after: String?
    /// 1 to 500.
    public var limit: Int

    public init(
        resource: String, backend: String? = nil, find: String? = nil, label: String? = nil, ids: [String] = [], after: String? = nil,
        limit: Int = 100
    ) {
        self.resource = resource
        self.backend = backend
        self.find = find
        self.label = label
        self.ids = ids
        self.after = after
        self.limit = limit
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["resource", "backend", "find", "label", "id", "after", "limit"])
        let ids = (reader.text("id") ?? "").split(separator: ",").map(String.init)
        guard ids.count <= Self.mostIDs else {
            throw .invalid("The parameter ‘id’ has \(ids.count) ids; expected at most \(Self.mostIDs).")
        }
        self.init(
            resource: try reader.required("resource"), backend: reader.text("backend"), find: reader.text("find"),
            label: reader.text("label"), ids: ids, after: reader.text("after"),
            limit: Int(try reader.integer("limit", in: 1...500) ?? 100))
    }

    private static let mostIDs = 500

    public var parameters: [String: String] {
        var all = ["resource": resource, "limit": String(limit)]
        all["backend"] = backend
        all["find"] = find
        all["label"] = label
        all["id"] = ids.isEmpty ? nil : ids.joined(separator: ",")
        all["after"] = after
        return all
    }
}
