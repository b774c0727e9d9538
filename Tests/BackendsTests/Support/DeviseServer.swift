import Backends
import Foundation
import JSON
import Outbox
import Sessions
import SyncModel
import Synchronization

/// A cookie-session server as a transport, with faults.
final class DeviseServer: Transport {
    struct State {
        var passwords = ["ann@lab.test": "right", "bob@lab.test": "right"]
        /// Email by session cookie.
        var sessions: [String: String] = [:]
        var csrfTokens: Set<String> = []
        var minted = 0
        var log: [String] = []
        var cookies: [String] = []
        /// Faults by request line.
        var faults: [String: @Sendable () throws(TransportError) -> InboundResponse] = [:]
        /// A request line that waits until `open()`.
        var held: String?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen = true
    }

    let state = Mutex(State())
    private let arrivals = Signal()
    static let ids = ["ann@lab.test": 1, "bob@lab.test": 2]

    var log: [String] { state.withLock { $0.log } }
    func count(_ line: String) -> Int { log.count { $0 == line } }
    func endSessions() { state.withLock { $0.sessions = [:] } }
    func fault(_ line: String, _ response: (@Sendable () throws(TransportError) -> InboundResponse)?) {
        state.withLock { $0.faults[line] = response }
    }
    func forgetTokens() { state.withLock { $0.csrfTokens = [] } }

    func hold(_ line: String) { state.withLock { ($0.held, $0.isOpen) = (line, false) } }
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
    func seen(_ line: String, times: Int = 1) async { await arrivals.until { count(line) >= times } }

    func connect(to url: String) async throws(TransportError) {}

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        let path = URLComponents(string: request.url)?.path ?? ""
        let line = "\(request.method) \(path)"
        state.withLock {
            $0.log.append(line)
            $0.cookies.append(Self.header("Cookie", request) ?? "")
        }
        arrivals.send()
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.held == line, !state.isOpen {
                    state.waiting.append(continuation)
                    return false
                }
                return true
            }
            if goesOn { continuation.resume() }
        }
        if let fault = state.withLock({ $0.faults[line] }) { return try fault() }
        return state.withLock { Self.answer(line, request, &$0) }
    }

    private static func answer(_ line: String, _ request: OutboundRequest, _ state: inout State) -> InboundResponse {
        let cookie = header("Cookie", request)?.split(separator: "; ").first { $0.hasPrefix("_s=") }.map { String($0.dropFirst(3)) }
        let email = cookie.flatMap { state.sessions[$0] }
        state.minted += 1
        let fresh = "cookie-\(state.minted)"
        func signedIn(_ status: Int, _ body: String) -> InboundResponse {
            if let email { state.sessions[fresh] = email }
            return reply(status, body, email == nil ? nil : fresh)
        }
        switch line {
        case "POST /users/log_in":
            let user = request.body.flatMap { JSONValue(parsing: $0) }?["user"]
            let typed = user?["email"]?.string?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
            // A live session answers with its own account and ignores the credentials.
            let who = email ?? (state.passwords[typed] == user?["password"]?.string ? typed : nil)
            guard let who, let id = ids[who] else { return reply(401, #"{"error":"Invalid Email or password."}"#, nil) }
            state.sessions[fresh] = who
            state.csrfTokens = []
            return reply(201, #"{"id":\#(id),"email":"\#(who)"}"#, fresh)
        case "GET /users/get_current_user":
            return signedIn(200, email.flatMap { ids[$0] }.map { #"{"currentUser":{"id":\#($0)}}"# } ?? #"{"currentUser":null}"#)
        case "DELETE /users/log_out":
            state.sessions = state.sessions.filter { $0.value != email }
            return reply(200, #"{"updateSignedIn":\#(email != nil)}"#, nil)
        case "GET /csrf_token":
            state.csrfTokens.insert("token-\(state.minted)")
            return signedIn(200, #"{"csrf_token":"token-\#(state.minted)"}"#)
        case "POST /managed_users":
            guard header("X-CSRF-Token", request).map(state.csrfTokens.contains) == true else {
                return reply(422, #"{"status":422,"error":"x"}"#, nil)
            }
            return email == nil
                ? reply(422, #"{"messages":["Please log in."]}"#, nil) : signedIn(201, #"{"managed_user":{"managed_id":5}}"#)
        default: return email == nil ? reply(401, #"{"messages":["Unauthorized."]}"#, nil) : signedIn(200, "{}")
        }
    }

    private static func reply(_ status: Int, _ body: String, _ cookie: String?) -> InboundResponse {
        let headers =
            [HeaderField("Content-Type", "application/json")]
            + (cookie.map { [HeaderField("Set-Cookie", "_s=\($0); path=/; HttpOnly")] } ?? [])
        return InboundResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    private static func header(_ name: String, _ request: OutboundRequest) -> String? { request.headers.first { $0.name == name }?.value }
}
