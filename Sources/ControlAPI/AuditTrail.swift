import Foundation

public struct AuditQuery: WireRequest {
    public var since: Date?
    /// One of `AuditKind`; nil for all.
    public var kind: String?
    /// An account's id; nil for all.
    public var account: String?
    public var backend: String?
    /// Only records after this cursor.
    public var after: Int64
    /// 1 to 500.
    public var limit: Int

    public init(
        since: Date? = nil, kind: String? = nil, account: String? = nil, backend: String? = nil, after: Int64 = 0, limit: Int = 500
    ) {
        (self.since, self.kind, self.account, self.backend) = (since, kind, account, backend)
        (self.after, self.limit) = (after, limit)
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["since", "kind", "account", "backend", "after", "limit"])
        if let kind = reader.text("kind"), AuditKind(rawValue: kind) == nil {
            let known = AuditKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("The parameter ‘kind’ is ‘\(kind)’; expected one of \(known).")
        }
        self.init(
            since: try reader.timeOrDay("since"), kind: reader.text("kind"), account: try reader.nonempty("account"),
            backend: reader.text("backend"), after: try reader.integer("after", in: 0...Int64.max) ?? 0,
            limit: Int(try reader.integer("limit", in: 1...500) ?? 500))
    }

    public var parameters: [String: String] {
        var all = ["after": String(after), "limit": String(limit)]
        all["since"] = since.map(JSONCoding.text)
        all["kind"] = kind
        all["account"] = account
        all["backend"] = backend
        return all
    }
}

/// An action of a person, or a change of a session.
public enum AuditKind: String, Sendable, CaseIterable {
    case signIn = "sign-in"
    case signOut = "sign-out"
    case retry, fix, resolve, discard, undo, export, backup, key, claim, pause, sync, denied

    /// The kinds of events, as in `Event.kind`.
    public var events: [String] {
        switch self {
        case .signIn: ["signedIn", "signInRefused", "signInFailed"]
        case .signOut: ["signedOut", "signInRequired", "signOutFailed", "signOutHeard", "signOutGivenUp"]
        case .retry: ["retried"]
        case .fix: ["superseded"]
        case .resolve: ["resolved"]
        case .discard: ["held", "discarded", "fileDiscarded"]
        case .undo: ["restored"]
        case .export: ["exported"]
        case .backup: ["backedUp", "backupRestored"]
        case .key: ["keyChanged", "resealed", "keyExported"]
        case .claim: ["claimed"]
        case .pause: ["paused", "resumed"]
        case .sync: ["synced"]
        case .denied: ["denied"]
        }
    }
}

public struct AuditRecord: Codable, Sendable, Equatable {
    /// The cursor of the event.
    public var cursor: Int64
    public var at: Date
    /// A case of `AuditKind`.
    public var kind: String
    /// The event's kind; see `Event.kind`.
    public var event: String
    public var backend: String?
    public var account: String?
    /// The account's email address, if known.
    public var email: String?
    public var entry: String?
    /// The user of this computer who asked for it; nil if none did.
    public var uid: Int?
    /// That user's name.
    public var user: String?
    /// The event's facts; see `Event.detail`.
    public var detail: [String: String]

    public init(cursor: Int64, at: Date, kind: String, event: String, detail: [String: String] = [:]) {
        (self.cursor, self.at, self.kind, self.event, self.detail) = (cursor, at, kind, event, detail)
    }
}

/// Oldest first.
public struct AuditPage: Codable, Sendable, Equatable {
    public var records: [AuditRecord]
    /// Pass as `after` to get the next page; nil at the end.
    public var next: Int64?
    /// The time of the oldest event that is kept; nil if none was removed.
    public var keptSince: Date?

    public init(records: [AuditRecord], next: Int64? = nil, keptSince: Date? = nil) {
        (self.records, self.next, self.keptSince) = (records, next, keptSince)
    }
}
