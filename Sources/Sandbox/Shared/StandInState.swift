import Foundation
import Synchronization

/// What one imitated backend knows, and its answer to a request as a function of that.
protocol StandInState: Sendable {
    /// Whose credentials a request carries, without any effect on them.
    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts

    /// Answers one request; throws what ends in an error.
    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply

    /// An error in the form of this backend.
    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse

    /// An error of this status as this backend says it when nothing more is known.
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal

    /// Ends every session that exists now; with `rememberTokens` also what would open a new one without a password.
    mutating func expireSessions(rememberTokens: Bool)

    /// What can be changed while it runs, with its present values.
    var settings: JSONObject { get }

    /// Changes one setting.
    mutating func change(_ name: String, to value: JSON) throws(FaultProblem)
}

extension StandInState {
    var settings: JSONObject { [:] }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) { throw noSetting(name) }

    /// Why a setting that does not exist cannot be changed.
    func noSetting(_ name: String) -> FaultProblem {
        let expected = settings.isEmpty ? "it has none" : "expected one of \(settings.keys.sorted().joined(separator: ", "))"
        return FaultProblem(description: "this backend has no setting '\(name)': \(expected)")
    }
}

/// What a request gets, and what it changed.
struct StandInReply {
    var response: SandboxResponse
    var commit: Commit?

    static func json(_ status: Int, _ body: JSON, commit: Commit? = nil) -> StandInReply {
        StandInReply(response: .json(status, body), commit: commit)
    }
}

/// Stands in for a backend with a state that answers one request after the other.
final class StatefulStandIn<State: StandInState>: StandIn {
    private let state: Mutex<State>
    private let clock: SandboxClock

    /// - Parameter clock: for the times in errors that no request asked for.
    init(_ state: State, clock: SandboxClock) {
        self.state = Mutex(state)
        self.clock = clock
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        state.withLock { $0.carriedAccounts(in: request, at: now) }
    }

    func answer(_ request: SandboxRequest, at now: Date, committed: (Commit) -> Void) -> SandboxResponse {
        state.withLock { state in
            do throws(Refusal) {
                let reply = try state.answer(request, at: now)
                if let commit = reply.commit { committed(commit) }
                return reply.response
            } catch {
                return state.response(to: error, for: request, at: now)
            }
        }
    }

    func expireSessions(rememberTokens: Bool) {
        state.withLock { $0.expireSessions(rememberTokens: rememberTokens) }
    }

    func errorPage(_ status: Int, code: String?, for request: SandboxRequest) -> SandboxResponse {
        state.withLock { state in
            let refusal = code.map { Refusal(status, $0, $0) } ?? state.refusal(status, for: request)
            return state.response(to: refusal, for: request, at: clock.now)
        }
    }

    var settings: JSONObject { state.withLock { $0.settings } }

    func change(_ settings: JSONObject) throws(FaultProblem) {
        let problem: FaultProblem? = state.withLock { state in
            var changed = state
            do throws(FaultProblem) {
                for (name, value) in settings.sorted(by: { $0.key < $1.key }) { try changed.change(name, to: value) }
                state = changed
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw problem }
    }
}
