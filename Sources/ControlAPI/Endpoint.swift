import Foundation

/// One call of the control channel: method, path and required role, shared by client and daemon.
public struct Endpoint<Request: WireRequest, Response: Codable & Sendable>: Sendable {
    public let method: Method
    /// Contains `{name}` for each path parameter, e.g. `/v1/entries/{id}`.
    public let path: String
    /// The lowest role that may call.
    public let access: Access
    /// In bytes.
    public let largestBody: Int
    /// The response timeout: longer for calls that wait for a remote server or carry large payloads.
    public let patience: Duration

    public init(
        _ method: Method, _ path: String, _ access: Access, largestBody: Int = 64 << 10, patience: Duration = .seconds(30)
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.largestBody = largestBody
        self.patience = patience
    }

    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }
}

/// Roles on the control channel; each includes the previous ones.
public enum Access: Int, Sendable, Comparable, CaseIterable {
    /// Status, lists, events.
    case observe
    /// Sign in and out, submit, fix, resolve, retry, sync, read lists of people.
    case operate
    /// Discard entries, undo that, export entries with their payloads, examine the station, and back up the store.
    case administer

    public static func < (a: Access, b: Access) -> Bool { a.rawValue < b.rawValue }
}

/// All calls.
public enum Endpoints {
    public static let status = Endpoint<NoInput, Status>(.get, "/v1/status", .observe)
    /// For administrators, opens a connection to each backend. Others learn only their role.
    public static let doctor = Endpoint<NoInput, DoctorReport>(.get, "/v1/doctor", .observe, patience: .seconds(90))
    public static let sessions = Endpoint<NoInput, SessionList>(.get, "/v1/sessions", .observe)
    public static let signIn = Endpoint<SignIn, SessionReport>(.post, "/v1/sessions", .operate, patience: .seconds(90))
    public static let signOut = Endpoint<SignOut, SignOutReport>(.delete, "/v1/sessions", .operate, patience: .seconds(90))
    public static let submit = Endpoint<Submission, SubmissionReceipt>(
        .post, "/v1/entries", .operate, largestBody: 33 << 20, patience: .seconds(90))
    public static let entries = Endpoint<EntryQuery, EntryPage>(.get, "/v1/entries", .observe)
    public static let entry = Endpoint<EntryReference, EntryDetail>(.get, "/v1/entries/{id}", .observe)
    public static let why = Endpoint<EntryReference, Explanation>(.get, "/v1/entries/{id}/why", .observe)
    public static let retry = Endpoint<RetryRequest, EntrySummary>(.post, "/v1/entries/{id}/retry", .operate)
    public static let fix = Endpoint<FixRequest, SubmissionReceipt>(
        .post, "/v1/entries/{id}/fix", .operate, patience: .seconds(90))
    public static let resolve = Endpoint<ResolveRequest, EntrySummary>(.post, "/v1/entries/{id}/resolve", .operate)
    public static let discard = Endpoint<DiscardRequest, EntrySummary>(.delete, "/v1/entries/{id}", .administer)
    public static let restore = Endpoint<EntryReference, EntrySummary>(.post, "/v1/entries/{id}/restore", .administer)
    /// The response has up to 32 MiB, and twice as much where characters are escaped.
    public static let export = Endpoint<EntryReference, ExportedEntry>(
        .get, "/v1/entries/{id}/export", .administer, patience: .seconds(90))
    /// The response is a SQLite file (application/vnd.sqlite3), which begins once the copy is made.
    public static let backup = Endpoint<NoInput, String>(.get, "/v1/backup", .administer, patience: .seconds(900))
    public static let key = Endpoint<NoInput, KeyReport>(.get, "/v1/key", .administer)
    /// Only root and the daemon's user may; a role is not enough.
    public static let rotateKey = Endpoint<KeyRotation, KeyReport>(.post, "/v1/key", .administer, patience: .seconds(90))
    /// Only root and the daemon's user may, and only while the key file is missing.
    public static let copyKey = Endpoint<NoInput, KeyCopy>(.post, "/v1/key/copy", .administer)
    public static let sync = Endpoint<SyncRequest, SyncReport>(.post, "/v1/sync", .operate)
    public static let claim = Endpoint<NoInput, ClaimReport>(.post, "/v1/claim", .operate, patience: .seconds(90))
    public static let refusedFiles = Endpoint<RefusedFileQuery, RefusedFileList>(.get, "/v1/refused", .operate)
    /// Also needs the role `administer`, unless the caller dropped the file.
    public static let discardFile = Endpoint<FileDiscardRequest, DiscardedFile>(.delete, "/v1/refused/{name}", .operate)
    public static let pause = Endpoint<PauseRequest, PauseList>(.post, "/v1/pause", .operate)
    public static let resume = Endpoint<ResumeRequest, PauseList>(.delete, "/v1/pause", .operate)
    public static let receipts = Endpoint<ReceiptQuery, ReceiptPage>(.get, "/v1/receipts", .observe)
    public static let receipt = Endpoint<EntryReference, ReceiptReport>(.get, "/v1/receipts/{id}", .observe)
    public static let stats = Endpoint<StatsQuery, StatsReport>(.get, "/v1/stats", .observe)
    public static let audit = Endpoint<AuditQuery, AuditPage>(.get, "/v1/audit", .observe)
    public static let lanes = Endpoint<LaneQuery, LaneList>(.get, "/v1/lanes", .observe)
    public static let backends = Endpoint<NoInput, BackendList>(.get, "/v1/backends", .observe)
    public static let rosters = Endpoint<RosterListQuery, RosterList>(.get, "/v1/roster", .operate)
    public static let roster = Endpoint<RosterQuery, RosterPage>(.get, "/v1/roster/{resource}", .operate)
    public static let refreshRoster = Endpoint<RosterReference, RosterReport>(
        .post, "/v1/roster/{resource}/refresh", .operate, patience: .seconds(90))
    /// A stream (application/x-ndjson): one JSON `Event` per line, and an empty line at intervals without events.
    public static let events = Endpoint<EventQuery, Event>(.get, "/v1/events", .observe)
    /// The response is `InterfaceDescription.yaml` (application/yaml).
    public static let openapi = Endpoint<NoInput, String>(.get, "/v1/openapi.yaml", .observe)
}
