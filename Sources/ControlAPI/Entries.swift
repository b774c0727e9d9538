import Foundation

public struct EntrySummary: Codable, Sendable, Equatable {
    public var sequence: Int64
    public var id: String
    public var backend: String
    public var account: String
    public var route: String
    public var title: RosterTitle?
    public var lane: String
    /// The row that it refers to or creates; nil unless the route refers to a list or makes a row of one.
    public var subject: SubjectReport?
    /// `pending`, `inflight`, `delivered`, `dead`, `held` or `discarded`.
    public var state: String
    public var holdReason: String?
    /// The entry that must first create the row that this one refers to.
    public var needs: String?
    /// While undelivered: the id of the entry accepted with it, which gives the created row its content. It may not exist, if the
    /// submission had no payload.
    public var then: String?
    /// From the file or the caller; otherwise equal to `acceptedAt`.
    public var capturedAt: Date
    public var acceptedAt: Date
    public var dueAt: Date?
    /// The id of the entry that a pending one waits behind.
    public var behind: String?
    /// True for a pending entry while a person has paused its backend; otherwise nil. Only in `EntryPage` and `EntryDetail`.
    public var paused: Bool?
    public var settledAt: Date?
    /// Counted attempts, at most three.
    public var attempts = 0
    /// Tries that did not count.
    public var releases = 0
    /// An earlier send may have taken effect.
    public var uncertain = false
    /// True if the route has a look-up, which precedes resending an uncertain entry.
    public var canBeLookedUp = false
    /// True if a retry needs `withoutLooking`, because the entry may have taken effect and cannot be looked up; otherwise nil.
    public var retryMayDuplicate: Bool?
    /// Payload bytes.
    public var size = 0
    public var remoteID: String?
    public var lastStatus: Int?
    public var lastError: String?
    /// Set while `holdReason` is `discarding`.
    public var discardAt: Date?
    /// The id of the entry that replaced it. Only in `EntryPage` and `EntryDetail`.
    public var supersededBy: String?
    /// A newer change of the row that was sent already, and that the entry will overwrite. Only in the answers of `retry`, `resolve` and
    /// `restore`.
    public var overwrites: String?

    public init(
        sequence: Int64, id: String, backend: String, account: String, route: String, lane: String, state: String, capturedAt: Date,
        acceptedAt: Date? = nil
    ) {
        self.sequence = sequence
        self.id = id
        self.backend = backend
        self.account = account
        self.route = route
        self.lane = lane
        self.state = state
        self.capturedAt = capturedAt
        self.acceptedAt = acceptedAt ?? capturedAt
    }
}

/// By ascending sequence.
public struct EntryPage: Codable, Sendable, Equatable {
    public var entries: [EntrySummary]
    /// Pass as `after` to get the next page; nil at the end.
    public var next: Int64?
    /// The number of entries in this page.
    public var shown: Int
    /// Matching entries on all pages; counted up to 10,000.
    public var total: Int
    /// True if more match than are counted.
    public var totalIsLeast: Bool?

    public init(entries: [EntrySummary], next: Int64?, total: Int? = nil, totalIsLeast: Bool? = nil) {
        self.entries = entries
        self.next = next
        self.shown = entries.count
        self.total = total ?? entries.count
        self.totalIsLeast = totalIsLeast
    }
}

/// One try to send an entry.
public struct AttemptSummary: Codable, Sendable, Equatable {
    public var startedAt: Date
    public var endedAt: Date
    /// `accepted`, `transient`, `throttled`, `locked`, `permanent`, `forbidden`, `unauthorized`, `unreachable`, `intercepted` or `unknown`.
    public var verdict: String
    /// True if it counted against the limit.
    public var counted: Bool
    public var status: Int?
    public var message: String?

    public init(startedAt: Date, endedAt: Date, verdict: String, counted: Bool, status: Int?, message: String?) {
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.verdict = verdict
        self.counted = counted
        self.status = status
        self.message = message
    }
}

/// An entry with its newest tries (at most 20), oldest first.
public struct EntryDetail: Codable, Sendable, Equatable {
    public var entry: EntrySummary
    public var attempts: [AttemptSummary]
    /// The fields for its address and lane; nil if none, or after the payload is destroyed.
    public var fields: [String: String]?
    /// The id of the entry that a pending one waits behind.
    public var behind: String?
    /// A JSON pointer to the first difference between the server's copy and the payload.
    public var altered: String?

    public init(
        entry: EntrySummary, attempts: [AttemptSummary], fields: [String: String]? = nil, behind: String? = nil, altered: String? = nil
    ) {
        self.entry = entry
        self.attempts = attempts
        self.fields = fields
        self.behind = behind
        self.altered = altered
    }
}

public struct Explanation: Codable, Sendable, Equatable {
    public var id: String
    public var state: String
    public var subject: SubjectReport?
    public var sentence: String
    /// The cause that the sentence states, as a word. New ones may be added.
    public var cause: String?
    /// The values that the sentence names.
    public var facts: SentenceFacts?
    /// The next step, as sentences and commands; nil for none.
    public var next: String?
    /// True if the next step is required: without it, the entry stays as it is.
    public var needsPerson: Bool
    /// Values of `Change` that the caller can make now.
    public var changes: [String]?

    package enum Change: String, Sendable {
        case retry, resolve
        /// For another row. Not offered for a deletion, and for a change of a row only if that row was refused or is not created.
        case fix
        case discard, restore
    }

    package func allows(_ change: Change) -> Bool { changes?.contains(change.rawValue) == true }

    public init(
        id: String, state: String, subject: SubjectReport? = nil, sentence: String, next: String?, needsPerson: Bool,
        changes: [String]? = nil
    ) {
        self.id = id
        self.subject = subject
        self.state = state
        self.sentence = sentence
        self.next = next
        self.needsPerson = needsPerson
        self.changes = changes
    }
}
