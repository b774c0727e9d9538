/// What becomes of one connection through a LyingProxy.
enum Lie: String, CaseIterable, Sendable {
    /// Passed on as it is.
    case none
    /// Accepted, and silent from then on.
    case silent
    /// Accepted, and reset before anything is read.
    case resetAtOnce
    /// Reset after so many bytes of what the daemon sends, or of what the backend answers.
    case resetRequest, resetAnswer
    /// The backend hears everything; its answers come byte by byte.
    case slowAnswer
    /// The backend hears everything; the head of its answer comes at once, and the rest so slowly that the daemon has to give up.
    case endlessAnswer
    /// The backend hears everything, and something else comes in its answer's place.
    case answerReplaced
    /// The backend hears everything; behind each of its answers, and beyond its length, comes another one, to nothing that was asked.
    case answerAppended
    /// Every answer is this one, and the backend hears nothing.
    case loginPage, redirect, portal, unavailable, retryAfterSeconds, retryAfterDate, absurdRetryAfter, tooMany, notHTTP, wrongLength
    case truncatedGzip

    /// Those that need not understand what passes, so that they can be told of what is encrypted too.
    static let cuts: [Lie] = [.silent, .resetAtOnce, .resetRequest, .resetAnswer, .slowAnswer]

    /// Those that are nobody's fault but the network's, or that ask for quiet, so that no try that meets one counts, whatever backend is behind:
    /// with TLS also what happens to a connection before anything can be sent on it.
    static func weather(overTLS: Bool) -> [Lie] {
        [.loginPage, .redirect, .portal, .retryAfterSeconds, .retryAfterDate, .absurdRetryAfter, .tooMany]
            + (overTLS ? [.silent, .resetAtOnce] : [])
    }
}
