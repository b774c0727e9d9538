import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

@Suite struct LabLoopCodesTests {
    private func outcome(_ status: Int, _ body: String) async throws -> (SessionError?, SessionSnapshot.State) {
        let (server, store) = (TokenServer(), try SessionStore())
        let profiles = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../config/backends").standardized.path
        let backend = try #require(
            try ProfileLibrary.load(directory: profiles, deviceID: "device-1", version: "1.0").first { $0.name == "labloop" })
        let keeper = try store.keeper(backend, server, TestClock(noon))
        server.fault("POST /api/mobile/auth/login") { _ in
            answer(200, #"{"success":true,"data":{"tokens":{"accessToken":"a","refreshToken":"r"},"user":{"_id":"u1"}}}"#)
        }
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        let stale = try await keeper.session()
        server.fault("GET /api/mobile/auth/refresh") { _ in answer(status, body) }
        let error = await failure { () throws(SessionError) in try await keeper.replace(stale) }
        return (error, await keeper.snapshot.state)
    }

    @Test(arguments: [
        (401, "UNAUTHORIZED"), (403, "FORBIDDEN"), (403, "TOKEN_EXPIRED"), (400, "authentication_required"),
    ])
    func declaredRefusalRequiresSignIn(status: Int, code: String) async throws {
        let (error, state) = try await outcome(status, #"{"success":false,"message":"No.","error":{"code":"\#(code)"}}"#)
        #expect(error == .signInRequired(reason: "No.") && state == .signInRequired)
    }

    @Test(arguments: [(401, "Unauthorized"), (403, "Forbidden")])
    func keepsSessionWhenGatewayRefuses(status: Int, words: String) async throws {
        let (error, state) = try await outcome(status, #"{"error":"\#(words)"}"#)
        guard case .tooSoon? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
        #expect(state == .signedIn)
    }

    @Test func undeclaredRefusalIsAProfileError() async throws {
        let (error, state) = try await outcome(403, #"{"success":false,"message":"No.","error":{"code":"DEVICE_HEADER"}}"#)
        guard case .tooSoon(_, let failure)? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
        #expect(failure.reason == .profile && state == .signedIn)
    }
}
