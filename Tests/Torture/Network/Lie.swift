/// A fault on one connection through a LyingProxy.
enum Lie: String, CaseIterable, Sendable {
    /// Forwarded unchanged.
    case none
    /// Accepted, then silent.
    case silent
    /// Accepted, and reset before anything is read.
    case resetAtOnce
    /// Reset after a number of bytes of the request or of the response.
    case resetRequest, resetAnswer
    /// Forwarded. A while after an answer, the connection is closed, or closed for the client's reading only.
    case idleClosed, idleHalfClosed
    /// Forwarded, and reset when the client speaks again after an answer.
    case resetOnReuse
    /// The request is forwarded; the response arrives byte by byte.
    case slowAnswer
    /// The request is forwarded; the head of the response arrives at once and the body too slowly for the daemon's timeout.
    case endlessAnswer
    /// The request is forwarded and its response replaced.
    case answerReplaced
    /// The request is forwarded; an extra response follows each response.
    case answerAppended
    /// The proxy responds with this itself and forwards nothing.
    case loginPage, redirect, portal, unavailable, retryAfterSeconds, retryAfterDate, absurdRetryAfter, tooMany, notHTTP, wrongLength
    case truncatedGzip

    /// Faults that do not depend on the bytes, so they work on TLS too.
    static let cuts: [Lie] = [
        .silent, .resetAtOnce, .resetRequest, .resetAnswer, .idleClosed, .idleHalfClosed, .resetOnReuse, .slowAnswer,
    ]

    /// Network faults and throttling that never count as an attempt at any backend. With TLS they include failures before the request can be sent.
    static func weather(overTLS: Bool) -> [Lie] {
        [.loginPage, .redirect, .portal, .retryAfterSeconds, .retryAfterDate, .absurdRetryAfter, .tooMany]
            + (overTLS ? [.silent, .resetAtOnce] : [])
    }
}
