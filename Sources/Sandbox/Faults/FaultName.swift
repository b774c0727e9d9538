/// The faults of a sandbox; `summary` describes each.
package enum FaultName: String, Sendable, CaseIterable, Codable {
    case down
    case refuse
    case neverAnswer = "never-answer"
    case neverAnswerAfterCommit = "never-answer-after-commit"
    case cut
    case commitThenCut = "commit-then-cut"
    case internalError = "500"
    case internalErrorAfterCommit = "500-after-commit"
    /// The session stays valid.
    case unauthorized = "401"
    case error
    case unavailable = "503"
    case tooManyRequests = "429"
    case loginPage = "login-page"
    case loginPageAfterCommit = "login-page-after-commit"
    case redirect
    case expireSessions = "expire-sessions"
    case slow
    /// Unlike `slow`, delays the effect too.
    case slowCommit = "slow-commit"
    case dribble
    case truncated

    /// A one-line description for `--help` and error messages.
    package var summary: String {
        switch self {
        case .down: "refuse connections, as if no server were running"
        case .refuse: "accept the connection and reset it at once"
        case .neverAnswer: "never answer; no effect"
        case .neverAnswerAfterCommit: "take effect, never answer"
        case .cut: "cut the connection; no effect"
        case .commitThenCut: "take effect, then cut the connection without an answer"
        case .internalError: "500; no effect"
        case .internalErrorAfterCommit: "take effect, answer 500"
        case .unauthorized: "401 as if signed out; no effect, and the session stays valid"
        case .error: "an error in the backend's own format; no effect [status=n] [code=text]"
        case .unavailable: "503; no effect [retry-after=seconds] [retry-after-form=seconds|date]"
        case .tooManyRequests: "429; no effect [retry-after=seconds] [retry-after-form=seconds|date]"
        case .loginPage: "200 with a sign-in page; no effect"
        case .loginPageAfterCommit: "take effect, answer 200 with a sign-in page"
        case .redirect: "302 to another origin; no effect [location=url]"
        case .expireSessions: "end all sessions [after=seconds] [remember-tokens=true|false]"
        case .slow: "take effect, answer late or when the faults are cleared [milliseconds=n]"
        case .slowCommit: "take effect late or when the faults are cleared, even if the client disconnected, then answer [milliseconds=n]"
        case .dribble: "send the body byte by byte [milliseconds=n, for each byte]"
        case .truncated: "take effect, announce more bytes than are sent, then close"
        }
    }

    /// The settings of this fault, besides those common to all request faults.
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

    /// True if the fault applies to requests and can be limited to some of them.
    var meetsRequests: Bool { self != .down && self != .refuse && self != .expireSessions }
}
