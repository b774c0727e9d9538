import Foundation

/// The result of an attempt: its effect on the entry and the backend. `Failure.Reason` is the cause. Neither determines the other: a server
/// error can be transient or leave the outcome unknown.
package enum Verdict: Hashable, Sendable {
    /// The expected 2xx with the promised id, or a match of a look-up.
    case accepted(Receipt)
    /// Undeclared; only contrast shows whether the entry is the cause.
    case transient(Failure)
    /// 429, or 503 with Retry-After: the whole backend waits. With another reason than `throttled`, the session cannot be renewed before
    /// `until`.
    case throttled(Failure, until: Date)
    /// 423: only this entry waits, until the server's time if given.
    case locked(Failure, until: Date?)
    /// Declared final for this entry, or the entry cannot become a request.
    case permanent(Failure)
    /// Declared forbidden for this account.
    case forbidden(Failure)
    /// The session is the cause.
    case unauthorized(Failure)
    /// The request never reached a server.
    case unreachable(Failure)
    /// A login page or proxy answered.
    case intercepted(Failure)
    /// The request was sent, but the answer is missing.
    case unknown(Failure)
    /// A look-up did not find the entry, which may still arrive.
    case unseen(Failure)
    /// The rows to read before the send could not be read, or changed meanwhile. Not sent, not counted.
    case unread(Failure, until: Date)

    /// The raw values are stored, and are in the control channel.
    package enum Name: String, CaseIterable, Sendable {
        case accepted, transient, throttled, locked, permanent, forbidden, unauthorized, unreachable, intercepted, unknown, unseen, unread
    }

    package var name: Name {
        switch self {
        case .accepted: .accepted
        case .transient: .transient
        case .throttled: .throttled
        case .locked: .locked
        case .permanent: .permanent
        case .forbidden: .forbidden
        case .unauthorized: .unauthorized
        case .unreachable: .unreachable
        case .intercepted: .intercepted
        case .unknown: .unknown
        case .unseen: .unseen
        case .unread: .unread
        }
    }

    package var failure: Failure? {
        switch self {
        case .accepted: nil
        case .throttled(let failure, _), .locked(let failure, _), .unread(let failure, _): failure
        case .transient(let failure), .permanent(let failure), .forbidden(let failure), .unauthorized(let failure),
            .unreachable(let failure), .intercepted(let failure), .unknown(let failure), .unseen(let failure):
            failure
        }
    }
}

/// Proof of delivery, kept for years.
package struct Receipt: Hashable, Sendable {
    /// If the route promises one.
    package var remoteID: String?
    package var status: Int
    package var foundByLookup: Bool
    /// Pointer to the first difference between stored and sent payload.
    package var altered: String?
    package var at: Date

    package init(remoteID: String?, status: Int, foundByLookup: Bool = false, altered: String? = nil, at: Date) {
        self.remoteID = remoteID
        self.status = status
        self.foundByLookup = foundByLookup
        self.altered = altered
        self.at = at
    }
}

/// Uses the server's words if available.
package struct Failure: Error, Hashable, Sendable {
    package var reason: Reason
    /// The HTTP status; nil without an answer.
    package var status: Int?
    /// One sentence of at most 500 characters, without secrets. It may repeat a payload.
    package var message: String
    /// The entry may have taken effect.
    package var outcomeUnknown: Bool
    /// The seconds that the server asked to wait before the next sign-in; nil otherwise.
    package var wait: Int?

    package init(_ reason: Reason, status: Int? = nil, _ message: String, outcomeUnknown: Bool = false) {
        self.reason = reason
        self.status = status
        self.message = message.count > 500 ? String(message.prefix(499)) + "…" : message
        self.outcomeUnknown = outcomeUnknown
    }

    /// The failure with the status in place of the server's words, which may repeat a payload. The words about an interception are
    /// Homing's.
    package func withoutWords(at backend: String) -> Failure {
        guard let status, reason != .intercepted else { return self }
        return Failure(reason, status: status, Self.answer(status, of: backend), outcomeUnknown: outcomeUnknown)
    }

    package static func answer(_ status: Int, of backend: String) -> String { "\(backend) answered with status \(status)." }

    /// The server's own words in a message; ends with a full stop, or as they do.
    package static func answer(_ words: String, of backend: String) -> String {
        "\(prefix(backend))\(words)\(words.last.map { ".!?…".contains($0) } == true ? "" : ".")"
    }

    /// Nil for a message in Homing's words.
    package static func serverWords(in message: String, of backend: String) -> String? {
        guard message.hasPrefix(prefix(backend)) else { return nil }
        return String(message.dropFirst(prefix(backend).count))
    }

    private static func prefix(_ backend: String) -> String { "\(backend) answered: " }

    /// The cause, as people see it. Stored with the entry. Failures without an attempt have one too, such as a failed health check.
    package enum Reason: String, Sendable, Codable, CaseIterable {
        /// No route, no DNS answer, connection refused, connect timeout.
        case offline
        case tls
        /// The certificate is not valid at the local time, which is suspect.
        case clock
        case intercepted
        /// The request was sent, but no complete answer arrived.
        case lostAnswer
        case tooLarge
        case serverError
        case throttled
        case refused
        /// The server did it with other values than the entry's.
        case misplaced
        case forbidden
        /// The server refuses a renewed session too.
        case stillUnauthorized
        case signInRequired
        /// The entry cannot become a request, or the answer breaks the profile.
        case profile
        case stopping
        case paused
        /// The stored data cannot be read.
        case unreadable
        /// The store was restored from an older copy, such as a backup, and Homing may have sent the entry after that was made.
        case restored
    }
}
