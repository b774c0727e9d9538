/// One scripted failure and the requests it applies to.
package struct Fault: Sendable, Equatable {
    package enum RetryAfterForm: String, Sendable, CaseIterable { case seconds, date }

    package let name: FaultName
    /// Text that the request's path must contain.
    package var path: String?
    /// The method that a request must have, in capitals.
    package var method: String?
    /// The signed-in user that a request must have.
    package var user: Int?
    /// Matching requests (connections for `refuse`) to apply to; nil until cleared.
    package var count: Int?
    /// The seconds in the Retry-After header; nil omits the header.
    package var retryAfter: Int?
    package var retryAfterForm = RetryAfterForm.seconds
    package var status = 400
    /// The code of `error`, if the backend's errors have codes.
    package var code: String?
    package var location = "https://login.example.org/sso"
    /// The delay of `slow` before the response, of `slow-commit` before the effect, of `dribble` before each byte. Clearing the faults ends
    /// the first two early.
    package var milliseconds = 1_000
    /// Seconds until `expire-sessions` takes effect.
    package var after = 0
    /// True if `expire-sessions` also expires remember tokens.
    package var rememberTokens = false

    package init(
        _ name: FaultName, path: String? = nil, method: String? = nil, user: Int? = nil, count: Int? = nil,
        _ adjust: (inout Fault) -> Void = { _ in }
    ) {
        self.name = name
        self.path = path
        self.method = method
        self.user = user
        self.count = count
        adjust(&self)
    }

    package static func error(_ status: Int, code: String? = nil, path: String? = nil, count: Int? = nil) -> Fault {
        Fault(.error, path: path, count: count) { ($0.status, $0.code) = (status, code) }
    }

    /// 503, optionally with Retry-After in seconds.
    package static func unavailable(retryAfter: Int?, path: String? = nil, count: Int? = nil) -> Fault {
        Fault(.unavailable, path: path, count: count) { $0.retryAfter = retryAfter }
    }

    /// 429, optionally with Retry-After in seconds.
    package static func tooManyRequests(retryAfter: Int?, path: String? = nil, count: Int? = nil) -> Fault {
        Fault(.tooManyRequests, path: path, count: count) { $0.retryAfter = retryAfter }
    }

    package static func slow(milliseconds: Int, path: String? = nil, count: Int? = nil) -> Fault {
        Fault(.slow, path: path, count: count) { $0.milliseconds = milliseconds }
    }

    package static func slowCommit(milliseconds: Int, path: String? = nil, count: Int? = nil) -> Fault {
        Fault(.slowCommit, path: path, count: count) { $0.milliseconds = milliseconds }
    }

    func matches(_ request: SandboxRequest, account: Int?) -> Bool {
        name.meetsRequests && (path.map(request.path.contains) ?? true) && (method.map { $0 == request.method } ?? true)
            && (user.map { $0 == account } ?? true)
    }
}
