import Foundation

/// One call of the control channel: both programs read the method, the path and the rights from here.
public struct Endpoint<Request: WireRequest, Response: Codable & Sendable>: Sendable {
    public let method: Method
    /// Path with `{name}` for each path parameter, e.g. `/v1/entries/{id}`.
    public let path: String
    /// The least role that may call.
    public let access: Access
    /// The longest body that is taken, in bytes.
    public let largestBody: Int
    /// How long an answer may take: longer where it waits for a server far away, or for a large document.
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

/// Roles on the control channel, each including those before it.
public enum Access: Int, Sendable, Comparable, CaseIterable {
    /// Status, lists, events.
    case observe
    /// Sign in and out, submit, retry, sync.
    case operate
    /// Discard what was captured.
    case administer

    public static func < (a: Access, b: Access) -> Bool { a.rawValue < b.rawValue }
}

/// Every call there is. Add one here and the compiler asks for the rest.
public enum Endpoints {
    public static let status = Endpoint<NoInput, Status>(.get, "/v1/status", .observe)
    public static let sessions = Endpoint<NoInput, SessionList>(.get, "/v1/sessions", .observe)
    public static let signIn = Endpoint<SignIn, SessionReport>(.post, "/v1/sessions", .operate, patience: .seconds(90))
    public static let signOut = Endpoint<SignOut, SignOutReport>(.delete, "/v1/sessions", .operate, patience: .seconds(90))
    public static let submit = Endpoint<Submission, SubmissionReceipt>(
        .post, "/v1/entries", .operate, largestBody: 33 << 20, patience: .seconds(90))
    public static let entries = Endpoint<EntryQuery, EntryPage>(.get, "/v1/entries", .observe)
    public static let entry = Endpoint<EntryReference, EntryDetail>(.get, "/v1/entries/{id}", .observe)
    public static let why = Endpoint<EntryReference, Explanation>(.get, "/v1/entries/{id}/why", .observe)
    public static let retry = Endpoint<RetryRequest, EntrySummary>(.post, "/v1/entries/{id}/retry", .operate)
    public static let discard = Endpoint<EntryReference, EntrySummary>(.delete, "/v1/entries/{id}", .administer)
    public static let sync = Endpoint<SyncRequest, SyncReport>(.post, "/v1/sync", .operate)
    public static let claim = Endpoint<NoInput, ClaimReport>(.post, "/v1/claim", .operate, patience: .seconds(90))
    public static let pause = Endpoint<PauseRequest, PauseList>(.post, "/v1/pause", .operate)
    public static let resume = Endpoint<ResumeRequest, PauseList>(.delete, "/v1/pause", .operate)
    public static let receipts = Endpoint<ReceiptQuery, ReceiptPage>(.get, "/v1/receipts", .observe)
    public static let receipt = Endpoint<EntryReference, ReceiptReport>(.get, "/v1/receipts/{id}", .observe)
    public static let lanes = Endpoint<LaneQuery, LaneList>(.get, "/v1/lanes", .observe)
    /// The answer is a stream: one `Event` in JSON a line (application/x-ndjson), and an empty line now and then while it is quiet.
    public static let events = Endpoint<EventQuery, Event>(.get, "/v1/events", .observe)
    /// The answer is `InterfaceDescription.yaml` (application/yaml).
    public static let openapi = Endpoint<NoInput, String>(.get, "/v1/openapi.yaml", .observe)
}
