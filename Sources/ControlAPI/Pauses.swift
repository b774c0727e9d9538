import Foundation

/// What to pause: everything that waits stays where it is, what is captured is taken in as ever, and what is being sent is finished.
public struct PauseRequest: WireRequest, Codable {
    /// The profile's name; nil for every backend.
    public var backend: String?
    /// In plain words, for whoever looks at the status.
    public var reason: String?
    /// When it ends by itself, in the future; nil for when a person says so.
    public var until: Date?

    public init(backend: String? = nil, reason: String? = nil, until: Date? = nil) {
        self.backend = backend
        self.reason = reason
        self.until = until
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        _ = try ParameterReader(parameters, known: [])
        let body = body ?? Data()
        self = try .read(
            body.isEmpty ? Data("{}".utf8) : body, known: ["backend", "reason", "until"],
            like: #"{"reason": "…", "until": "2025-03-11T14:00:00.000Z", "backend": "…"}"#)
    }

    public var parameters: [String: String] { [:] }
    public var body: Data? { JSONCoding.encoded(self) }
}

/// Which pause to end.
public struct ResumeRequest: WireRequest {
    /// The profile's name; nil for every backend.
    public var backend: String?

    public init(backend: String? = nil) { self.backend = backend }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(backend: try ParameterReader(parameters, known: ["backend"]).text("backend"))
    }
    public var parameters: [String: String] { backend.map { ["backend": $0] } ?? [:] }
}

/// One backend to which nothing is sent because a person wishes it.
public struct PauseReport: Codable, Sendable, Equatable {
    public var backend: String
    public var reason: String
    public var since: Date
    /// When it ends by itself; nil for when a person says so.
    public var until: Date?
    /// Who paused it.
    public var by: String

    public init(backend: String, reason: String, since: Date, until: Date?, by: String) {
        self.backend = backend
        self.reason = reason
        self.since = since
        self.until = until
        self.by = by
    }
}

/// What pausing, or resuming, came to.
public struct PauseList: Codable, Sendable, Equatable {
    /// The pauses that hold from now on, or, after resuming, those that were ended: none where nothing was paused.
    public var pauses: [PauseReport]
    /// Entries that are being sent at this moment and will be finished.
    public var inflight: Int

    public init(pauses: [PauseReport], inflight: Int) {
        self.pauses = pauses
        self.inflight = inflight
    }
}
