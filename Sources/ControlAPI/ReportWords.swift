/// A word of a report that programs act on. `unknown` stands for any word of a newer daemon.
package protocol ReportWord: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    static var unknown: Self { get }
}

extension ReportWord {
    init(word: String?) { self = word.flatMap(Self.init(rawValue:)) ?? .unknown }
}

extension SessionReport {
    package enum State: String, ReportWord { case signedOut, signedIn, signInRequired, signingOut, unknown }
    package var knownState: State { State(word: state) }
    package var isSignedIn: Bool { knownState == .signedIn }

    package enum SignInMeans: String, ReportWord {
        case password
        case refreshToken = "refresh_token"
        case token, unknown
    }
    package var knownSignInMeans: SignInMeans { SignInMeans(word: signInBy) }
}

extension BackendReport {
    package enum Gate: String, ReportWord { case open, signInRequired, cooling, paused, unknown }
    package var knownGate: Gate { Gate(word: gate) }
}

extension SpoolReport.StuckFile {
    package enum Cause: String, ReportWord {
        case system, unwritable, unlistable
        case noBackend = "no-backend"
        case otherAccount = "other-account"
        case diskFull = "disk-full"
        case overLimit = "over-limit"
        case unreadable, linked, link, folder, special
        /// The drop folder is turned off.
        case off
        case unknown
    }
    package var knownCause: Cause { Cause(word: cause) }
}

extension SignOutReport {
    package enum Server: String, ReportWord {
        case ended, alreadyGone, failed
        /// No session, or no such call at the backend.
        case notAsked = "none"
        case unknown
    }
    package var knownServer: Server { Server(word: server) }
}

extension RosterReport {
    package enum State: String, ReportWord { case unread, complete, incomplete, signedOut, unknown }
    package var knownState: State { State(word: state) }

    /// Why rows may be missing.
    package enum Reason: String, ReportWord { case limit, changing, contradiction, rows, unknown }
    /// Nil for a complete list.
    package var knownReason: Reason? { reason.map { Reason(word: $0) } }
}

extension RosterTitle {
    /// The effect of an entry; `entry` for one of a backend without a profile, `capture` in sentences about entries of the drop folder's
    /// route.
    package enum Kind: String, ReportWord { case new, change, deletion, entry, capture, unknown }
    /// Nil for the words of a profile.
    package var knownKind: Kind? { kind.map { Kind(word: $0) } }
}

extension ReceiptReport {
    package enum Outcome: String, ReportWord { case delivered, discarded, unknown }
    package var knownOutcome: Outcome { Outcome(word: outcome) }
}

extension Finding {
    /// In the order of ‘homing doctor’.
    package enum Check: String, ReportWord {
        case daemon, versions, units, role, configuration, clock, proxy, name, connection, answer, space, store, files, key
        case dropFolder = "drop-folder"
        case sessions, backlog, entries, sending, lists, unknown
    }
    package var knownCheck: Check { Check(word: check) }

    /// `note`: some checks did not run, and nothing is wrong.
    package enum State: String, ReportWord { case ok, note, warning, problem, unknown }
    package var knownState: State { State(word: state) }
    /// True unless a person should act.
    package var isOK: Bool { [.ok, .note].contains(knownState) }

    package init(_ check: Check, _ state: State, _ finding: String, remedy: String? = nil, backend: String? = nil) {
        self.init(check: check.rawValue, state: state.rawValue, finding: finding, remedy: remedy, backend: backend)
    }
}

extension Attention {
    /// Most serious first.
    package enum Code: String, ReportWord {
        case storeGone = "store-gone"
        case storeDamaged = "store-damaged"
        /// The file of the key, which the running daemon still has.
        case keyDeleted = "key-deleted"
        case diskFull = "disk-full"
        case outboxFull = "outbox-full"
        case noProfile = "no-profile"
        /// Failed entries.
        case dead
        case held
        case lookUpFailing = "look-up-failing"
        case routeFailing = "route-failing"
        case otherAddress = "other-address"
        case misconfigured
        case noSecureConnection = "no-secure-connection"
        case clock
        /// The login page of a network answers in place of the backend.
        case networkSignIn = "network-sign-in"
        case signInRequired = "sign-in-required"
        case sessionFailing = "session-failing"
        /// The disk is nearly full.
        case diskLow = "disk-low"
        case paused
        case otherAccount = "other-account"
        case dropFolderFailing = "drop-folder-failing"
        case stuckFiles = "stuck-files"
        case unclaimedFiles = "unclaimed-files"
        case refusedFiles = "refused-files"
        case listFailing = "list-failing"
        case configurationRejected = "configuration-rejected"
        case unknown
    }
    package var knownCode: Code { Code(word: code) }

    package init(_ code: Code, _ text: String, next: String, backend: String? = nil) {
        self.init(code: code.rawValue, text: text, next: next, backend: backend)
    }
}
