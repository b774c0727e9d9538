import Foundation

/// A call that needs nothing.
public struct NoInput: WireRequest {
    public init() {}
    public init(parameters: [String: String], body: Data?) throws(Problem) { _ = try ParameterReader(parameters, known: []) }
    public var parameters: [String: String] { [:] }
}

/// Who wants to sign in, where, and by what: exactly one of a password, a refresh token and a token.
public struct SignIn: WireRequest, Codable {
    /// The profile's name; may be left out where one backend is configured.
    public var backend: String?
    /// With a password whose it is; with a token the name by which people shall know the account.
    public var email: String?
    public var password: String?
    /// For a backend at which people sign in elsewhere, with Google say: what the next tokens are fetched by.
    public var refreshToken: String?
    /// One that does not change: an API key.
    public var token: String?
    /// Keep the password, sealed, so that an ended session is renewed without a person.
    public var remember: Bool?

    public init(
        backend: String? = nil, email: String? = nil, password: String? = nil, refreshToken: String? = nil, token: String? = nil,
        remember: Bool = false
    ) {
        self.backend = backend
        self.email = email
        self.password = password
        self.refreshToken = refreshToken
        self.token = token
        self.remember = remember
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        _ = try ParameterReader(parameters, known: [])
        let example = #"{"email": "…", "password": "…", "backend": "…", "remember": false}"#
        self = try .read(
            body ?? Data(), known: ["backend", "email", "password", "refreshToken", "remember", "token"], like: example)
        let proofs = [password, refreshToken, token].compactMap(\.self)
        guard proofs.count == 1, password == nil || email != nil else {
            throw .invalid(
                "Exactly one of password, refreshToken and token is expected, and with a password an email. The body must be JSON like \(example)."
            )
        }
        guard proofs.allSatisfy({ !$0.isEmpty }) else { throw .invalid("The password or token is empty.") }
    }

    public var parameters: [String: String] { [:] }
    public var body: Data? { JSONCoding.encoded(self) }
}

/// Which session to end.
public struct SignOut: WireRequest {
    public var backend: String?
    /// The id of the account that is meant, as the status shows it: another one stays signed in. Nil for whoever it is.
    public var account: String?
    /// End the account's sessions on all devices, where the backend can.
    public var allDevices: Bool
    /// Sign out although the profile refuses that while not everything has gone up.
    public var force: Bool

    public init(backend: String? = nil, account: String? = nil, allDevices: Bool = false, force: Bool = false) {
        self.backend = backend
        self.account = account
        self.allDevices = allDevices
        self.force = force
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["backend", "account", "all_devices", "force"])
        self.init(
            backend: reader.text("backend"), account: reader.text("account"), allDevices: try reader.flag("all_devices"),
            force: try reader.flag("force"))
    }

    public var parameters: [String: String] {
        var all = allDevices ? ["all_devices": "true"] : [:]
        if force { all["force"] = "true" }
        all["backend"] = backend
        all["account"] = account
        return all
    }
}

/// A mutation handed in: its document is the body, byte for byte as it shall be sent; everything else is a parameter.
public struct Submission: WireRequest {
    public var backend: String?
    /// A route that the backend's profile declares, e.g. `measurement`.
    public var route: String
    /// The client's own id (a UUID): the same id with the same content is the same entry, however often it is handed in.
    public var id: String?
    /// The id of the entry that this one replaces.
    public var supersedes: String?
    /// The item's fields, given as `item.<name>=<value>`: a number where the route declares one, else a text.
    public var fields: [String: String]
    public var payload: Data?
    /// When it was captured, as the caller knows; nil, and where nothing can have been captured then, for the moment of acceptance.
    public var capturedAt: Date?

    public init(
        backend: String? = nil, route: String, id: String? = nil, supersedes: String? = nil, fields: [String: String] = [:],
        payload: Data? = nil, capturedAt: Date? = nil
    ) {
        self.backend = backend
        self.route = route
        self.id = id
        self.supersedes = supersedes
        self.fields = fields
        self.payload = payload
        self.capturedAt = capturedAt
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["backend", "route", "id", "supersedes", "captured_at", "item.*"])
        let fields = parameters.filter { $0.key.hasPrefix("item.") }.map { (String($0.key.dropFirst(5)), $0.value) }
        self.init(
            backend: reader.text("backend"), route: try reader.required("route"), id: reader.text("id"),
            supersedes: reader.text("supersedes"),
            fields: Dictionary(fields) { first, _ in first }, payload: (body?.isEmpty ?? true) ? nil : body,
            capturedAt: try reader.time("captured_at"))
    }

    public var parameters: [String: String] {
        var all = Dictionary(uniqueKeysWithValues: fields.map { ("item.\($0.key)", $0.value) })
        all["route"] = route
        all["backend"] = backend
        all["id"] = id
        all["supersedes"] = supersedes
        all["captured_at"] = capturedAt.map(JSONCoding.text)
        return all
    }
    public var body: Data? { payload }
}

/// Which entries to list.
public struct EntryQuery: WireRequest {
    /// `pending`, `inflight`, `delivered`, `dead`, `held` or `discarded`; nil for all.
    public var state: String?
    public var backend: String?
    /// Only entries accepted after this sequence number, oldest first; nil for the newest ones.
    public var after: Int64?
    /// At most this many (1 to 500).
    public var limit: Int

    public init(state: String? = nil, backend: String? = nil, after: Int64? = nil, limit: Int = 100) {
        self.state = state
        self.backend = backend
        self.after = after
        self.limit = limit
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["state", "backend", "after", "limit"])
        let states = ["pending", "inflight", "delivered", "dead", "held", "discarded"]
        if let state = reader.text("state"), !states.contains(state) {
            throw .invalid("The parameter ‘state’ is ‘\(state)’; expected one of \(states.joined(separator: ", ")).")
        }
        self.init(
            state: reader.text("state"), backend: reader.text("backend"), after: try reader.integer("after", in: 0...Int64.max),
            limit: Int(try reader.integer("limit", in: 1...500) ?? 100))
    }

    public var parameters: [String: String] {
        var all = ["limit": String(limit)]
        all["state"] = state
        all["backend"] = backend
        all["after"] = after.map { String($0) }
        return all
    }
}

/// One entry, by its id.
public struct EntryReference: WireRequest {
    public var id: String

    public init(id: String) { self.id = id }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(id: try ParameterReader(parameters, known: ["id"]).required("id"))
    }
    public var parameters: [String: String] { ["id": id] }
}

/// Give one entry its attempts again.
public struct RetryRequest: WireRequest {
    public var id: String
    /// Send it even though an earlier send may have taken effect and could be looked up: it may then be there twice.
    public var withoutLooking: Bool

    public init(id: String, withoutLooking: Bool = false) {
        self.id = id
        self.withoutLooking = withoutLooking
    }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["id", "without_looking"])
        self.init(id: try reader.required("id"), withoutLooking: try reader.flag("without_looking"))
    }
    public var parameters: [String: String] {
        var all = ["id": id]
        if withoutLooking { all["without_looking"] = "true" }
        return all
    }
}

/// Try now what waits for a later time.
public struct SyncRequest: WireRequest {
    public var backend: String?

    public init(backend: String? = nil) { self.backend = backend }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(backend: try ParameterReader(parameters, known: ["backend"]).text("backend"))
    }
    public var parameters: [String: String] { backend.map { ["backend": $0] } ?? [:] }
}

/// Which events to tell.
public struct EventQuery: WireRequest {
    /// Only events with a greater cursor; nil for those from now on.
    public var since: Int64?
    /// Keep the stream open for what is still to come.
    public var follow: Bool
    /// Only events of this backend and of the station itself; nil for all.
    public var backend: String?

    public init(since: Int64? = nil, follow: Bool = false, backend: String? = nil) {
        self.since = since
        self.follow = follow
        self.backend = backend
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["since", "follow", "backend"])
        self.init(
            since: try reader.integer("since", in: 0...Int64.max), follow: try reader.flag("follow"), backend: reader.text("backend"))
    }

    public var parameters: [String: String] {
        var all = follow ? ["follow": "true"] : [:]
        all["since"] = since.map { String($0) }
        all["backend"] = backend
        return all
    }
}
