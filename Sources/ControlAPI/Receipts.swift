import Foundation

public struct ReceiptQuery: WireRequest {
    /// Only greater sequences.
    public var after: Int64
    /// 1 to 500.
    public var limit: Int
    public var backend: String?
    /// Only receipts settled since.
    public var since: Date?

    public init(after: Int64 = 0, limit: Int = 100, backend: String? = nil, since: Date? = nil) {
        self.after = after
        self.limit = limit
        self.backend = backend
        self.since = since
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["after", "limit", "backend", "since"])
        self.init(
            after: try reader.integer("after", in: 0...Int64.max) ?? 0, limit: Int(try reader.integer("limit", in: 1...500) ?? 100),
            backend: reader.text("backend"), since: try reader.timeOrDay("since"))
    }

    public var parameters: [String: String] {
        var all = ["after": String(after), "limit": String(limit)]
        all["backend"] = backend
        all["since"] = since.map(JSONCoding.text)
        return all
    }
}

/// Proof of an entry's outcome; kept after the entry is removed.
public struct ReceiptReport: Codable, Sendable, Equatable {
    public var sequence: Int64
    public var id: String
    /// `delivered` or `discarded`.
    public var outcome: String
    /// From the file or the caller; otherwise equal to `acceptedAt`.
    public var capturedAt: Date
    public var acceptedAt: Date
    public var settledAt: Date
    public var backend: String
    public var account: String
    /// The account's email address, if known.
    public var email: String?
    public var lane: String
    public var route: String
    /// The kind of the entry; see `EntrySummary.title`.
    public var title: RosterTitle?
    /// The row that the entry is for; see `EntrySummary.subject`.
    public var subject: SubjectReport?
    /// The id assigned by the server.
    public var remoteID: String?
    /// The HTTP status that proved delivery.
    public var status: Int?
    /// Proved by a look-up, not by the response to the send.
    public var foundByLookup: Bool
    /// JSON pointer to the first difference between the server's copy and the payload.
    public var altered: String?
    /// True if the server may have used another account's session.
    public var unverified: Bool?
    /// Earlier failed sends that counted.
    public var attempts: Int
    /// Payload bytes.
    public var size: Int
    /// Nil if delivered.
    public var discardedBy: String?
    /// The id of the entry that replaced it; nil for none.
    public var supersededBy: String?
    /// The person who recorded the delivery; `status` is then nil.
    public var resolvedBy: String?

    public init(
        sequence: Int64, id: String, outcome: String, capturedAt: Date, settledAt: Date, backend: String, account: String, email: String?,
        lane: String, route: String, remoteID: String?, status: Int?, foundByLookup: Bool, attempts: Int, size: Int, discardedBy: String?,
        altered: String? = nil, acceptedAt: Date? = nil, unverified: Bool? = nil
    ) {
        self.sequence = sequence
        self.id = id
        self.outcome = outcome
        self.capturedAt = capturedAt
        self.acceptedAt = acceptedAt ?? capturedAt
        self.settledAt = settledAt
        self.backend = backend
        self.account = account
        self.email = email
        self.lane = lane
        self.route = route
        self.remoteID = remoteID
        self.status = status
        self.foundByLookup = foundByLookup
        self.altered = altered
        self.unverified = unverified
        self.attempts = attempts
        self.size = size
        self.discardedBy = discardedBy
    }
}

/// By ascending sequence.
public struct ReceiptPage: Codable, Sendable, Equatable {
    public var receipts: [ReceiptReport]
    /// Pass as `after` to get the next page; nil at the end.
    public var next: Int64?

    public init(receipts: [ReceiptReport], next: Int64?) {
        self.receipts = receipts
        self.next = next
    }
}
