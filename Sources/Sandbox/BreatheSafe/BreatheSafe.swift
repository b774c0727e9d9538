import Foundation
import HTTPTypes
import Synchronization

/// Simulates BreatheSafe, a Rails application with a cookie session; answers requests one at a time.
final class BreatheSafe: StandIn {
    private let state: Mutex<BreatheSafeState>

    init(_ configuration: BreatheSafeConfiguration, startingAt now: Date) {
        state = Mutex(BreatheSafeState(configuration, startingAt: now))
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        state.withLock { $0.carriedAccounts(in: request, at: now) }
    }

    func answer(_ request: SandboxRequest, at now: Date, committed: (Commit) -> Void) -> SandboxResponse {
        state.withLock { state in
            let (response, commit) = state.answer(request, at: now)
            if let commit { committed(commit) }
            return response
        }
    }

    func expireSessions(rememberTokens: Bool) {
        state.withLock { $0.expireSessions(rememberTokens: rememberTokens) }
    }

    var settings: JSONObject { state.withLock { ["list-lag": .milliseconds($0.listLag)] } }

    func change(_ settings: JSONObject) throws(FaultProblem) {
        if let name = settings.keys.first(where: { $0 != "list-lag" }) {
            throw FaultProblem(description: "this backend has no setting '\(name)': expected list-lag")
        }
        guard let value = settings["list-lag"] else { return }
        let lag = try value.milliseconds(of: "list-lag")
        state.withLock { $0.listLag = lag }
    }

    func errorPage(_ status: Int, code: String?, for request: SandboxRequest) -> SandboxResponse {
        if let code { .json(status, ["messages": [.string(code)]]) } else { ExceptionsPage.response(status, as: AnswerFormat(request)) }
    }

    /// The response to the same request without credentials.
    func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse {
        var headers = request.headers
        headers[.cookie] = nil
        headers[.authorization] = nil
        // Without a body the request cannot sign in, so it has no effect.
        let anonymous = SandboxRequest(
            method: request.method, path: request.path, query: request.query, headers: headers, host: request.host, body: [])
        var response = answer(anonymous, at: now) { _ in }
        response.headers[.setCookie] = nil
        // Some routes use another status or need no sign-in.
        return response.status == 401 ? response : errorPage(401, code: nil, for: request)
    }
}
