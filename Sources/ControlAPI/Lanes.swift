import Foundation

public struct LaneQuery: WireRequest {
    /// 1 to 100.
    public var limit: Int

    public init(limit: Int = 20) { self.limit = limit }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(limit: Int(try ParameterReader(parameters, known: ["limit"]).integer("limit", in: 1...100) ?? 20))
    }
    public var parameters: [String: String] { ["limit": String(limit)] }
}

/// A lane and its head. Entries of a lane are sent one after the other.
public struct LaneReport: Codable, Sendable, Equatable {
    public var backend: String
    public var account: String
    /// The account's email address, if known.
    public var email: String?
    public var lane: String
    /// The id of the next entry.
    public var head: String
    /// The subject of the next entry.
    public var subject: SubjectReport?
    /// State of the head: `pending`, `inflight`, `dead` or `held`.
    public var state: String
    public var capturedAt: Date
    /// When the head is tried next; nil for now, and in any state but `pending`.
    public var dueAt: Date?
    /// Including the head; counted up to 1000.
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

/// Lanes with waiting entries, longest-waiting head first.
public struct LaneList: Codable, Sendable, Equatable {
    public var lanes: [LaneReport]
    public init(lanes: [LaneReport]) { self.lanes = lanes }
}
