import Foundation
import Synchronization

protocol StandInState: Sendable {
    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse

    /// This backend's default error with this status.
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal

    mutating func expireSessions(rememberTokens: Bool)

    var settings: JSONObject { get }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem)
}

extension StandInState {
    var settings: JSONObject { [:] }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) { throw noSetting(name) }

    func noSetting(_ name: String) -> FaultProblem {
        let expected = settings.isEmpty ? "it has no settings" : "expected one of \(settings.keys.sorted().joined(separator: ", "))"
        return FaultProblem(description: "this backend has no setting '\(name)': \(expected)")
    }
}

struct StandInReply {
    var response: SandboxResponse
    var commit: Commit?

    static func json(_ status: Int, _ body: JSON, commit: Commit? = nil) -> StandInReply {
        StandInReply(response: .json(status, body), commit: commit)
    }
}

/// Simulates a backend from a state; answers requests one at a time.
final class StatefulStandIn<State: StandInState>: StandIn {
    private let state: Mutex<State>
    private let clock: SandboxClock

    /// - Parameter clock: for the timestamps of `errorPage`.
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
