import Foundation

public struct EntryQuery: WireRequest {
    /// `pending`, `inflight`, `delivered`, `dead`, `held` or `discarded`; nil for all.
    public var state: String?
    public var backend: String?
    /// Only entries that refer to the row with this id, or to a new row (`@` and the UUID of its entry).
    public var user: String?
    public var route: String?
    /// Only entries captured at this time or later.
    public var since: Date?
    /// Only entries captured before this time.
    public var until: Date?
    /// Only entries after this sequence, oldest first; nil for the newest.
    public var after: Int64?
    /// 1 to 500.
    public var limit: Int

    public init(
        state: String? = nil, backend: String? = nil, user: String? = nil, route: String? = nil, since: Date? = nil, until: Date? = nil,
        after: Int64? = nil, limit: Int = 100
    ) {
        self.state = state
        self.backend = backend
        self.user = user
        self.route = route
        self.since = since
        self.until = until
        self.after = after
        self.limit = limit
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["state", "backend", "user", "route", "since", "until", "after", "limit"])
        let states = ["pending", "inflight", "delivered", "dead", "held", "discarded"]
        if let state = reader.text("state"), !states.contains(state) {
            throw .invalid("The parameter ‘state’ is ‘\(state)’; expected one of \(states.joined(separator: ", ")).")
        }
        self.init(
            state: reader.text("state"), backend: reader.text("backend"), user: try reader.nonempty("user"),
            route: try reader.nonempty("route"), since: try reader.timeOrDay("since"), until: try reader.timeOrDay("until"),
            after: try reader.integer("after", in: 0...Int64.max), limit: Int(try reader.integer("limit", in: 1...500) ?? 100))
    }

    public var parameters: [String: String] {
        var all = ["limit": String(limit)]
        all["state"] = state
        all["backend"] = backend
        all["user"] = user
        all["route"] = route
        all["since"] = since.map(JSONCoding.text)
        all["until"] = until.map(JSONCoding.text)
        all["after"] = after.map { String($0) }
        return all
    }
}
