import Foundation

/// What one attempt came to. Never thrown: the outcome of an attempt is a value.
package enum Verdict: Hashable, Sendable {
    /// The expected 2xx with the promised id, or found by a look-up.
    case accepted(Receipt)
    /// An answer that is no success and that the profile does not declare as final for an entry: whose fault it is, only contrast tells.
    case transient(Failure)
    /// 429, or 503 with Retry-After: the whole backend waits until then. With another reason than `throttled` it is the session that cannot be
    /// renewed before then.
    case throttled(Failure, until: Date)
    /// 423: what this entry is about is locked at the server; it alone waits, until then where the server says so.
    case locked(Failure, until: Date?)
    /// The profile declares the answer as final for this entry, or the entry cannot be turned into a request.
    case permanent(Failure)
    /// The profile declares that this account may not.
    case forbidden(Failure)
    /// The session, not the entry, is at fault.
    case unauthorized(Failure)
    /// The request never reached a server.
    case unreachable(Failure)
    /// Something other than the backend answered: a login page, a proxy.
    case intercepted(Failure)
    /// Bytes were sent and the answer is missing.
    case unknown(Failure)
    /// A look-up did not find the entry, and it may still arrive.
    case unseen(Failure)

    /// The word under which this verdict is recorded.
    package var name: String {
        switch self {
        case .accepted: "accepted"
        case .transient: "transient"
        case .throttled: "throttled"
        case .locked: "locked"
        case .permanent: "permanent"
        case .forbidden: "forbidden"
        case .unauthorized: "unauthorized"
        case .unreachable: "unreachable"
        case .intercepted: "intercepted"
        case .unknown: "unknown"
        case .unseen: "unseen"
        }
    }

    package var failure: Failure? {
        switch self {
        case .accepted: nil
        case .throttled(let failure, _), .locked(let failure, _): failure
        case .transient(let failure), .permanent(let failure), .forbidden(let failure), .unauthorized(let failure),
            .unreachable(let failure), .intercepted(let failure), .unknown(let failure), .unseen(let failure):
            failure
        }
    }
}

/// The proof that the server has it: small, kept for years.
package struct Receipt: Hashable, Sendable {
    /// The id that the server gave, where the route promises one.
    package var remoteID: String?
    /// The HTTP status of the answer that proved it.
    package var status: Int
    /// True where a look-up, not the answer to the send, proved it.
    package var foundByLookup: Bool
    /// The first place at which what the server has differs from what was sent, as a JSON pointer; nil where nothing differs or it does not say.
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

/// Why an attempt did not succeed, in the server's words where it had any.
package struct Failure: Error, Hashable, Sendable {
    package var reason: Reason
    /// The HTTP status; nil where there was no answer.
    package var status: Int?
    /// One sentence, without secrets or payload, at most 500 characters.
    package var message: String
    /// After this attempt it is not known whether the mutation has taken effect.
    package var outcomeUnknown: Bool

    package init(_ reason: Reason, status: Int? = nil, _ message: String, outcomeUnknown: Bool = false) {
        self.reason = reason
        self.status = status
        self.message = message.count > 500 ? String(message.prefix(499)) + "…" : message
        self.outcomeUnknown = outcomeUnknown
    }

    package enum Reason: String, Sendable, Codable, CaseIterable {
        /// No route, no DNS answer, connection refused, connect timeout.
        case offline
        /// The TLS handshake failed.
        case tls
        /// The certificate is out of its dates while our own clock is suspect.
        case clock
        /// A login page or a proxy answered instead of the backend.
        case intercepted
        /// The request was sent and the connection broke or fell silent before the answer.
        case lostAnswer
        /// The answer is longer than may be read.
        case tooLarge
        /// The server itself said that it failed, leaving the outcome open or not.
        case serverError
        /// The server asked us to slow down.
        case throttled
        /// The server refused this mutation.
        case refused
        /// The account may not do this.
        case forbidden
        /// The session was renewed, and the server refuses all the same as if nobody were signed in.
        case stillUnauthorized
        /// Nobody is signed in, or the session has ended.
        case signInRequired
        /// The entry cannot be turned into a request, or its answer breaks the profile's promise.
        case profile
        /// The daemon was told to stop.
        case stopping
        /// A person paused sending before it was sent.
        case paused
        /// The stored bytes cannot be read.
        case unreadable
    }
}
