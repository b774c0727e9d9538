/// One scripted failure: what happens, and to which requests.
package struct Fault: Sendable, Equatable {
    /// The form of a Retry-After header.
    package enum RetryAfterForm: String, Sendable, CaseIterable { case seconds, date }

    /// What goes wrong.
    package let name: FaultName
    /// Text that the path of a request must contain.
    package var path: String?
    /// The method that a request must have, in capitals.
    package var method: String?
    /// The signed-in user whose requests are meant.
    package var user: Int?
    /// For how many matching requests (connections for `refuse`) the fault holds; nil until it is cleared.
    package var count: Int?
    /// Seconds until a client may ask again.
    package var retryAfter: Int?
    /// How Retry-After tells them.
    package var retryAfterForm = RetryAfterForm.seconds
    /// The status of `error`.
    package var status = 400
    /// The code of `error`, where the backend's errors have one.
    package var code: String?
    /// Where `redirect` points to.
    package var location = "https://login.example.org/sso"
    /// The pause of `slow` before the answer, of `slow-commit` before the effect, of `dribble` before each byte. The first two end early when
    /// the faults are cleared.
    package var milliseconds = 1_000
    /// Seconds until the sessions end.
    package var after = 0
    /// Whether `expire-sessions` ends remember tokens too.
    package var rememberTokens = false

    /// A fault with the usual settings of its kind.
    package init(_ name: FaultName, path: String? = nil, method: String? = nil, user: Int? = nil, count: Int? = nil) {
        self.name = name
        self.path = path
        self.method = method
        self.user = user
        self.count = count
    }

    /// An error in the backend's own form.
    package static func error(_ status: Int, code: String? = nil, path: String? = nil, count: Int? = nil) -> Fault {
        var fault = Fault(.error, path: path, count: count)
        fault.status = status
        fault.code = code
        return fault
    }

    /// 503, optionally with Retry-After in seconds or as a date.
    package static func unavailable(retryAfter: Int?, as form: RetryAfterForm = .seconds, path: String? = nil, count: Int? = nil) -> Fault {
        var fault = Fault(.unavailable, path: path, count: count)
        fault.retryAfter = retryAfter
        fault.retryAfterForm = form
        return fault
    }

    /// 429 with Retry-After in seconds or as a date.
    package static func tooManyRequests(
        retryAfter: Int?, as form: RetryAfterForm = .seconds, path: String? = nil, count: Int? = nil
    ) -> Fault {
        var fault = Fault(.tooManyRequests, path: path, count: count)
        fault.retryAfter = retryAfter
        fault.retryAfterForm = form
        return fault
    }

    /// An answer that comes late, or a byte at a time.
    package static func slow(milliseconds: Int, path: String? = nil, count: Int? = nil) -> Fault {
        var fault = Fault(.slow, path: path, count: count)
        fault.milliseconds = milliseconds
        return fault
    }

    /// A server that is at work for a while before anything takes effect, whether or not the client waits for it.
    package static func slowCommit(milliseconds: Int, path: String? = nil, count: Int? = nil) -> Fault {
        var fault = Fault(.slowCommit, path: path, count: count)
        fault.milliseconds = milliseconds
        return fault
    }

    /// An answer whose bytes come one by one.
    package static func dribble(millisecondsPerByte: Int, path: String? = nil, count: Int? = nil) -> Fault {
        var fault = Fault(.dribble, path: path, count: count)
        fault.milliseconds = millisecondsPerByte
        return fault
    }

    /// Whether a request, or the user in whose name it comes, is meant.
    func matches(_ request: SandboxRequest, account: Int?) -> Bool {
        name.meetsRequests && (path.map(request.path.contains) ?? true) && (method.map { $0 == request.method } ?? true)
            && (user.map { $0 == account } ?? true)
    }
}
