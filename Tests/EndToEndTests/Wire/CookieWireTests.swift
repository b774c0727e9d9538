import ControlAPI
import Foundation
import StationSupport
import Synchronization
import TestSupport
import Testing

@Suite struct CookieWireTests {
    /// - Parameter cookies: the cookies that the response with this number sets.
    private static func server(
        login: [String] = ["s=1; path=/"], _ cookies: @escaping @Sendable (Int) -> [String] = { _ in [] }
    ) async throws -> ScriptedServer {
        let answers = Mutex(0)
        return try await ScriptedServer { request in
            let number = answers.withLock { answers in
                answers += 1
                return answers
            }
            // Servers refuse a header of more than 8 KiB.
            if request.header("Cookie").utf8.count > 8 << 10 { return .init(400, #"{"error":"Request Header Too Large"}"#) }
            let isSignedIn = request.cookie("s") != nil
            switch request.line {
            case "POST /login": return .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: login)
            case "GET /me": return .init(200, isSignedIn ? #"{"id":1}"# : #"{"id":null}"#, cookies: cookies(number))
            case "POST /notes" where isSignedIn: return .init(201, #"{"id":7}"#, cookies: cookies(number))
            default: return .init(401, #"{"error":"signed out"}"#)
            }
        }
    }

    private func notes(_ server: ScriptedServer) -> [ScriptedServer.Request] { server.requests.filter { $0.line == "POST /notes" } }

    @Test func cookieHeaderStaysBelowServerLimit() async throws {
        let value = String(repeating: "x", count: 400)
        let server = try await Self.server { ["c\($0)=\(value); path=/"] }
        let station = try WireStation(server)
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            for id in 1...80 { try await station.submit(id) }
            try await station.client.event("delivered", count: 80)
            #expect(try await station.session.state == "signedIn")
        }
        let longest = notes(server).map { $0.header("Cookie").utf8.count }.max() ?? 0
        #expect((5000...6 << 10).contains(longest))
        await server.stop()
    }

    @Test(arguments: ["Max-Age=60", "Expires=Sun, 06 Nov 1994 08:50:37 GMT"])
    func expiredCookieIsNotSent(attribute: String) async throws {
        let server = try await Self.server(login: ["s=1; path=/", "short=1; path=/; \(attribute)", "long=1; path=/; Max-Age=600"])
        let station = try WireStation(server)
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            try await station.submit(1)
            try await station.client.event("delivered")
            station.clock.advance(by: 61)
            try await station.submit(2)
            try await station.client.event("delivered", count: 2)
        }
        #expect(notes(server).map { $0.cookie("long") } == ["1", "1"])
        #expect(notes(server).map { $0.cookie("short") } == (attribute.hasPrefix("Max") ? ["1", nil] : [nil, nil]))
        await server.stop()
    }

    @Test func sendsCookiesOnlyToTheirPathAndDomain() async throws {
        let server = try await Self.server(login: [
            "s=1; path=/", "notes=1; path=/notes", "admin=1; path=/admin", "other=1; path=/; domain=evil.example",
            "here=1; path=/; domain=127.0.0.1",
        ])
        let station = try WireStation(server)
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            try await station.submit(1)
            try await station.client.event("delivered")
        }
        let names = notes(server).first?.header("Cookie").components(separatedBy: "; ").map { $0.prefix { $0 != "=" } }
        #expect(names == ["notes", "s", "here"])
        await server.stop()
    }
}
