/// What can go wrong on purpose.
package enum FaultName: String, Sendable, CaseIterable, Codable {
    /// Nobody listens: connections are refused.
    case down
    /// The connection is accepted and reset at once.
    case refuse
    /// Nothing is ever answered, and the request has no effect.
    case neverAnswer = "never-answer"
    /// The request takes effect, and nothing is ever answered.
    case neverAnswerAfterCommit = "never-answer-after-commit"
    /// The line is cut, and the request has no effect.
    case cut
    /// The request takes effect, then the line is cut.
    case commitThenCut = "commit-then-cut"
    /// 500 without effect.
    case internalError = "500"
    /// The request takes effect and is answered with 500.
    case internalErrorAfterCommit = "500-after-commit"
    /// 401 as the backend says it to nobody, without effect; the session stays well.
    case unauthorized = "401"
    /// An error in the backend's own form, with any status and code, without effect.
    case error
    /// 503, with Retry-After when `retry-after` is given.
    case unavailable = "503"
    /// 429, with Retry-After when `retry-after` is given.
    case tooManyRequests = "429"
    /// 200 with a page for signing in, without effect.
    case loginPage = "login-page"
    /// The request takes effect and is answered with 200 and a page for signing in.
    case loginPageAfterCommit = "login-page-after-commit"
    /// 302 to another origin, without effect.
    case redirect
    /// All sessions end, now or after a while.
    case expireSessions = "expire-sessions"
    /// The request takes effect and is answered late.
    case slow
    /// The request takes effect late, also when the client has gone meanwhile, and is answered then.
    case slowCommit = "slow-commit"
    /// The answer comes byte by byte.
    case dribble
    /// The request takes effect, and the answer announces more bytes than come.
    case truncated

    /// What the fault does, in one line for `--help` and for error messages.
    package var summary: String {
        switch self {
        case .down: "refuse connections, as when nothing listens"
        case .refuse: "accept the connection and reset it at once"
        case .neverAnswer: "never answer; no effect"
        case .neverAnswerAfterCommit: "take effect, never answer"
        case .cut: "cut the line; no effect"
        case .commitThenCut: "take effect, then cut the line without an answer"
        case .internalError: "500; no effect"
        case .internalErrorAfterCommit: "take effect, answer 500"
        case .unauthorized: "401 as if nobody were signed in; no effect, and the session stays"
        case .error: "an error in the backend's own form; no effect [status=n] [code=text]"
        case .unavailable: "503; no effect [retry-after=seconds] [retry-after-form=seconds|date]"
        case .tooManyRequests: "429; no effect [retry-after=seconds] [retry-after-form=seconds|date]"
        case .loginPage: "200 with a sign-in page; no effect"
        case .loginPageAfterCommit: "take effect, answer 200 with a sign-in page"
        case .redirect: "302 to another origin; no effect [location=url]"
        case .expireSessions: "end all sessions [after=seconds] [remember-tokens=true|false]"
        case .slow: "take effect, answer late, or once the faults are cleared [milliseconds=n]"
        case .slowCommit: "take effect late, or once the faults are cleared, even if the client has gone, then answer [milliseconds=n]"
        case .dribble: "send the body byte by byte [milliseconds=n, for each byte]"
        case .truncated: "take effect, announce more bytes than come, then close"
        }
    }

    /// The settings that this fault has besides those of every fault.
    var settings: Set<String> {
        switch self {
        case .unavailable, .tooManyRequests: ["retry-after", "retry-after-form"]
        case .error: ["status", "code"]
        case .redirect: ["location"]
        case .expireSessions: ["after", "remember-tokens"]
        case .slow, .slowCommit, .dribble: ["milliseconds"]
        default: []
        }
    }

    /// Whether the fault concerns single requests and can be narrowed to some of them.
    var meetsRequests: Bool { self != .down && self != .refuse && self != .expireSessions }
}
