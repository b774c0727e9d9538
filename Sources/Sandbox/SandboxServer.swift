import Foundation
import HTTPTypes
import Synchronization

/// A simulated backend: a function of its state, the request and the time. It knows no faults, ledger or network.
protocol SandboxState: Sendable {
    /// The accounts of a request's credentials.
    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts

    /// The account of a valid token; nil if the request has none.
    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount?

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse

    /// This backend's default error with this status.
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal

    /// The default errors; one with another status has `otherCode` and the reason phrase.
    static var errors: [Refusal] { get }

    static var otherCode: String { get }

    /// The code goes in the field that clients of this backend read.
    func errorPage(_ status: Int, code: String?, for request: SandboxRequest, at now: Date) -> SandboxResponse

    /// The 401 to the same request without credentials. Changes nothing.
    mutating func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse

    /// Expires every session; `rememberTokens` also expires remember and refresh tokens.
    mutating func expireSessions(rememberTokens: Bool)

    static var settings: [Setting<Self>] { get }

    /// Adds a person and returns the new ids; throws if the backend has no people.
    mutating func addPerson(_ profile: JSONObject, manager: Int, at now: Date) throws(FaultProblem) -> JSON

    /// Removes a person with all data.
    mutating func removePerson(_ user: Int) throws(FaultProblem)
}

extension SandboxState {
    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? { nil }

    /// The account of a request; throws the same 401 for a missing, an invalid and an expired token.
    func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard let account = account(of: request, at: now) else { throw refusal(401, for: request) }
        return account
    }

    static var errors: [Refusal] { [] }

    static var otherCode: String { "" }

    func refusal(_ status: Int) -> Refusal {
        Self.errors.first { $0.status == status } ?? Refusal(status, Self.otherCode, SandboxResponse.reason(status))
    }

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal { refusal(status) }

    func errorPage(_ status: Int, code: String?, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        response(to: code.map { Refusal(status, $0, $0) } ?? refusal(status, for: request), for: request, at: now)
    }

    mutating func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse {
        errorPage(401, code: nil, for: request, at: now)
    }

    static var settings: [Setting<Self>] { [] }

    mutating func addPerson(_ profile: JSONObject, manager: Int, at now: Date) throws(FaultProblem) -> JSON { throw .noPeople }

    mutating func removePerson(_ user: Int) throws(FaultProblem) { throw .noPeople }

    var settings: JSONObject { JSONObject(uniqueKeysWithValues: Self.settings.map { ($0.name, $0.value(self)) }) }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        guard let setting = Self.settings.first(where: { $0.name == name }) else {
            let names = Self.settings.map(\.name).sorted()
            let expected = (names.count == 1 ? "expected " : "expected one of ") + names.joined(separator: ", ")
            throw FaultProblem(description: "this backend has no setting '\(name)': \(names.isEmpty ? "it has no settings" : expected)")
        }
        try setting.change(&self, value)
    }
}

struct SandboxReply {
    var response: SandboxResponse
    var commit: Commit?

    static func json(_ status: Int, _ body: JSON, commit: Commit? = nil) -> SandboxReply {
        SandboxReply(response: .json(status, body), commit: commit)
    }
}

/// The accounts of the credentials in one request.
struct CarriedAccounts: Sendable, Equatable {
    /// The user of a cookie or token, even of an expired one.
    var session: Int?
    /// The user of the remember token or refresh token.
    var remembered: Int?
    /// The email address of a sign-in request.
    var signingIn: String?

    /// The user to whom the request is attributed.
    var account: Int? { session ?? remembered }
}

/// One simulated backend; answers requests one at a time.
final class SandboxServer: Sendable {
    private let state: Mutex<any SandboxState>
    private let clock: SandboxClock

    /// - Parameter clock: for the timestamps of `errorPage`.
    init(_ state: any SandboxState, clock: SandboxClock) {
        self.state = Mutex(state)
        self.clock = clock
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        state.withLock { $0.carriedAccounts(in: request, at: now) }
    }

    /// Calls `committed` for an effect, before the next request is handled.
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

    func expireSessions(rememberTokens: Bool) { state.withLock { $0.expireSessions(rememberTokens: rememberTokens) } }

    func errorPage(_ status: Int, code: String?, for request: SandboxRequest) -> SandboxResponse {
        state.withLock { $0.errorPage(status, code: code, for: request, at: clock.now) }
    }

    func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse { state.withLock { $0.denial(of: request, at: now) } }

    var settings: JSONObject { state.withLock { $0.settings } }

    /// Changes settings; if any is invalid, changes none.
    func change(_ settings: JSONObject) throws(FaultProblem) {
        try changing { state throws(FaultProblem) in
            for (name, value) in settings.sorted(by: { $0.key < $1.key }) { try state.change(name, to: value) }
        }
    }

    @discardableResult
    func addPerson(_ profile: JSONObject, manager: Int) throws(FaultProblem) -> JSON {
        try changing { state throws(FaultProblem) in try state.addPerson(profile, manager: manager, at: clock.now) }
    }

    func removePerson(_ user: Int) throws(FaultProblem) {
        try changing { state throws(FaultProblem) in try state.removePerson(user) }
    }

    /// Changes the state; if `body` throws, changes nothing.
    private func changing<Value: Sendable>(
        _ body: (inout any SandboxState) throws(FaultProblem) -> Value
    ) throws(FaultProblem) -> Value {
        let result: Result<Value, FaultProblem> = state.withLock { state in
            var changed = state
            do throws(FaultProblem) {
                let value = try body(&changed)
                state = changed
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// An error response; each backend writes it in its own format.
struct Refusal: Error, Equatable {
    let status: Int
    let code: String
    var message: String
    var details: JSON = .null
    var headers: HTTPFields = [:]

    init(_ status: Int, _ code: String, _ message: String, details: JSON = .null, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers
    }
}
