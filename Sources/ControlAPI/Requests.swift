import Foundation

public struct NoInput: WireRequest {
    public init() {}
    public init(parameters: [String: String], body: Data?) throws(Problem) { _ = try ParameterReader(parameters, known: []) }
    public var parameters: [String: String] { [:] }
}

/// A sign-in with exactly one of a password, a refresh token and a token.
public struct SignIn: WireRequest, Codable {
    /// The profile name; optional with one backend.
    public var backend: String?
    /// The account for a password; the display name for a token.
    public var email: String?
    public var password: String?
    /// A refresh token, for backends with an external sign-in, such as Google.
    public var refreshToken: String?
    /// A fixed token, such as an API key.
    public var token: String?
    /// Keeps the password, sealed, to renew an ended session.
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
            throw Problem.invalid(
                "Send exactly one of password, refreshToken and token; with a password, also an email. "
                    + "The body must be JSON like \(example)."
            ).stating(.signInIncomplete)
        }
        guard proofs.allSatisfy({ !$0.isEmpty }) else {
            throw Problem.invalid("The password or token is empty.").stating(.secretEmpty)
        }
    }

    public var parameters: [String: String] { [:] }
    public var body: Data? { JSONCoding.encoded(self) }
    public var auditTarget: String? { backend }
}

public struct SignOut: WireRequest {
    public var backend: String?
    /// The id of the account to sign out; another one stays signed in.
    public var account: String?
    /// Also end the account's sessions on other devices, if the backend can.
    public var allDevices: Bool
    /// Override a profile that refuses sign-out with undelivered entries.
    public var force: Bool
    /// Keeps the account's lists until it signs in again.
    public var keepData: Bool

    public init(
        backend: String? = nil, account: String? = nil, allDevices: Bool = false, force: Bool = false, keepData: Bool = false
    ) {
        self.backend = backend
        self.account = account
        self.allDevices = allDevices
        self.force = force
        self.keepData = keepData
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["backend", "account", "all_devices", "force", "keep_data"])
        self.init(
            backend: reader.text("backend"), account: reader.text("account"), allDevices: try reader.flag("all_devices"),
            force: try reader.flag("force"), keepData: try reader.flag("keep_data"))
    }

    public var parameters: [String: String] {
        var all = allDevices ? ["all_devices": "true"] : [:]
        if force { all["force"] = "true" }
        if keepData { all["keep_data"] = "true" }
        all["backend"] = backend
        all["account"] = account
        return all
    }
}

/// The body is the payload, byte for byte; everything else is a parameter.
public struct Submission: WireRequest {
    public var backend: String?
    /// A route of the backend's profile, e.g. `measurement`.
    public var route: String
    /// Chosen by the client: the same id with the same content is the same entry.
    public var id: String?
    /// The id of the replaced entry.
    public var supersedes: String?
    /// Item fields, as `item.<name>=<value>`: a number if the route declares one, otherwise text.
    public var fields: [String: String]
    /// At most 32 MiB.
    public var payload: Data?
    /// The capture time; nil or implausible means the time of acceptance.
    public var capturedAt: Date?
    /// Refuses an id that is missing from a complete and current list.
    public var strict: Bool

    public init(
        backend: String? = nil, route: String, id: String? = nil, supersedes: String? = nil, fields: [String: String] = [:],
        payload: Data? = nil, capturedAt: Date? = nil, strict: Bool = false
    ) {
        self.backend = backend
        self.route = route
        self.id = id
        self.supersedes = supersedes
        self.fields = fields
        self.payload = payload
        self.capturedAt = capturedAt
        self.strict = strict
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["backend", "route", "id", "supersedes", "captured_at", "strict", "item.*"])
        self.init(
            backend: reader.text("backend"), route: try reader.required("route"), id: reader.text("id"),
            supersedes: reader.text("supersedes"),
            fields: reader.items, payload: (body?.isEmpty ?? true) ? nil : body,
            capturedAt: try reader.time("captured_at"), strict: try reader.flag("strict"))
    }

    public var parameters: [String: String] {
        var all = ParameterReader.parameters(ofItems: fields)
        all["route"] = route
        all["backend"] = backend
        all["id"] = id
        all["supersedes"] = supersedes
        all["captured_at"] = capturedAt.map(JSONCoding.text)
        if strict { all["strict"] = "true" }
        return all
    }
    public var body: Data? { payload }
    public var auditTarget: String? { id }
}

public struct EntryReference: WireRequest {
    /// An entry's id, its number, or at least 4 characters from the beginning or end of its id.
    public var id: String

    public init(id: String) { self.id = id }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(id: try ParameterReader(parameters, known: ["id"]).required("id"))
    }
    public var parameters: [String: String] { ["id": id] }
}

/// Resets the attempts.
public struct RetryRequest: WireRequest {
    /// An entry's name, in the forms of `EntryReference.id`.
    public var id: String
    /// Skips the look-up of an uncertain entry, which may then exist twice on the server.
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

public struct SyncRequest: WireRequest {
    public var backend: String?

    public init(backend: String? = nil) { self.backend = backend }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(backend: try ParameterReader(parameters, known: ["backend"]).text("backend"))
    }
    public var parameters: [String: String] { backend.map { ["backend": $0] } ?? [:] }
    public var auditTarget: String? { backend ?? "all" }
}

public struct EventQuery: WireRequest {
    /// Only events with a greater cursor; nil for new events only.
    public var since: Int64?
    /// Keep the stream open for future events.
    public var follow: Bool
    /// Only events of this backend and of the station; nil for all.
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
