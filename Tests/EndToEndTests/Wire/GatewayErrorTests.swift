import ControlAPI
import Foundation
import Synchronization
import TestSupport
import Testing

/// Only a response that the profile declares as a refusal of credentials ends a session. See DeclaredRefusals.
@Suite struct GatewayErrorTests {
    private final class Backend: Sendable {
        struct State {
            var isSignedIn = true
            /// Replaces the server's answers to sign-ins and refreshes.
            var gateway: (status: Int, body: String)?
            /// Replaces the server's other answers.
            var others: (status: Int, body: String)?
            /// If not empty, `others` only applies to bodies with this text.
            var marker = ""
        }
        let state = Mutex(State())

        func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
            state.withLock { state in
                let isSigningIn = ["POST /login", "POST /refresh"].contains(request.line)
                let isMeant = isSigningIn || state.marker.isEmpty || request.body.contains(state.marker)
                if isMeant, let fault = isSigningIn ? state.gateway : state.others { return .init(fault.status, fault.body) }
                switch request.line {
                case "POST /login", "POST /refresh":
                    state.isSignedIn = true
                    return .init(
                        201, #"{"id":1,"email":"ann@lab.test","access":"a","refresh":"r","expires_in":600}"#, cookies: ["s=1; path=/"])
                case "GET /me": return .init(200, state.isSignedIn ? #"{"id":1}"# : #"{"id":null}"#)
                case "POST /notes": return state.isSignedIn ? .init(201, #"{"id":7}"#) : .init(401, #"{"error":"signed out"}"#)
                default: return .init(200, "{}")
                }
            }
        }

        func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    }

    private let backend = Backend()

    private func station() async throws -> WireStation {
        let backend = backend
        return try WireStation(try await ScriptedServer { backend.answer($0) })
    }

    static let errors: [(Int, String)] = [
        (401, #"{"error":"Unauthorized"}"#), (401, "{}"), (401, ""), (403, #"{"message":"Forbidden"}"#), (400, #"{"error":"Bad Request"}"#),
        (422, #"{"status":422,"error":"Unprocessable Content"}"#), (423, #"{"message":"locked"}"#),
    ]

    @Test(arguments: errors) func undeclaredSignInErrorKeepsSessionAndPassword(fault: (Int, String)) async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn(remember: true)
            backend.set { ($0.isSignedIn, $0.gateway) = (false, (fault.0, fault.1)) }
            try await station.submit(1)
            // After a 423, the daemon does not use the password for an hour.
            let tries = fault.0 == 423 ? 1 : 2
            try await station.passTime { station.server.count("POST /login") >= tries + 1 }
            let session = try await station.session
            #expect(session.state == "signedIn" && session.remembered)
            backend.set { $0.gateway = nil }
            try await station.passTime { try await station.delivered() == 1 }
            #expect(try await station.session.remembered)
        }
        await station.server.stop()
    }

    @Test(arguments: errors) func undeclaredRefreshErrorKeepsTokens(fault: (Int, String)) async throws {
        let station = try await station()
        try await station.running(WireProfile.tokens) {
            _ = try await station.signIn()
            backend.set { ($0.isSignedIn, $0.gateway) = (false, (fault.0, fault.1)) }
            try await station.submit(1)
            try await station.passTime { station.server.count("POST /refresh") >= 3 }
            #expect(try await station.session.state == "signedIn")
            backend.set { $0.gateway = nil }
            try await station.passTime { try await station.delivered() == 1 }
        }
        await station.server.stop()
    }

    @Test func reportsFailingRenewalAfterAnHour() async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn(remember: true)
            backend.set { ($0.isSignedIn, $0.gateway) = (false, (403, #"{"message":"Forbidden"}"#)) }
            try await station.submit(1)
            try await station.passTime { station.server.count("POST /login") >= 2 }
            #expect(try await station.status.attention.isEmpty)
            await station.passTime(3700)
            let attention = try await station.status.attention.first { $0.code == "session-failing" }
            #expect(attention?.text.contains("the server refused the sign-in (403): Forbidden") == true, "\(String(describing: attention))")
            #expect(attention?.next.contains("homing login") == true)
            // Password sign-ins are at most an hour apart.
            #expect(station.server.count("POST /login") < 8)
        }
        await station.server.stop()
    }

    @Test func declaredRefusalEndsTheSession() async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn(remember: true)
            backend.set { ($0.isSignedIn, $0.gateway) = (false, (401, #"{"error":"Wrong password"}"#)) }
            try await station.submit(1)
            try await station.passTime { try await station.session.state == "signInRequired" }
            #expect(try await station.session.remembered == false)
            #expect(station.server.count("POST /login") == 2)
        }
        await station.server.stop()
    }

    /// The gateway also answers the health route.
    @Test func temporaryRefusalsKeepTheCookieSession() async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            backend.set { $0.others = (401, #"{"message":"Unauthorized"}"#) }
            try await station.submit(1)
            try await station.passTime { station.server.count("POST /notes") >= 1 && station.server.count("GET /me") >= 3 }
            #expect(try await station.session.state == "signedIn")
            backend.set { $0.others = nil }
            try await station.passTime { try await station.delivered() == 1 }
        }
        await station.server.stop()
    }

    @Test func reusesSessionOnceTheGatewayRecovers() async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn(remember: true)
            backend.set { ($0.gateway, $0.others) = ((401, #"{"message":"Unauthorized"}"#), (401, #"{"message":"Unauthorized"}"#)) }
            try await station.submit(1)
            await station.passTime(900)
            #expect(try await station.session.state == "signedIn")
            backend.set { ($0.gateway, $0.others) = (nil, nil) }
            try await station.passTime { try await station.delivered() == 1 }
            #expect(station.server.count("POST /login") == 1)
        }
        await station.server.stop()
    }

    /// Once other entries succeed, the entry is at fault. See BlameByContrast.
    @Test(arguments: [true, false]) func holdsOnlyTheEntryWithAnUndeclared401(isCookie: Bool) async throws {
        let station = try await station()
        try await station.running(isCookie ? WireProfile.cookies : WireProfile.key) {
            _ =
                isCookie
                ? try await station.signIn(remember: true)
                : try await station.client.call(Endpoints.signIn, SignIn(email: "station-1", token: "key-1"))
            backend.set { ($0.others, $0.marker) = ((401, #"{"message":"Unauthorized"}"#), #""note":1}"#) }
            var number = 0
            try await station.passTime {
                number += 1
                try await station.submit(number)
                return try await station.backend.queue.held == 1
            }
            try await station.passTime { try await station.delivered() == number - 1 }
            #expect(try await station.session.state == "signedIn")
            #expect(station.server.count("POST /login") == (isCookie ? 1 : 0))
        }
        await station.server.stop()
    }

    @Test func undeclared401KeepsTheAPIKey() async throws {
        let station = try await station()
        try await station.running(WireProfile.key) {
            _ = try await station.client.call(Endpoints.signIn, SignIn(email: "station-1", token: "key-1"))
            backend.set { $0.others = (401, #"{"error":"Unauthorized"}"#) }
            try await station.submit(1)
            try await station.passTime { station.server.count("POST /notes") >= 3 }
            #expect(try await station.session.state == "signedIn")
            #expect(station.server.count("POST /notes") < 10, "it is not tried without a pause")
            await station.passTime(3700)
            #expect(try await station.status.attention.map(\.code).contains("session-failing"))
            backend.set { $0.others = nil }
            try await station.passTime { try await station.delivered() == 1 }
            #expect(try await station.status.attention.isEmpty)
            backend.set { $0.others = (401, #"{"error":"key revoked"}"#) }
            try await station.submit(2)
            try await station.passTime { try await station.session.state == "signInRequired" }
        }
        await station.server.stop()
    }

    @Test func undeclaredSignInRefusalIsReportedAndChangesNothing() async throws {
        let station = try await station()
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn(remember: true)
            backend.set { $0.gateway = (401, #"{"message":"No"}"#) }
            let problem = await #expect(throws: Problem.self) { _ = try await station.signIn() }
            #expect(problem?.code == .signInRefused)
            #expect(problem?.detail == "wire: the server refused the sign-in (401): No.")
            #expect(try await station.session.state == "signedIn")
            #expect(try await station.session.remembered)
        }
        await station.server.stop()
    }
}
