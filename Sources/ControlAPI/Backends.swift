/// The routes of each configured backend, by name.
public struct BackendList: Codable, Sendable, Equatable {
    public var backends: [BackendSummary]
    public init(backends: [BackendSummary]) { self.backends = backends }
}

public struct BackendSummary: Codable, Sendable, Equatable {
    /// The profile's name.
    public var name: String
    /// By name.
    public var routes: [RouteSummary]

    public init(name: String, routes: [RouteSummary]) {
        self.name = name
        self.routes = routes
    }
}

/// One kind of change that a backend accepts.
public struct RouteSummary: Codable, Sendable, Equatable {
    public var name: String
    /// By name.
    public var fields: [FieldSummary]
    /// True if a submission may have a payload.
    public var takesPayload: Bool
    /// The list in which a delivery makes a row.
    public var creates: String?
    /// The list of which a delivery changes a row.
    public var changes: String?
    /// The list of which a delivery deletes a row.
    public var deletes: String?
    /// True if a person must confirm a submission; nil for no.
    public var confirm: Bool?
    /// The route that takes the payload once the row exists; only with `creates`.
    public var then: String?
    /// The members that the payload may have; nil for any.
    public var form: [String]?

    public init(name: String, fields: [FieldSummary], takesPayload: Bool) {
        self.name = name
        self.fields = fields
        self.takesPayload = takesPayload
    }
}

/// An item field of a route.
public struct FieldSummary: Codable, Sendable, Equatable {
    public var name: String
    /// `integer` or `text`.
    public var type: String
    /// The list of which it takes an id.
    public var reference: String?

    public init(name: String, type: String, reference: String? = nil) {
        self.name = name
        self.type = type
        self.reference = reference
    }
}
