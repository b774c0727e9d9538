import Foundation

public struct BackendReport: Codable, Sendable, Equatable {
    public var name: String
    /// The summary for this backend alone; see `Status.sentence`.
    public var sentence: String?
    public var baseURL: String
    /// `open`, `signInRequired`, `cooling` or `paused`.
    public var gate: String
    /// Why the gate is not open, as a sentence.
    public var gateReason: String?
    /// Why the gate is cooling: `offline`, `tls`, `clock`, `intercepted`, `lostAnswer`, `serverError`, `throttled`, `signInRequired`,
    /// `stillUnauthorized` or `profile`. New values may be added.
    public var gateCause: String?
    /// The sign-in command of the current or previous account, or else of the only waiting one.
    public var signInCommand: String?
    public var session: SessionReport
    public var queue: QueueReport
    /// When the longest-waiting entry was accepted.
    public var oldestWaiting: Date?
    public var oldestWaitingID: String?
    public var lastDelivered: Date?
    /// The next scheduled try; nil if none is scheduled.
    public var nextTry: Date?
    /// When a connection showed that an outage may be over, until an answer proves it.
    public var connectedAt: Date?
    /// Entries of accounts that are not signed in.
    public var otherAccounts: [WaitingAccount]
    /// A former address that entries are still bound to.
    public var formerAddress: String?
    /// The number of these entries; no current account can send them.
    public var waitingForFormerAddress: Int?
    /// Nil if not paused.
    public var pause: PauseReport?
    /// Entries that a sign-out by this caller would discard; nil if the profile never discards any.
    public var discardedBySigningOut: Int?
    /// Routes that cool down while others are sent; nil for none.
    public var coolingRoutes: [CoolingRoute]?
    /// The lists of the signed-in account; nil for a backend without lists.
    public var rosters: [RosterSummary]?
    /// Sign-outs that the server has not heard of; nil for none.
    public var owedSignOuts: [OwedSignOutReport]?

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
    public var pending, inflight, held, dead, delivered: Int
    /// Without entries that another one replaced.
    public var discarded: Int
    /// Discarded entries that can still be restored. Not among `held`.
    public var discarding: Int
    /// Pending entries of the signed-in account behind a failed or held one, or one with failing look-ups.
    public var blocked: Int
    /// Pending or in-flight entries with failing look-ups.
    public var unseen: Int

    public init(
        pending: Int = 0, inflight: Int = 0, held: Int = 0, dead: Int = 0, delivered: Int = 0, discarded: Int = 0, blocked: Int = 0,
        unseen: Int = 0, discarding: Int = 0
    ) {
        self.pending = pending
        self.inflight = inflight
        self.held = held
        self.dead = dead
        self.delivered = delivered
        self.discarded = discarded
        self.discarding = discarding
        self.blocked = blocked
        self.unseen = unseen
    }

    public var waiting: Int { pending + inflight }
}

/// A route that cools down because none of its entries got through.
public struct CoolingRoute: Codable, Sendable, Equatable {
    public var route: String
    /// The kind of the entries on this route; see `EntrySummary.title`.
    public var title: RosterTitle?
    /// When its consecutive failures began.
    public var since: Date
    public var until: Date
    /// The backend's answer, as a sentence.
    public var reason: String
    /// The only entry that fails, if the profile explains its answer.
    public var entry: String?

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
