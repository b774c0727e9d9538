import Foundation

/// Pauses sending. Captures are still accepted, and entries being sent are finished.
public struct PauseRequest: WireRequest, Codable {
    /// The profile name; nil for all backends.
    public var backend: String?
    /// Free text shown in the status.
    public var reason: String?
    /// When the pause ends, in the future; nil until resumed.
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
    public var auditTarget: String? { backend ?? "all" }
}

public struct ResumeRequest: WireRequest {
    /// The profile name; nil for all backends.
    public var backend: String?

    public init(backend: String? = nil) { self.backend = backend }
    public init(parameters: [String: String], body: Data?) throws(Problem) {
        self.init(backend: try ParameterReader(parameters, known: ["backend"]).text("backend"))
    }
    public var parameters: [String: String] { backend.map { ["backend": $0] } ?? [:] }
    public var auditTarget: String? { backend ?? "all" }
}

/// A backend paused by a person.
public struct PauseReport: Codable, Sendable, Equatable {
    public var backend: String
    public var reason: String
    public var since: Date
    /// When the pause ends; nil until resumed.
    public var until: Date?
    public var by: String

    public init(backend: String, reason: String, since: Date, until: Date?, by: String) {
        self.backend = backend
        self.reason = reason
        self.since = since
        self.until = until
        self.by = by
    }
}

public struct PauseList: Codable, Sendable, Equatable {
    /// The active pauses or, after resuming, those that ended.
    public var pauses: [PauseReport]
    /// Entries being sent, which will finish.
    public var inflight: Int

    public init(pauses: [PauseReport], inflight: Int) {
        self.pauses = pauses
        self.inflight = inflight
    }
}
