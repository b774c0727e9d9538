import Foundation

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

/// A sign-out that did not reach the server. Homing repeats the call.
public struct OwedSignOutReport: Codable, Sendable, Equatable {
    public var account: String
    public var email: String?
    /// When Homing gives up.
    public var until: Date
    public var sentence: String

    public init(account: String, email: String? = nil, until: Date, sentence: String) {
        self.account = account
        self.email = email
        self.until = until
        self.sentence = sentence
    }
}

/// The local session is gone.
public struct SignOutReport: Codable, Sendable, Equatable {
    public var backend: String
    /// `cleared`.
    public var local: String
    /// `ended`, `alreadyGone`, `failed` or `none` (no session, or no such call at the backend).
    public var server: String
    /// The reason of the server or the network, as a sentence.
    public var serverReason: String?
    public var email: String?
    /// Entries waiting for this account to sign in again.
    public var waiting: Int
    /// Entries discarded by the profile's policy; nil for none.
    public var discarded: Int?
    /// True if the stored lists of the account stay on this station; nil if they were deleted.
    public var dataKept: Bool?
    /// Until when Homing repeats the call, for this device only.
    public var owedUntil: Date?

    public init(
        backend: String, local: String, server: String, serverReason: String? = nil, email: String? = nil, waiting: Int,
        discarded: Int? = nil, dataKept: Bool? = nil, owedUntil: Date? = nil
    ) {
        self.backend = backend
        self.local = local
        self.server = server
        self.serverReason = serverReason
        self.email = email
        self.waiting = waiting
        self.discarded = discarded
        self.dataKept = dataKept
        self.owedUntil = owedUntil
    }
}
