import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

@Suite struct FirebaseCodesTests {
    private let server = TokenServer()
    private let store: SessionStore

    init() throws { store = try SessionStore() }

    private func signedIn() async throws -> SessionKeeper {
        let profiles = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../config/backends").standardized.path
        let backend = try #require(
            try ProfileLibrary.load(directory: profiles, deviceID: "device-1", version: "1.0").first { $0.name == "story16" })
        let keeper = try store.keeper(backend, server, TestClock(noon))
        server.fault("POST /v1/accounts:signInWithPassword") { _ in
            answer(200, #"{"idToken":"i","refreshToken":"r","expiresIn":"3600","localId":"u1","email":"ann@lab.test","registered":true}"#)
        }
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        return keeper
    }

    private func outcome(_ status: Int, _ message: String) async throws -> (SessionError?, SessionSnapshot.State) {
        let keeper = try await signedIn()
        let stale = try await keeper.session()
        server.fault("POST /v1/token") { _ in answer(status, #"{"error":{"code":\#(status),"message":"\#(message)","errors":[]}}"#) }
        let error = await failure { () throws(SessionError) in try await keeper.replace(stale) }
        return (error, await keeper.snapshot.state)
    }

    @Test(arguments: [
        "TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN", "PROJECT_NUMBER_MISMATCH",
        "TOKEN_EXPIRED : The user's credential is no longer valid. The user must sign in again.",
    ])
    func endedTokensRequireSignIn(message: String) async throws {
        let (error, state) = try await outcome(400, message)
        guard case .signInRequired(let reason)? = error else {
            Issue.record("\(message): \(error.debugDescription)")
            return
        }
        #expect(state == .signInRequired)
        #expect(!reason.contains("_") && reason.hasSuffix("."), "\(reason)")
    }

    /// An application may use the same code with another meaning.
    @Test func usesCodeTextsOnlyForSignInAnswers() throws {
        let body = #"{"success":false,"error":{"code":"USER_NOT_FOUND","message":"Register first."}}"#
        let aiphoto = try #require(try ShippedProfiles.backends().first { $0.name == "aiphoto" })
        let verdict = aiphoto.verdict(on: answer(404, body), to: mutation("purchase"), at: noon)
        #expect(verdict.failure?.message == "aiphoto answered: Register first.")
    }

    @Test(arguments: [
        (400, "INVALID_GRANT_TYPE"), (400, "MISSING_REFRESH_TOKEN"), (400, "MISSING_GRANT_TYPE"), (400, "API_KEY_INVALID"),
        (400, "API key not valid. Please pass a valid API key."), (403, "PERMISSION_DENIED"),
    ])
    func misconfigurationKeepsSessionAndIsReported(status: Int, message: String) async throws {
        let (error, state) = try await outcome(status, message)
        guard case .tooSoon(_, let failure)? = error else {
            Issue.record("\(message): \(error.debugDescription)")
            return
        }
        #expect(state == .signedIn)
        #expect(failure.reason == .profile)
        #expect(failure.message.contains(message))
    }

    @Test(arguments: [
        (400, "TOO_MANY_ATTEMPTS_TRY_LATER"), (400, "QUOTA_EXCEEDED"), (429, "RESOURCE_EXHAUSTED"), (429, "x"), (500, "INTERNAL"),
        (503, "UNAVAILABLE"),
    ])
    func temporaryErrorKeepsSession(status: Int, message: String) async throws {
        let (error, state) = try await outcome(status, message)
        guard case .tooSoon(_, let failure)? = error else {
            Issue.record("\(message): \(error.debugDescription)")
            return
        }
        #expect(state == .signedIn)
        #expect([.signInRequired, .serverError].contains(failure.reason))
    }

    @Test(arguments: [
        "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS", "INVALID_EMAIL", "MISSING_PASSWORD", "USER_DISABLED",
    ])
    func refusedSignInIsReportedInPlainWords(message: String) async throws {
        let error = try await signInAgain(400, #"{"error":{"code":400,"message":"\#(message)"}}"#)
        guard case .refused(let words)? = error else {
            Issue.record("\(message): \(error.debugDescription)")
            return
        }
        #expect(!words.contains("_") && words.hasSuffix("."), "\(words)")
    }

    @Test(arguments: [
        (400, "API key not valid. Please pass a valid API key."), (403, "PERMISSION_DENIED"),
        (403, "Requests from referer <empty> are blocked."),
    ])
    func rejectedAPIKeyIsNotARefusedSignIn(status: Int, message: String) async throws {
        let error = try await signInAgain(status, #"{"error":{"code":\#(status),"message":"\#(message)"}}"#)
        guard case .unavailable(let failure)? = error else {
            Issue.record("\(message): \(error.debugDescription)")
            return
        }
        #expect(failure.reason == .profile && failure.message.contains(message))
    }

    @Test func secondFactorPreventsSignIn() async throws {
        let pending = #"{"mfaPendingCredential":"c","mfaInfo":[],"localId":"u1","email":"ann@lab.test"}"#
        #expect(try await signInAgain(200, pending) == .secondFactor)
        #expect(try await signInAgain(200, #"{"mfaPendingCredential":"c"}"#) == .secondFactor)
    }

    private func signInAgain(_ status: Int, _ body: String) async throws -> SignInError? {
        let keeper = try await signedIn()
        _ = try await keeper.signOut(allDevices: false) {}
        server.fault("POST /v1/accounts:signInWithPassword") { _ in answer(status, body) }
        return await failure { () throws(SignInError) in
            try await keeper.signIn(.password(email: "ann@lab.test", Secret("wrong")), remember: false)
        }
    }
}
