/// What becomes of one connection through a LyingProxy.
enum Lie: String, CaseIterable, Sendable {
    /// Passed on as it is.
    case none
    /// Accepted, and silent from then on.
    case silent
    /// Reset after so many bytes of what the daemon sends, or of what the backend answers.
    case resetRequest, resetAnswer
    /// The backend hears everything; its answers come byte by byte, so slowly in the second case that the daemon has to give up.
    case slowAnswer, endlessAnswer
    /// The backend hears everything, and something else comes in its answer's place.
    case answerReplaced
    /// Every answer is this one, and the backend hears nothing.
    case loginPage, redirect, portal, unavailable, retryAfterSeconds, retryAfterDate, absurdRetryAfter, notHTTP, wrongLength, truncatedGzip

    /// Those that need not understand what passes, so that they can be told of what is encrypted too.
    static let cuts: [Lie] = [.silent, .resetRequest, .resetAnswer, .slowAnswer, .endlessAnswer]
    /// Those that put words into the backend's mouth.
    static let answers = allCases.filter { $0 != .none && !cuts.contains($0) }
}
