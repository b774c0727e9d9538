import Foundation

/// Which receipts to list.
public struct ReceiptQuery: WireRequest {
    /// Only those of entries with a greater number.
    public var after: Int64
    /// At most this many (1 to 500).
    public var limit: Int
    public var backend: String?
    /// Only what was settled at this time or later.
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
            backend: reader.text("backend"), since: try reader.time("since"))
    }

    public var parameters: [String: String] {
        var all = ["after": String(after), "limit": String(limit)]
        all["backend"] = backend
        all["since"] = since.map(JSONCoding.text)
        return all
    }
}

/// The proof of what became of one entry: it stays when the entry itself is forgotten.
public struct ReceiptReport: Codable, Sendable, Equatable {
    public var sequence: Int64
    public var id: String
    /// `delivered` or `discarded`.
    public var outcome: String
    /// As the file or the caller said; otherwise as `acceptedAt`.
    public var capturedAt: Date
    /// When Homing accepted it.
    public var acceptedAt: Date
    /// When it was delivered or discarded.
    public var settledAt: Date
    public var backend: String
    /// The account in whose name it was captured.
    public var account: String
    /// That account's e-mail address, where it is known.
    public var email: String?
    public var lane: String
    public var route: String
    /// The id that the server gave.
    public var remoteID: String?
    /// The HTTP status of the answer that proved it.
    public var status: Int?
    /// A look-up, not the answer to the send, proved it.
    public var foundByLookup: Bool
    /// The first place at which what the server has differs from what was sent, as a JSON pointer; nil where nothing differs or it does not say.
    public var altered: String?
    /// True where it was delivered while the server may have taken the session for another account's.
    public var unverified: Bool?
    /// Counted sends that failed before.
    public var attempts: Int
    /// Bytes of the document.
    public var size: Int
    /// Who discarded it; nil for what was delivered.
    public var discardedBy: String?

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

/// A page of receipts, by ascending sequence.
public struct ReceiptPage: Codable, Sendable, Equatable {
    public var receipts: [ReceiptReport]
    /// Pass it as `after` for the next page; nil at the end.
    public var next: Int64?

    public init(receipts: [ReceiptReport], next: Int64?) {
        self.receipts = receipts
        self.next = next
    }
}
