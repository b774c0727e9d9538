import Foundation

/// How many lanes to tell of.
public struct LaneQuery: WireRequest {
    /// At most this many (1 to 100).
    public var limit: Int

    public init(limit: Int = 20) { self.limit = limit }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(limit: Int(try ParameterReader(parameters, known: ["limit"]).integer("limit", in: 1...100) ?? 20))
    }
    public var parameters: [String: String] { ["limit": String(limit)] }
}

/// A lane, within which entries go one after the other, and what is at its head.
public struct LaneReport: Codable, Sendable, Equatable {
    public var backend: String
    public var account: String
    /// That account's e-mail address, where it is known.
    public var email: String?
    public var lane: String
    /// The id of the entry that goes next.
    public var head: String
    /// The head's: `pending`, `inflight`, `dead` or `held`.
    public var state: String
    /// When the head was captured.
    public var capturedAt: Date
    /// When the head is tried next; nil for at once, and in any state but `pending`.
    public var dueAt: Date?
    /// Entries in line, the head among them; counted up to 1000.
    public var waiting: Int

    public init(
        backend: String, account: String, email: String?, lane: String, head: String, state: String, capturedAt: Date, dueAt: Date?,
        waiting: Int
    ) {
        self.backend = backend
        self.account = account
        self.email = email
        self.lane = lane
        self.head = head
        self.state = state
        self.capturedAt = capturedAt
        self.dueAt = dueAt
        self.waiting = waiting
    }
}

/// Lanes in which something waits, the longest-waiting head first.
public struct LaneList: Codable, Sendable, Equatable {
    public var lanes: [LaneReport]
    public init(lanes: [LaneReport]) { self.lanes = lanes }
}
