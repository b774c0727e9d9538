import Foundation

/// The state of the station.
public struct Status: Codable, Sendable, Equatable {
    /// One sentence: whether all data was delivered.
    public var sentence: String
    /// Problems that need a person, most serious first.
    public var attention: [Attention]
    public var backends: [BackendReport]
    public var spool: SpoolReport?
    public var version: String
    public var startedAt: Date
    /// The newest event's cursor.
    public var cursor: Int64

    public init(
        sentence: String, attention: [Attention], backends: [BackendReport], spool: SpoolReport?, version: String, startedAt: Date,
        cursor: Int64
    ) {
        self.sentence = sentence
        self.attention = attention
        self.backends = backends
        self.spool = spool
        self.version = version
        self.startedAt = startedAt
        self.cursor = cursor
    }
}

public struct Attention: Codable, Sendable, Equatable {
    /// Stable: `disk-full`, `outbox-full`, `no-profile`, `dead`, `held`, `look-up-failing`, `route-failing`, `other-address`, `misconfigured`,
    /// `no-secure-connection`, `clock`, `sign-in-required`, `session-failing`, `paused`, `other-account`, `stuck-files`, `drop-folder-failing`,
    /// `refused-files`, `unclaimed-files`, `configuration-rejected` or `store-damaged`. New codes may be added.
    public var code: String
    public var text: String
    /// What to do next, as a sentence.
    public var next: String
    /// Nil for the whole station.
    public var backend: String?

    public init(code: String, text: String, next: String, backend: String? = nil) {
        self.backend = backend
        self.code = code
        self.text = text
        self.next = next
    }
}

public struct BackendReport: Codable, Sendable, Equatable {
    public var name: String
    /// As `Status.sentence`, for this backend alone.
    public var sentence: String?
    public var baseURL: String
    /// `open`, `signInRequired`, `cooling` or `paused`.
    public var gate: String
    /// Why the gate is not open, as a sentence.
    public var gateReason: String?
    /// Machine-readable reason while cooling: `offline`, `tls`, `clock`, `intercepted`, `lostAnswer`, `serverError`, `throttled`, `signInRequired`,
    /// `stillUnauthorized` or `profile` (the profile does not fit the backend). New values may be added.
    public var gateCause: String?
    /// Sign-in command for the current or previous account, or else for the only waiting account.
    public var signInCommand: String?
    public var session: SessionReport
    public var queue: QueueReport
    /// When the longest-waiting entry was accepted.
    public var oldestWaiting: Date?
    public var oldestWaitingID: String?
    public var lastDelivered: Date?
    /// The next scheduled try; nil if none is scheduled.
    public var nextTry: Date?
    /// Entries of accounts that are not signed in.
    public var otherAccounts: [WaitingAccount]
    /// A former backend address that entries are still bound to; nil for none.
    public var formerAddress: String?
    /// The number of those entries; nil for none. No current account can send them.
    public var waitingForFormerAddress: Int?
    /// Nil if not paused.
    public var pause: PauseReport?
    /// Entries that a sign-out by this caller would discard; nil if the profile never discards any.
    public var discardedBySigningOut: Int?
    /// Routes that cool down while others are sent; nil for none.
    public var coolingRoutes: [CoolingRoute]?

    public init(
        name: String, baseURL: String, gate: String, gateReason: String?, session: SessionReport, queue: QueueReport, oldestWaiting: Date?,
        oldestWaitingID: String? = nil, lastDelivered: Date?, nextTry: Date?, otherAccounts: [WaitingAccount],
        formerAddress: String? = nil, waitingForFormerAddress: Int? = nil, pause: PauseReport? = nil, gateCause: String? = nil,
        signInCommand: String? = nil, sentence: String? = nil, discardedBySigningOut: Int? = nil, coolingRoutes: [CoolingRoute]? = nil
    ) {
        self.name = name
        self.baseURL = baseURL
        self.gate = gate
        self.gateReason = gateReason
        self.session = session
        self.queue = queue
        self.oldestWaiting = oldestWaiting
        self.oldestWaitingID = oldestWaitingID
        self.lastDelivered = lastDelivered
        self.nextTry = nextTry
        self.otherAccounts = otherAccounts
        self.formerAddress = formerAddress
        self.waitingForFormerAddress = waitingForFormerAddress
        self.pause = pause
        self.gateCause = gateCause
        self.signInCommand = signInCommand
        self.sentence = sentence
        self.discardedBySigningOut = discardedBySigningOut
        self.coolingRoutes = coolingRoutes
    }
}

/// Entries by state, across all accounts of a backend.
public struct QueueReport: Codable, Sendable, Equatable {
    public var pending, inflight, held, dead, delivered, discarded: Int
    /// Pending entries of the signed-in account behind a dead or held one, or behind one with failing look-ups.
    public var blocked: Int
    /// Pending or in-flight entries with failing look-ups.
    public var unseen: Int

    public init(
        pending: Int = 0, inflight: Int = 0, held: Int = 0, dead: Int = 0, delivered: Int = 0, discarded: Int = 0, blocked: Int = 0,
        unseen: Int = 0
    ) {
        self.pending = pending
        self.inflight = inflight
        self.held = held
        self.dead = dead
        self.delivered = delivered
        self.discarded = discarded
        self.blocked = blocked
        self.unseen = unseen
    }

    public var waiting: Int { pending + inflight }
}

/// A route that cools down because none of its entries got through.
public struct CoolingRoute: Codable, Sendable, Equatable {
    public var route: String
    /// When its consecutive failures began.
    public var since: Date
    public var until: Date
    /// The backend's answer, as a sentence.
    public var reason: String

    public init(route: String, since: Date, until: Date, reason: String) {
        self.route = route
        self.since = since
        self.until = until
        self.reason = reason
    }
}

/// Entries waiting for this account to sign in.
public struct WaitingAccount: Codable, Sendable, Equatable {
    public var account: String
    public var email: String
    public var waiting: Int
    /// The command that signs in this account, if it must name the account.
    public var signInCommand: String?

    public init(account: String, email: String, waiting: Int, signInCommand: String? = nil) {
        self.account = account
        self.email = email
        self.waiting = waiting
        self.signInCommand = signInCommand
    }
}

public struct SpoolReport: Codable, Sendable, Equatable {
    public var directory: String
    /// Files in `new/`, and taken files that are not stored yet.
    public var waiting: Int
    /// Files in `refused/`, each with its reason beside it.
    public var refused: Int
    /// Files that cannot be taken because of a system error or their type. Regular files in `new/` also count as waiting.
    public var stuck: Int
    /// One of them; nil if none.
    public var stuckExample: StuckFile?
    /// Dropped while signed out and not claimed.
    public var unclaimed: Int

    public init(directory: String, waiting: Int, refused: Int, stuck: Int = 0, stuckExample: StuckFile? = nil, unclaimed: Int = 0) {
        self.directory = directory
        self.waiting = waiting
        self.refused = refused
        self.stuck = stuck
        self.stuckExample = stuckExample
        self.unclaimed = unclaimed
    }

    public struct StuckFile: Codable, Sendable, Equatable {
        public var path: String
        /// Without a full stop; the system's error text if a system call failed.
        public var reason: String
        /// What to do next, as a sentence.
        public var next: String

        public init(path: String, reason: String, next: String) {
            self.path = path
            self.reason = reason
            self.next = next
        }
    }
}

public struct SessionReport: Codable, Sendable, Equatable {
    public var backend: String
    /// `signedOut`, `signedIn`, `signInRequired` or `signingOut`.
    public var state: String
    /// The account id; nil when signed out.
    public var account: String?
    public var email: String?
    public var since: Date?
    /// A stored password renews an ended session without a person.
    public var remembered: Bool
    /// Why a person must sign in again.
    public var reason: String?
    /// When renewals began to fail; nil if the last one succeeded.
    public var failingSince: Date?
    /// Why the last renewal failed, as a sentence.
    public var failure: String?
    /// `password`, `refresh_token` or `token`. New values may be added.
    public var signInBy: String?

    public init(
        backend: String, state: String, account: String? = nil, email: String? = nil, since: Date? = nil, remembered: Bool = false,
        reason: String? = nil, signInBy: String? = nil
    ) {
        self.backend = backend
        self.state = state
        self.account = account
        self.email = email
        self.since = since
        self.remembered = remembered
        self.reason = reason
        self.signInBy = signInBy
    }
}

public struct SessionList: Codable, Sendable, Equatable {
    public var sessions: [SessionReport]
    public init(sessions: [SessionReport]) { self.sessions = sessions }
}

/// The local session is gone.
public struct SignOutReport: Codable, Sendable, Equatable {
    public var backend: String
    /// `cleared`.
    public var local: String
    /// `ended`, `alreadyGone`, `failed` or `none` (no session, or no such call at the backend).
    public var server: String
    /// As a sentence.
    public var serverReason: String?
    public var email: String?
    /// Entries waiting for this account to sign in again.
    public var waiting: Int
    /// Entries discarded by the profile's policy; nil for none.
    public var discarded: Int?

    public init(
        backend: String, local: String, server: String, serverReason: String? = nil, email: String? = nil, waiting: Int,
        discarded: Int? = nil
    ) {
        self.backend = backend
        self.local = local
        self.server = server
        self.serverReason = serverReason
        self.email = email
        self.waiting = waiting
        self.discarded = discarded
    }
}

/// This account owns the claimed files from now on.
public struct ClaimReport: Codable, Sendable, Equatable {
    public var files: Int
    public var backend: String
    public var account: String
    public var email: String?

    public init(files: Int, backend: String, account: String, email: String? = nil) {
        self.files = files
        self.backend = backend
        self.account = account
        self.email = email
    }
}

/// The response to a submission, sent after the entry is durable.
public struct SubmissionReceipt: Codable, Sendable, Equatable {
    public var id: String
    public var sequence: Int64
    /// The id already existed with the same content.
    public var duplicate: Bool
    public var backend: String
    public var account: String
    public var lane: String
    /// SHA-256 of the accepted payload in lower-case hex; nil without a payload. Homing does not keep it.
    public var sha256: String?

    public init(id: String, sequence: Int64, duplicate: Bool, backend: String, account: String, lane: String, sha256: String? = nil) {
        self.sha256 = sha256
        self.id = id
        self.sequence = sequence
        self.duplicate = duplicate
        self.backend = backend
        self.account = account
        self.lane = lane
    }
}

public struct EntrySummary: Codable, Sendable, Equatable {
    public var sequence: Int64
    public var id: String
    public var backend: String
    public var account: String
    public var route: String
    public var lane: String
    /// `pending`, `inflight`, `delivered`, `dead`, `held` or `discarded`.
    public var state: String
    public var holdReason: String?
    /// From the file or the caller; otherwise equal to `acceptedAt`.
    public var capturedAt: Date
    public var acceptedAt: Date
    public var dueAt: Date?
    public var settledAt: Date?
    /// Counted attempts, at most three.
    public var attempts: Int
    /// Tries that did not count.
    public var releases: Int
    /// An earlier send may have taken effect.
    public var uncertain: Bool
    /// Whether the route has a look-up, which precedes resending an uncertain entry.
    public var canBeLookedUp: Bool
    /// Payload bytes.
    public var size: Int
    public var remoteID: String?
    public var lastStatus: Int?
    public var lastError: String?

    public init(
        sequence: Int64, id: String, backend: String, account: String, route: String, lane: String, state: String, holdReason: String?,
        capturedAt: Date, dueAt: Date?, settledAt: Date?, attempts: Int, releases: Int, uncertain: Bool, canBeLookedUp: Bool,
        size: Int, remoteID: String?, lastStatus: Int?, lastError: String?, acceptedAt: Date? = nil
    ) {
        self.sequence = sequence
        self.id = id
        self.backend = backend
        self.account = account
        self.route = route
        self.lane = lane
        self.state = state
        self.holdReason = holdReason
        self.capturedAt = capturedAt
        self.acceptedAt = acceptedAt ?? capturedAt
        self.dueAt = dueAt
        self.settledAt = settledAt
        self.attempts = attempts
        self.releases = releases
        self.uncertain = uncertain
        self.canBeLookedUp = canBeLookedUp
        self.size = size
        self.remoteID = remoteID
        self.lastStatus = lastStatus
        self.lastError = lastError
    }
}

/// By ascending sequence.
public struct EntryPage: Codable, Sendable, Equatable {
    public var entries: [EntrySummary]
    /// Pass as `after` to get the next page; nil at the end and for a query of the newest.
    public var next: Int64?

    public init(entries: [EntrySummary], next: Int64?) {
        self.entries = entries
        self.next = next
    }
}

/// One try to send an entry.
public struct AttemptSummary: Codable, Sendable, Equatable {
    public var startedAt: Date
    public var endedAt: Date
    /// `accepted`, `transient`, `throttled`, `locked`, `permanent`, `forbidden`, `unauthorized`, `unreachable`, `intercepted` or `unknown`.
    public var verdict: String
    /// Whether it counted against the limit.
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
    /// Fields used for its address and lane; nil if none, or after the payload is destroyed.
    public var fields: [String: String]?
    /// For a pending entry, the id of the entry it waits behind; nil for none.
    public var behind: String?
    /// After delivery, a JSON pointer to the first difference between the server's copy and the payload.
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
    /// As a sentence.
    public var sentence: String
    /// What to do next, as a sentence; nil for nothing.
    public var next: String?

    public init(id: String, state: String, sentence: String, next: String?) {
        self.id = id
        self.state = state
        self.sentence = sentence
        self.next = next
    }
}

public struct SyncReport: Codable, Sendable, Equatable {
    /// Entries waiting under the signed-in accounts.
    public var waiting: Int
    /// The newest event's cursor; later events belong to this sync.
    public var cursor: Int64
    /// Why some entries cannot be sent now and what to do, as sentences; nil if nothing blocks them.
    public var obstacle: String?
    /// Entries of accounts that are not signed in; nil for none.
    public var others: Int?

    public init(waiting: Int, cursor: Int64, obstacle: String?, others: Int? = nil) {
        self.waiting = waiting
        self.cursor = cursor
        self.obstacle = obstacle
        self.others = others
    }
}

public struct Event: Codable, Sendable, Equatable {
    /// Contiguous: a gap means missed events.
    public var cursor: Int64
    public var at: Date
    /// `captured`, `delivered`, `retrying`, `released`, `held`, `dead`, `retried`, `discarded`, `recovered`, `gateChanged`, `signedIn`, `signedOut`,
    /// `signInRefused`, `signInFailed`, `signInRequired`, `signOutFailed`, `fileRefused`, `claimed`, `started`, `reloaded`, `stopped`, `synced`,
    /// `denied`, `paused`, `resumed`, `salvaged` or `unverified`. New kinds may be added.
    public var kind: String
    public var backend: String?
    public var account: String?
    public var entry: String?
    public var detail: [String: String]

    public init(cursor: Int64, at: Date, kind: String, backend: String?, account: String?, entry: String?, detail: [String: String]) {
        self.cursor = cursor
        self.at = at
        self.kind = kind
        self.backend = backend
        self.account = account
        self.entry = entry
        self.detail = detail
    }
}
