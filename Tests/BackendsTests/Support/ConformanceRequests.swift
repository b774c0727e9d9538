import Foundation
import SyncModel
import TestSupport

@testable import Backends
@testable import Sessions

struct ConformanceRequests {
    let backend: Backend
    private(set) var all: [(name: String, request: OutboundRequest)] = []
    /// The sign-in error from a server that refuses everyone.
    private(set) var refusal: SignInError?

    static let secrets = ["the-password", "the-access-token", "the-refresh-token", "the-session-cookie"]
    static let payload = Data(#"{"average_measurements":{"14-818":{"value":17.25}}}"#.utf8)
    static let refused = InboundResponse(
        status: 401,
        headers: [
            HeaderField("Content-Type", "application/json"), HeaderField("Set-Cookie", "session=the-session-cookie; path=/; HttpOnly"),
        ], body: Data(#"{"token":"the-access-token"}"#.utf8))

    static let credentials: Credentials = {
        var credentials = Credentials()
        _ = credentials.cookies.absorb(
            refused, to: OutboundRequest(method: "POST", url: "https://www.breathesafe.xyz/users/log_in"), at: noon)
        credentials.tokens = Tokens(access: Secret("the-access-token"), refresh: Secret("the-refresh-token"), receivedAt: noon)
        credentials.kept = Credentials.KeptLogin(email: "ann@lab.test", password: Secret("the-password"))
        return credentials
    }()

    init(_ backend: Backend) async throws {
        self.backend = backend
        try await addSessions()
        for route in backend.routes { try add(route: route) }
        for resource in backend.resources {
            let page = resource.pages == nil ? "" : ", page 2"
            let parent: RosterID? = resource.parent == nil ? nil : "5"
            add("resource \(resource.name)\(page)", try backend.read(resource, of: parent, page: 2, unless: "W/\"an-etag\""))
        }
    }

    private var scheme: any Scheme {
        backend.profile.auth.scheme == .bearer
            ? BearerScheme(backend: backend, clock: TestClock(noon)) : CookieScheme(backend: backend, clock: TestClock(noon))
    }

    private mutating func addSessions() async throws {
        let auth = backend.profile.auth
        let scheme = scheme
        let recorder = RequestRecorder(Self.refused)
        var names: [String] = []
        if auth.login != nil {
            names.append("login")
            do throws(SignInError) {
                _ = try await scheme.signIn(.password(email: "ann@lab.test", Secret("the-password")), over: recorder) { _ in }
            } catch { refusal = error }
        }
        if auth.refresh != nil {
            names.append("refresh")
            _ = await scheme.refresh(Self.credentials, of: nil, over: recorder) { false }
        }
        if auth.logout.request != nil {
            names.append("logout")
            _ = await scheme.signOut(Self.credentials, allDevices: false, over: recorder)
        }
        if auth.logout.requestForAll != nil {
            names.append("logout of all devices")
            _ = await scheme.signOut(Self.credentials, allDevices: true, over: recorder)
        }
        all += zip(names, recorder.requests).map { (name: $0, request: $1) }
        if names.count != recorder.requests.count { throw Failure(.profile, "\(names) made \(recorder.requests)") }
        if let csrf = try auth.csrf?.request.render(TemplateValues(subject: "A test")) { add("csrf", csrf) }
        if let health = backend.health { add("health", health) }
    }

    private mutating func add(route: String) throws {
        let rules = try backend.route(route)
        let placeholders = rules.request.placeholders + (rules.find?.request.placeholders ?? []) + (rules.lane?.placeholders ?? [])
        let optional = Set(placeholders.filter(\.isOptional).compactMap(\.field))
        let payload = rules.request.json?.takesPayload == true ? Self.payload : nil
        func sample(_ names: Set<String>) -> [String: JSONValue] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, rules.fields[$0] == .integer ? 5 : .string("a \($0)")) })
        }
        let least = mutation(route, fields: sample(rules.usedFields.subtracting(optional)), payload: payload)
        if rules.deletion.row == nil {
            add("route \(route)", try backend.request(for: least))
        } else {
            add("route \(route), row 1", try backend.trialRequest(for: least))
        }
        if !optional.isEmpty {
            let most = mutation(route, fields: sample(rules.usedFields), payload: payload)
            add("route \(route) with \(optional.sorted().joined(separator: ", "))", try backend.request(for: most))
        }
        if let lookup = try backend.lookup(for: least) { add("look-up \(route)", lookup) }
    }

    private mutating func add(_ name: String, _ request: OutboundRequest) {
        var request = request
        scheme.authorize(&request, with: Self.credentials)
        all.append((name, request))
    }
}
