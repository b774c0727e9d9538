/// One scripted failure: what happens, and to which requests.
package struct Fault: Sendable, Equatable {
    /// The form of a Retry-After header.
    package enum RetryAfterForm: String, Sendable, CaseIterable { case seconds, date }

    package let name: FaultName
    /// Text that the path of a request must contain.
    package var path: String?
    package var method: String?
    /// The signed-in user whose requests are meant.
    package var user: Int?
    /// For how many matching requests (connections for `refuse`) the fault holds; nil until it is cleared.
    package var count: Int?
    /// Seconds.
    package var retryAfter: Int?
    package var retryAfterForm = RetryAfterForm.seconds
    package var location = "https://login.example.org/sso"
    /// Of `slow` before the answer, of `dribble` before each byte.
    package var milliseconds = 1_000
    /// Seconds until the sessions end.
    package var after = 0
    package var rememberTokens = false

    package init(_ name: FaultName, path: String? = nil, method: String? = nil, user: Int? = nil, count: Int? = nil) {
        self.name = name
        self.path = path
        self.method = method
        self.user = user
        self.count = count
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
