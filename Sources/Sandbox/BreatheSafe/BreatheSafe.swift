import Foundation
import Synchronization

/// Stands in for BreatheSafe, a Rails application with a cookie session: answers one request after the other, from its own tables.
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

    func errorPage(_ status: Int, for request: SandboxRequest) -> SandboxResponse {
        ExceptionsPage.response(status, as: AnswerFormat(request))
    }

    func loginPage(for request: SandboxRequest) -> SandboxResponse { .html(200, title: "Log in") }
}
