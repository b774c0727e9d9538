import Foundation

/// How the station is, from the sentence that a person reads first down to the counts.
public struct Status: Codable, Sendable, Equatable {
    /// One plain sentence that answers "has my data gone up?".
    public var sentence: String
    /// What needs a person, gravest first; empty when all is well.
    public var attention: [Attention]
    public var backends: [BackendReport]
    public var spool: SpoolReport?
    public var version: String
    public var startedAt: Date
    /// The newest event's cursor: where to start listening.
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

/// One thing that a person should see to.
public struct Attention: Codable, Sendable, Equatable {
    /// Stable: `disk-full`, `outbox-full`, `no-profile`, `dead`, `held`, `look-up-failing`, `route-failing`, `other-address`, `misconfigured`,
    /// `no-secure-connection`, `clock`, `sign-in-required`, `session-failing`, `paused`, `other-account`, `stuck-files`,
    /// `drop-folder-failing`, `refused-files`, `unclaimed-files`, `configuration-rejected` or `store-damaged`. Open: new codes may come.
    public var code: String
    public var text: String
    /// What to do next, as a sentence.
    public var next: String
    /// The backend that it is about; nil where it is about the station.
    public var backend: String?

    public init(code: String, text: String, next: String, backend: String? = nil) {
        self.backend = backend
        self.code = code
        self.text = text
        self.next = next
    }
}

/// How one backend is.
public struct BackendReport: Codable, Sendable, Equatable {
    public var name: String
    /// As the status's sentence, of this one alone.
    public var sentence: String?
    public var baseURL: String
    /// `open`, `signInRequired`, `cooling` or `paused`.
    public var gate: String
    /// Why the gate is not open, as a sentence.
    public var gateReason: String?
    /// While it is cooling, why, for programs: `offline`, `tls`, `clock`, `intercepted`, `lostAnswer`, `serverError`, `throttled`,
    /// `signInRequired`, `stillUnauthorized` or `profile` (the profile does not fit the backend). Open: new ones may come.
    public var gateCause: String?
    /// The command by which whoever is or was signed in there, or else the one person who is waited for, signs in.
    public var signInCommand: String?
    public var session: SessionReport
    public var queue: QueueReport
    /// When the entry that has waited longest was accepted.
    public var oldestWaiting: Date?
    /// That entry's id.
    public var oldestWaitingID: String?
    public var lastDelivered: Date?
    /// When something will next be tried; nil while nothing waits for a time.
    public var nextTry: Date?
    /// Entries of people who are not signed in now.
    public var otherAccounts: [WaitingAccount]
    /// The address that entries still wait for, where the profile names another service's by now; nil otherwise.
    public var formerAddress: String?
    /// How many wait for it; nil where none do. They are nobody's who could sign in now.
    public var waitingForFormerAddress: Int?
    /// What a person wished; nil where sending is not paused.
    public var pause: PauseReport?
    /// How many entries are destroyed for ever where this caller signs out who is signed in; nil where none ever is.
    public var discardedBySigningOut: Int?
    /// Routes whose entries are left alone while others are sent; nil for none.
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

/// Entries by state, of all accounts of a backend.
public struct QueueReport: Codable, Sendable, Equatable {
    public var pending, inflight, held, dead, delivered, discarded: Int
    /// Those pending entries, of the account signed in, that wait behind one that is dead or held, or whose look-ups keep failing.
    public var blocked: Int
    /// Entries whose look-ups keep failing, among those that are pending or in flight.
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

    /// Entries that have still to go up by themselves.
    public var waiting: Int { pending + inflight }
}

/// A route whose entries are left alone for a while, because none got through.
public struct CoolingRoute: Codable, Sendable, Equatable {
    public var route: String
    /// When its failures in a row began.
    public var since: Date
    public var until: Date
    /// What the backend answered, as a sentence.
    public var reason: String

    public init(route: String, since: Date, until: Date, reason: String) {
        self.route = route
        self.since = since
        self.until = until
        self.reason = reason
    }
}

/// Entries that wait for somebody to sign in again.
public struct WaitingAccount: Codable, Sendable, Equatable {
    public var account: String
    public var email: String
    public var waiting: Int
    /// The command by which this person signs in, where it has to name them.
    public var signInCommand: String?

    public init(account: String, email: String, waiting: Int, signInCommand: String? = nil) {
        self.account = account
        self.email = email
        self.waiting = waiting
        self.signInCommand = signInCommand
    }
}

/// The drop folder.
public struct SpoolReport: Codable, Sendable, Equatable {
    public var directory: String
    /// Files in `new/`, and those that were taken and are not stored yet.
    public var waiting: Int
    /// Files in `refused/`, each with its reason beside it.
    public var refused: Int
    /// Files that cannot be taken, for want of a permission or another system error, or because they are no plain files. Those in `new/` that
    /// are plain files are counted as waiting too.
    public var stuck: Int
    /// One of them; nil where there is none.
    public var stuckExample: StuckFile?
    /// Files that were dropped while no account was signed in, and that nobody has claimed.
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
        /// Why, without a full stop; in the system's words where the system refused.
        public var reason: String
        /// What to do, as a sentence.
        public var next: String

        public init(path: String, reason: String, next: String) {
            self.path = path
            self.reason = reason
            self.next = next
        }
    }
}

/// Who is signed in at a backend.
public struct SessionReport: Codable, Sendable, Equatable {
    public var backend: String
    /// `signedOut`, `signedIn`, `signInRequired` or `signingOut`.
    public var state: String
    /// The account's id; nil when signed out.
    public var account: String?
    public var email: String?
    public var since: Date?
    /// A password is kept, so that an ended session is renewed without a person.
    public var remembered: Bool
    /// Why a person has to sign in again.
    public var reason: String?
    /// Since when every try to renew the session has failed; nil where the last one did not.
    public var failingSince: Date?
    /// Why the last try failed, as a sentence.
    public var failure: String?
    /// By what people sign in there: `password`, `refresh_token` or `token`. Open: new ones may come.
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

/// What signing out came to: the session is gone here.
public struct SignOutReport: Codable, Sendable, Equatable {
    public var backend: String
    /// `cleared`.
    public var local: String
    /// `ended`, `alreadyGone`, `failed` or `none` (nobody was signed in, or the backend has no such call).
    public var server: String
    /// What went wrong at the server, as a sentence.
    public var serverReason: String?
    public var email: String?
    /// Entries that wait for this person to sign in again.
    public var waiting: Int
    /// Entries that were destroyed for ever, because the profile wants it; nil for none.
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

/// What a claim came to: the files are stored from here on as those of this account.
public struct ClaimReport: Codable, Sendable, Equatable {
    /// How many files were claimed.
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

/// The answer to a submission: from here on the data is safe on disk.
public struct SubmissionReceipt: Codable, Sendable, Equatable {
    public var id: String
    public var sequence: Int64
    /// True where this id was known already, with the same content.
    public var duplicate: Bool
    public var backend: String
    public var account: String
    public var lane: String
    /// The SHA-256 of the document as it was accepted, in lower-case hex; nil without one. Homing does not keep it.
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

/// One entry, as a row.
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
    /// As the file or the caller said; otherwise as `acceptedAt`.
    public var capturedAt: Date
    /// When Homing accepted it.
    public var acceptedAt: Date
    public var dueAt: Date?
    public var settledAt: Date?
    /// Counted attempts, of at most three.
    public var attempts: Int
    /// Tries that did not count.
    public var releases: Int
    /// It may have taken effect already.
    public var uncertain: Bool
    /// Whether its route can be looked up, which is done before an uncertain entry is sent again.
    public var canBeLookedUp: Bool
    /// Bytes of the document.
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

/// A page of entries, by ascending sequence.
public struct EntryPage: Codable, Sendable, Equatable {
    public var entries: [EntrySummary]
    /// Pass it as `after` for the next page; nil at the end, and where the newest were asked for.
    public var next: Int64?

    public init(entries: [EntrySummary], next: Int64?) {
        self.entries = entries
        self.next = next
    }
}

/// One try at sending an entry.
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

/// One entry with its newest tries (at most 20), oldest first.
public struct EntryDetail: Codable, Sendable, Equatable {
    public var entry: EntrySummary
    public var attempts: [AttemptSummary]
    /// The fields that its address and its lane are made of, by name; nil for none, and once its content is destroyed.
    public var fields: [String: String]?
    /// While it is pending, the id of the entry that has to leave its way first; nil for none.
    public var behind: String?
    /// Once it is delivered, the first place at which what the server has differs from what was sent, as a JSON pointer.
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

/// Why an entry is where it is.
public struct Explanation: Codable, Sendable, Equatable {
    public var id: String
    public var state: String
    /// What holds it, as a sentence.
    public var sentence: String
    /// What to do next, as a sentence; nil where nothing needs doing.
    public var next: String?

    public init(id: String, state: String, sentence: String, next: String?) {
        self.id = id
        self.state = state
        self.sentence = sentence
        self.next = next
    }
}

/// What `sync` set going.
public struct SyncReport: Codable, Sendable, Equatable {
    /// Entries that wait to be sent under the accounts signed in now.
    public var waiting: Int
    /// The newest event's cursor: what comes after it is this sync's doing.
    public var cursor: Int64
    /// Why not everything that waits can be sent just now, and what to do, as sentences; nil where the way is free.
    public var obstacle: String?
    /// Entries that wait for people who are not signed in now; nil for none.
    public var others: Int?

    public init(waiting: Int, cursor: Int64, obstacle: String?, others: Int? = nil) {
        self.waiting = waiting
        self.cursor = cursor
        self.obstacle = obstacle
        self.others = others
    }
}

/// Something that happened.
public struct Event: Codable, Sendable, Equatable {
    /// Contiguous: a gap means that events were missed.
    public var cursor: Int64
    public var at: Date
    /// `captured`, `delivered`, `retrying`, `released`, `held`, `dead`, `retried`, `discarded`, `recovered`, `gateChanged`, `signedIn`,
    /// `signedOut`, `signInRefused`, `signInFailed`, `signInRequired`, `signOutFailed`, `fileRefused`, `started`, `reloaded`, `stopped`,
    /// `synced`, `denied`, `paused`, `resumed`, `salvaged` or `unverified`. Open: new kinds may come.
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
