import Backends
import Foundation
import JSON
import Outbox
import Sessions
import SyncModel
import Synchronization
import TestSupport

/// A token server as a transport, with rotating tokens and faults.
final class TokenServer: Transport {
    struct State {
        var minted = 0
        var access: String?
        var refresh: String?
        /// True if only the newest refresh token is valid.
        var rotates = true
        var log: [String] = []
        var requests: [OutboundRequest] = []
        /// Faults by request line. Each is used once.
        var faults: [String: [@Sendable (inout State) throws(TransportError) -> InboundResponse]] = [:]
        var held: String?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let state = Mutex(State())
    private let arrivals = Signal()
    var log: [String] { state.withLock { $0.log } }
    var requests: [OutboundRequest] { state.withLock { $0.requests } }
    func count(_ line: String) -> Int { log.count { $0 == line } }

    func fault(_ line: String, _ response: @escaping @Sendable (inout State) throws(TransportError) -> InboundResponse) {
        state.withLock { $0.faults[line, default: []].append(response) }
    }

    /// Makes these requests wait until `open()`.
    func hold(_ line: String) { state.withLock { $0.held = line } }
    func open() {
        let waiting = state.withLock { state in
            state.held = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
    func seen(_ line: String, times: Int = 1) async { await arrivals.until { count(line) >= times } }

    func connect(to url: String) async throws(TransportError) {}

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        let line = "\(request.method) \(URLComponents(string: request.url)?.path ?? "")"
        state.withLock {
            $0.log.append(line)
            $0.requests.append(request)
        }
        arrivals.send()
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.held == line { state.waiting.append(continuation) }
                return state.held != line
            }
            if goesOn { continuation.resume() }
        }
        return try state.withLock { state throws(TransportError) in
            if let fault = state.faults[line]?.first {
                state.faults[line]?.removeFirst()
                return try fault(&state)
            }
            return Self.answer(line, request, &state)
        }
    }

    static func pair(_ state: inout State, more: String = "") -> InboundResponse {
        state.minted += 1
        (state.access, state.refresh) = ("access-\(state.minted)", "refresh-\(state.minted)")
        return BackendsTests.answer(
            200, #"{"access":"access-\#(state.minted)","refresh":"refresh-\#(state.minted)","user":{"id":"7"}\#(more)}"#)
    }

    private static func answer(_ line: String, _ request: OutboundRequest, _ state: inout State) -> InboundResponse {
        let body = request.body.flatMap { JSONValue(parsing: $0) }
        let bearer = request.headers.first { $0.name == "Authorization" }?.value
        let isKnown = state.access.map { bearer == "Bearer \($0)" } ?? false
        switch line {
        case "POST /login":
            return body?["password"] == "right" ? pair(&state) : BackendsTests.answer(401, #"{"code":"wrong","message":"Wrong password."}"#)
        case "POST /refresh":
            let given = body?["token"]?.string
            guard given == state.refresh else { return BackendsTests.answer(401, #"{"code":"gone","message":"Unknown token."}"#) }
            return pair(&state)
        case "POST /logout":
            guard isKnown else { return BackendsTests.answer(401, "{}") }
            (state.access, state.refresh) = (nil, nil)
            return BackendsTests.answer(204)
        default: return isKnown ? BackendsTests.answer(201, #"{"id":1}"#) : BackendsTests.answer(401, #"{"message":"Who are you?"}"#)
        }
    }
}

final class TokenBench: Sendable {
    let store: SessionStore
    let server = TokenServer()
    let clock = TestClock(noon)

    init() throws { store = try SessionStore() }

    /// - Parameter old, new: an edit of the profile.
    func keeper(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> SessionKeeper {
        precondition(Self.profile.contains(old))
        let profile = Self.profile.replacingCharacters(in: Self.profile.range(of: old)!, with: new)
        return try store.keeper(load(["tok.yaml": profile])[0], server, clock)
    }

    func signedIn(_ old: String = "schema: 1", _ new: String = "schema: 1", remember: Bool = false) async throws -> SessionKeeper {
        let keeper = try keeper(old, new)
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: remember)
        return keeper
    }

    func bearer(_ keeper: SessionKeeper) async throws -> String? {
        let session = try await keeper.session()
        _ = try await keeper.send(OutboundRequest(method: "POST", url: "https://api.example.org/notes"), as: session)
        return server.requests.last?.headers.first { $0.name == "Authorization" }?.value
    }

    static let login = "POST /login"
    static let refresh = "POST /refresh"
    static let logout = "POST /logout"
    static let profile = """
        schema: 1
        name: tok
        base_url: https://api.example.org
        auth:
          scheme: bearer
          on_401: [refresh]
          skew: 180
          lifetime: 900
          keepalive: 86400
          login:
            request: POST /login
            json: {email: "{email}", password: "{password}"}
            access: /access
            refresh: /refresh
            expires_in: /expires_in
            account: /user/id
          refresh:
            request: POST /refresh
            json: {token: "{refresh}"}
            access: /access
            refresh: /refresh
            expires_in: /expires_in
          logout:
            request: POST /logout
            json: {token: "{refresh}"}
            json_all: {all: true}
            on_failure: clear
        errors: {ok: /ok, code: [/code], message: [/message], relogin: [gone], retry: [slow]}
        routes: {note: {request: POST /notes, json: "{item.payload}"}}
        """
}
