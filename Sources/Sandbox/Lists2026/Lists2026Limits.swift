import Foundation

/// The rate limits of Lists in 2026; they apply before everything else.
struct Lists2026Limits: Sendable {
    private static let period = 60
    private var logIns, refreshes, requests, requestsOfAnAccount, writesOfAnAccount: RateLimit

    init(_ limits: Lists2026Configuration.Limits) {
        func limit(_ most: Int?) -> RateLimit { RateLimit(most, per: TimeInterval(Self.period)) }
        logIns = limit(limits.logIns)
        refreshes = limit(limits.refreshes)
        requests = limit(limits.requests)
        requestsOfAnAccount = limit(limits.requestsOfAnAccount)
        writesOfAnAccount = limit(limits.writesOfAnAccount)
    }

    mutating func admit(_ request: SandboxRequest, route: Lists2026Route?, account: String?, at now: Date) throws(Refusal) {
        // Real limits count by address; here all clients share one.
        var isAdmitted = requests.admits("", at: now)
        if route == .signIn { isAdmitted = logIns.admits("", at: now) && isAdmitted }
        if route == .refresh { isAdmitted = refreshes.admits("", at: now) && isAdmitted }
        if let account {
            isAdmitted = requestsOfAnAccount.admits(account, at: now) && isAdmitted
            if request.method != "GET" { isAdmitted = writesOfAnAccount.admits(account, at: now) && isAdmitted }
        }
        if !isAdmitted { throw .tooManyRequests(Self.period) }
    }
}

enum Lists2026Route: Equatable {
    case signIn, refresh, signOut, lists, addList

    init?(_ request: SandboxRequest) {
        switch "\(request.method) \(request.path)" {
        case "POST /api/v1/auth/sign_in": self = .signIn
        case "POST /api/v1/auth/refresh": self = .refresh
        case "DELETE /api/v1/auth/sign_out": self = .signOut
        case "GET /api/v1/lists": self = .lists
        case "POST /api/v1/lists": self = .addList
        default: return nil
        }
    }
}
