import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

/// Refreshes with a lost response. See RefreshingTokens.
@Suite struct LostRefreshTests {
    let bench: TokenBench
    private let lost = Failure(.lostAnswer, "The connection broke.", outcomeUnknown: true)

    init() throws { bench = try TokenBench() }

    /// Renews whenever allowed. Returns the reason for a required sign-in, or nil.
    private func reasonForSignIn(_ keeper: SessionKeeper) async throws -> String? {
        for _ in 0..<4 {
            let stale = try await keeper.session()
            switch await failure({ () throws(SessionError) in try await keeper.replace(stale) }) {
            case .tooSoon(let until, _)?: bench.clock.advance(to: until)
            case .signInRequired(let reason)?: return reason
            default: return nil
            }
        }
        return nil
    }

    @Test(arguments: [
        (500, "{}", "application/json"), (200, "<html>", "text/html"), (200, #"{"x":1}"#, "application/json"), (403, "no", "text/html"),
    ])
    func refusalAfterAnUnclearAnswerReportsALostAnswer(status: Int, body: String, type: String) async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { state in
            _ = TokenServer.pair(&state)
            return answer(status, body, type: type)
        }
        let reason = try await reasonForSignIn(keeper)
        #expect(reason?.hasPrefix("refresh answer lost") == true, "\(reason ?? "nil")")
    }

    @Test func throttlingAfterALossStillReportsALostAnswer() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { [lost] state throws(TransportError) in
            _ = TokenServer.pair(&state)
            throw .lost(lost)
        }
        bench.server.fault(TokenBench.refresh) { _ in answer(429, "{}") }
        let reason = try await reasonForSignIn(keeper)
        #expect(reason?.hasPrefix("refresh answer lost") == true, "\(reason ?? "nil")")
    }

    @Test func throttlingByTheBackendIsNoLostAnswer() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { state in
            state.refresh = "another"
            return answer(429, "{}")
        }
        #expect(try await reasonForSignIn(keeper) == "Unknown token.")
    }

    @Test func tokenAlreadyRefreshedReportsALostAnswer() async throws {
        _ = try await bench.signedIn()
        let keeper = try bench.keeper("relogin: [gone]", "relogin: [token_already_refreshed]")
        bench.server.fault(TokenBench.refresh) { _ in answer(401, #"{"code":"token_already_refreshed","message":"Too late."}"#) }
        let reason = try await reasonForSignIn(keeper) ?? ""
        #expect(reason.hasPrefix("refresh answer lost") && reason.hasSuffix("(Too late.)"), "\(reason)")
    }

    /// The disk fills up between the marker and the commit. The server only accepts the new tokens.
    @Test func keepsUnstoredTokensAndStoresThemBeforeUse() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        bench.server.hold(TokenBench.refresh)
        let renewal = Task { await failure { () throws(SessionError) in try await keeper.replace(stale) } }
        await bench.server.seen(TokenBench.refresh)
        try bench.store.refuse()
        bench.server.open()
        guard case .unsaved? = await renewal.value else { throw lost }
        // Until the tokens are stored, nothing is sent with them.
        let requests = bench.server.log.count
        guard case .unsaved? = await failure({ () throws(SessionError) in try await keeper.freshSession() }) else { throw lost }
        let sent = await failure { () throws(TransportError) in
            try await keeper.send(OutboundRequest(method: "POST", url: "https://api.example.org/notes"), as: stale)
        }
        #expect(sent?.failure.reason == .unreadable)
        #expect(bench.server.log.count == requests)
        try bench.store.accept()
        #expect(try await keeper.freshSession().generation == stale.generation + 1)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
        #expect(try await bench.bearer(bench.keeper()) == "Bearer access-2")
        #expect(bench.server.count(TokenBench.refresh) == 1)
    }

    /// `send` may use newer credentials than the caller's.
    @Test func attributes401ToCredentialsThatWereSent() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        let newer = try await keeper.replace(stale)
        bench.server.state.withLock { $0.access = nil }
        let sent = try await keeper.send(OutboundRequest(method: "POST", url: "https://api.example.org/notes"), as: stale)
        #expect(sent.response.status == 401)
        #expect(sent.session == newer)
        #expect(try await keeper.replace(sent.session).generation == newer.generation + 1)
        #expect(bench.server.count(TokenBench.refresh) == 2)
    }
}
