import Foundation
import HTTPTypes

/// A Realtime Database of messages, with the Firebase project of its accounts.
struct Story16State: SandboxState {
    var firebase: FirebaseState
    /// By conversation and by the client's identifier.
    private var messages: [String: [String: JSON]] = [:]

    init(_ configuration: FirebaseConfiguration) { firebase = FirebaseState(configuration) }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        if let route = FirebaseRoute(request) { return firebase.carriedAccounts(route, in: request) }
        return CarriedAccounts(session: firebase.idTokens.owner(of: request.query["auth"])?.number)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        if let route = FirebaseRoute(request) { return try firebase.answer(route, request, at: now) }
        var path = request.decodedSegments
        guard path.first == "messages", (2...3).contains(path.count), let last = path.popLast(), last.hasSuffix(".json") else {
            throw Refusal(404, "", "404 Not Found")
        }
        let name = String(last.dropLast(5))
        let account = try signedIn(request, at: now)
        switch (request.method, path.count) {
        case ("PUT", 2): return try put(request, path[1], name, by: account)
        case ("GET", 2): return .json(200, messages[path[1]]?[name] ?? .null)
        case ("GET", 1): return .json(200, messages[name].map { .object($0) } ?? .null)
        default: throw Refusal(405, "", "Method Not Allowed")
        }
    }

    /// A database error is a single text; those of the token endpoints have Firebase's format.
    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        if let route = FirebaseRoute(request) { return firebase.response(to: refusal, for: route) }
        return .json(refusal.status, ["error": .string(refusal.message)])
    }

    static let errors = [Refusal(401, "", "Permission denied")]

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        FirebaseRoute(request) == nil ? refusal(status) : firebase.refusal(status)
    }

    mutating func expireSessions(rememberTokens: Bool) { firebase.endTokens(refreshTokens: rememberTokens) }

    static var settings: [Setting<Self>] { FirebaseState.settings.map { $0.within(\Self.firebase) } }

    /// Stores a message. Storing the same value again commits nothing.
    private mutating func put(
        _ request: SandboxRequest, _ conversation: String, _ id: String, by account: SandboxAccount
    ) throws(Refusal) -> SandboxReply {
        guard let value = try? JSON(bytes: request.body) else {  // `try?`: the backend has its own message
            throw Refusal(400, "", "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?")
        }
        let isNew = messages[conversation]?[id] != value
        messages[conversation, default: [:]][id] = value == .null ? nil : value
        let commit = account.commit("message", nil, id, value)
        let response = SandboxResponse(status: 200, headers: [.contentType: "application/json; charset=utf-8"], body: request.body)
        return SandboxReply(response: response, commit: isNew ? commit : nil)
    }

    private func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard let token = request.query["auth"] else { throw refusal(401, for: request) }
        guard firebase.idTokens.owner(of: token) != nil else { throw Refusal(401, "", "Could not parse auth token.") }
        guard let account = firebase.idTokens.account(of: token, at: now) else { throw Refusal(401, "", "Auth token is expired") }
        return account
    }
}
