import ControlAPI
import Foundation
import StationSupport
import Synchronization
import TestSupport
import Testing

/// Sessions and entries belong to the whole base URL, including the path. See AddressesApart.
@Suite struct BaseURLTests {
    @Test func sessionAndEntriesStayAtTheirBaseURL() async throws {
        let isDown = Mutex(true)
        let server = try await ScriptedServer { request in
            switch String(request.path.drop { $0 != "c" }.drop { $0 != "/" }) {
            case "/login": .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=\(request.path.prefix(8)); path=/"])
            case "/me": .init(200, #"{"id":1}"#)
            case "/notes" where isDown.withLock { $0 }: .init(503, "{}")
            case "/notes": .init(201, #"{"id":7}"#)
            default: .init(200, "{}")
            }
        }
        let station = try WireStation(server)
        func profile(_ path: String, _ more: String = "") -> String {
            WireProfile.cookies.replacing("base_url: BASE", with: "base_url: BASE\(path)\(more)")
        }
        try await station.running(profile("/clinicA")) {
            _ = try await station.signIn()
            for id in 1...2 { try await station.submit(id) }
        }
        isDown.withLock { $0 = false }
        let before = server.requests.count
        try await station.running(profile("/clinicB")) {
            #expect(try await station.session.state == "signInRequired")
            #expect(try await station.session.account == nil)
            #expect(try await station.backend.waitingForFormerAddress == 2)
            _ = try await station.signIn()
            try await station.submit(3)
            try await station.passTime { try await station.delivered() == 1 }
            #expect(try await station.backend.queue.pending == 2)
        }
        #expect(server.requests.dropFirst(before).allSatisfy { $0.path.hasPrefix("/clinicB/") && $0.cookie("s") != "/clinicA" })
        #expect(server.requests.filter { $0.line == "POST /clinicB/notes" }.map(\.body) == [#"{"note":3}"#])
        // This is the old address, written differently.
        try await station.running(profile("/clinicA/")) {
            _ = try await station.signIn()
            try await station.passTime { try await station.delivered() == 3 }
        }
        await server.stop()
    }

    @Test func formerlyKeyMovesEntriesToNewPath() async throws {
        let isDown = Mutex(true)
        let server = try await ScriptedServer { request in
            if request.path.hasSuffix("/login") { return .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=1; path=/"]) }
            if request.path.hasSuffix("/notes") { return isDown.withLock { $0 } ? .init(503, "{}") : .init(201, #"{"id":7}"#) }
            return .init(200, #"{"id":1}"#)
        }
        let station = try WireStation(server)
        try await station.running(WireProfile.cookies.replacing("BASE", with: "BASE/v1")) {
            _ = try await station.signIn()
            try await station.submit(1)
        }
        isDown.withLock { $0 = false }
        try await station.running(WireProfile.cookies.replacing("base_url: BASE", with: "base_url: BASE/v2\nformerly: [BASE/v1/]")) {
            #expect(try await station.session.account == "1")
            _ = try await station.signIn()
            try await station.passTime { try await station.delivered() == 1 }
        }
        #expect(server.requests.last { $0.method == "POST" }?.path == "/v2/notes")
        await server.stop()
    }

    @Test func retryAfterDoesNotApplyToNewAddress() async throws {
        let server = try await ScriptedServer { request in
            if request.path.hasSuffix("/login") { return .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=1; path=/"]) }
            guard request.path == "/v1/notes" else { return .init(request.method == "POST" ? 201 : 200, #"{"id":1}"#) }
            var answer = ScriptedServer.Answer(429, "{}")
            answer.headers.append(("Retry-After", "7200"))
            return answer
        }
        let station = try WireStation(server)
        let former = WireProfile.cookies.replacing("BASE", with: "BASE/v1")
        try await station.running(former) {
            _ = try await station.signIn()
            try await station.submit(1)
            try await station.client.event("gateChanged") { $0.detail["reason"] == "throttled" }
        }
        try await station.running(former) { try await until { try await station.backend.gateCause == "throttled" } }
        try await station.running(WireProfile.cookies.replacing("base_url: BASE", with: "base_url: BASE/v2\nformerly: [BASE/v1]")) {
            _ = try await station.signIn()
            try await station.submit(2)
            // The clock does not move.
            try await station.client.event("delivered")
        }
        #expect(server.count("POST /v1/notes") == 1)
        await server.stop()
    }
}
