import Foundation

/// An error on the wire (RFC 9457, application/problem+json), with a message and the next step.
public struct Problem: Error, Codable, Sendable, Equatable {
    /// `urn:homing:problem:` and the code.
    public var type: String
    public var title: String
    public var status: Int
    /// The failure, as a sentence.
    public var detail: String
    /// Stable, for programs. New codes may be added.
    public var code: Code
    /// The next step, as sentences and commands.
    public var next: String?
    /// With `events-pruned`: the lowest cursor from which events are still available.
    public var oldest: Int64?
    /// With `invalid-request` for a cursor in the future: the cursor of the newest event.
    public var newest: Int64?
    /// If the entry in question was replaced: the id of the entry that replaced it.
    public var supersededBy: String?
    /// The values of the detail. Their reason says what the code leaves open.
    public var facts: SentenceFacts?

    public init(_ code: Code, status: Int, title: String, detail: String, next: String? = nil, oldest: Int64? = nil) {
        self.type = "urn:homing:problem:\(code.rawValue)"
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.next = next
        self.oldest = oldest
    }

    public struct Code: RawRepresentable, Codable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let invalidRequest = Code("invalid-request")
        public static let notFound = Code("not-found")
        public static let notPermitted = Code("not-permitted")
        public static let tooLarge = Code("too-large")
        public static let signInRequired = Code("sign-in-required")
        public static let signInRefused = Code("sign-in-refused")
        public static let alreadySignedIn = Code("already-signed-in")
        public static let backendUnreachable = Code("backend-unreachable")
        public static let backendMisbehaved = Code("backend-misbehaved")
        public static let unsupported = Code("unsupported")
        public static let idConflict = Code("id-conflict")
        /// The id was accepted before, and a person discarded its entry, or another entry replaced it.
        public static let discarded = Code("discarded")
        /// With `strict`: the submitted id is not in the stored list.
        public static let notListed = Code("not-listed")
        public static let wrongState = Code("wrong-state")
        /// The entry may have taken effect and cannot be looked up: sent again, it may exist twice.
        public static let mayDuplicate = Code("may-duplicate")
        public static let outboxFull = Code("outbox-full")
        public static let storageFailed = Code("storage-failed")
        /// The store was deleted or replaced under the running daemon.
        public static let storeGone = Code("store-gone")
        public static let stopping = Code("stopping")
        public static let eventsPruned = Code("events-pruned")
        public static let busy = Code("busy")
        public static let internalError = Code("internal-error")
        /// Client only: no listener on the socket.
        public static let daemonNotRunning = Code("daemon-not-running")
        /// Client only: no answer in time.
        public static let timeout = Code("timeout")
    }

    public static func invalid(_ detail: String, next: String? = nil) -> Problem {
        Problem(.invalidRequest, status: 400, title: "Invalid request", detail: detail, next: next)
    }

    /// Overload: the same request may succeed a second later.
    public static func busy(_ detail: String) -> Problem {
        Problem(.busy, status: 503, title: "The daemon is busy", detail: detail, next: "Try again in a second.")
    }

    /// Another account than `who` wanted to sign in; `logout` is the command that signs `who` out.
    public static func alreadySignedIn(_ who: String, at backend: String, logout: String) -> Problem {
        Problem(
            .alreadySignedIn, status: 409, title: "Already signed in",
            detail: "Nothing was changed: \(who) is signed in at \(backend) already.",
            next: "Entries of \(who) are never sent under another account. To sign \(who) out first, run: \(logout)")
    }

    /// - Parameter limit: bytes.
    package static func tooLarge(_ limit: Int) -> Problem {
        let words = limit >> 20 > 0 ? "\(limit >> 20) MiB" : "\(limit >> 10) KiB"
        return Problem(
            .tooLarge, status: 413, title: "Too large", detail: "The body is larger than \(words), the limit for this call.",
            next: "A payload may have up to 32 MiB. A larger one can never be sent as it is: tell the people who produced it.")
    }

    public static func notFound(_ detail: String, next: String? = nil) -> Problem {
        Problem(.notFound, status: 404, title: "Not found", detail: detail, next: next)
    }
}
