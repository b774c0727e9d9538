import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

/// Tokens that expire, rotate and get lost. See RefreshingTokens.
@Suite struct BearerTests {
    let bench: TokenBench

    init() throws { bench = try TokenBench() }

    private func replaced(_ keeper: SessionKeeper) async throws -> SessionError? {
        let stale = try await keeper.session()
        return await failure { () throws(SessionError) in try await keeper.replace(stale) }
    }

    @Test func sendsTheTokenOnlyToTheBackend() async throws {
        let keeper = try await bench.signedIn()
        #expect(try await bench.bearer(keeper) == "Bearer access-1")
        let session = try await keeper.session()
        _ = try await keeper.send(OutboundRequest(method: "POST", url: "https://elsewhere.example.org/notes"), as: session)
        #expect(bench.server.requests.last?.headers.contains { $0.name == "Authorization" } == false)
        #expect(session.account == Account(id: "7", label: "ann@lab.test"))
    }

    @Test func hidesATokenInTheURL() async throws {
        let keeper = try await bench.signedIn("on_401: [refresh]", "on_401: [refresh]\n  placement: query:auth")
        #expect(try await bench.bearer(keeper) == nil)
        let request = try #require(bench.server.requests.last)
        #expect(request.url == "https://api.example.org/notes?auth=access-1")
        #expect(request.description == "POST https://api.example.org/notes")
    }

    // MARK: Renewal

    @Test func twoHundredCallersShareOneRefreshAndALate401StartsNone() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        bench.server.hold(TokenBench.refresh)
        let sessions = try await withThrowingTaskGroup(of: Session.self) { group in
            for _ in 0..<200 { group.addTask { try await keeper.replace(stale) } }
            await bench.server.seen(TokenBench.refresh)
            bench.server.open()
            return try await group.reduce(into: Set<Session>()) { $0.insert($1) }
        }
        #expect(sessions.map(\.generation) == [stale.generation + 1])
        #expect(try await keeper.replace(stale) == sessions.first)
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
        // The tokens are stored before they are used.
        #expect(try await bench.bearer(bench.keeper()) == "Bearer access-2")
    }

    @Test("12: ignores unknown fields and times, and keeps the old refresh token if it gets no new one")
    func keepsTheOldRefreshTokenWithoutANewOne() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { state in
            state.access = "access-x"
            return answer(200, #"{"access":"access-x","more":"2025-01-01T00:00:00Z"}"#)
        }
        #expect(try await replaced(keeper) == nil)
        #expect(try await bench.bearer(keeper) == "Bearer access-x")
        #expect(try await replaced(keeper) == nil)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
    }

    @Test(arguments: [
        (200, "<html>", "text/html"), (200, "{}", "application/json"), (200, #"{"access":""}"#, "application/json"),
        (200, #"{"access":"YWJj\n"}"#, "application/json"), (200, #"{"access":"a b\u0001"}"#, "application/json"),
        (200, #"{"access":"fine","refresh":"YWJj\nZGVm"}"#, "application/json"),
        (200, #"{"ok":false,"access":"x"}"#, "application/json"), (302, "", "text/html"), (401, "<html>", "text/html"),
        (400, #"{"code":"unsupported_grant_type"}"#, "application/json"), (403, "<html>", "text/html"), (404, "{}", "application/json"),
        (408, "{}", "application/json"), (429, #"{"code":"slow"}"#, "application/json"), (500, "{}", "application/json"),
        (500, #"{"code":"gone"}"#, "application/json"), (503, "<html>", "text/html"),
    ])
    func answersThatAreNotAboutTheTokenDoNotSignOut(status: Int, body: String, type: String) async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { _ in answer(status, body, type: type) }
        guard case .tooSoon(let until, _) = try await replaced(keeper) else {
            Issue.record("\(status) \(body)")
            return
        }
        #expect(await keeper.snapshot.state == .signedIn)
        bench.clock.advance(to: until)
        #expect(try await replaced(keeper) == nil)
    }

    @Test(arguments: [
        (401, #"{"code":"gone","message":"Unknown token."}"#), (400, #"{"code":"invalid_grant"}"#), (403, #"{"code":"GONE"}"#),
        (200, #"{"ok":false,"code":"gone : for ever"}"#),
    ])
    func declaredRefusalRequiresSignIn(status: Int, body: String) async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { _ in answer(status, body) }
        guard case .signInRequired(let reason) = try await replaced(keeper) else {
            Issue.record("\(status) \(body)")
            return
        }
        #expect(await keeper.snapshot.state == .signInRequired)
        #expect(await keeper.snapshot.reason == reason)
        #expect(!reason.contains("lost"))
        #expect(bench.server.count(TokenBench.refresh) == 1)
    }

    @Test func staysSignedInWhileOffline() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(try await replaced(keeper) == .unavailable(KeeperBench.offline))
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.bearer(keeper) == "Bearer access-1")
    }

    // MARK: Lost answers

    private let lost = Failure(.lostAnswer, "The connection broke.", outcomeUnknown: true)

    @Test func repeatsARefreshOnceAfterALostAnswer() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { [lost] _ throws(TransportError) in throw .lost(lost) }
        #expect(try await replaced(keeper) == nil)
        let tokens = bench.server.requests.filter { $0.url.hasSuffix("/refresh") }.map { $0.body }
        #expect(tokens.count == 2 && tokens[0] == tokens[1])
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
    }

    @Test func reportsALostAnswerIfTheTokenWasRotated() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { [lost] state throws(TransportError) in
            _ = TokenServer.pair(&state)
            throw .lost(lost)
        }
        guard case .signInRequired(let reason) = try await replaced(keeper) else { throw lost }
        #expect(reason.hasPrefix("refresh answer lost"))
        #expect(reason.contains("Unknown token."))
    }

    /// Like after a SIGKILL, the server has rotated the token and the store only has the marker.
    @Test func reportsALostAnswerAfterACrashBetweenRotationAndCommit() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(TokenBench.refresh)
        let stale = try await keeper.session()
        async let renewal = keeper.replace(stale)
        await bench.server.seen(TokenBench.refresh)
        bench.server.state.withLock { state in _ = TokenServer.pair(&state) }
        // The next run starts while the first still waits for its response.
        let next = try bench.keeper()
        bench.server.state.withLock { $0.held = nil }
        guard case .signInRequired(let reason) = try await replaced(next) else { throw lost }
        #expect(reason.hasPrefix("refresh answer lost"))
        bench.server.open()
        _ = try? await renewal
    }

    @Test func renewalSucceedsAfterCrashBeforeRotation() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(TokenBench.refresh)
        let stale = try await keeper.session()
        let renewal = Task { try await keeper.replace(stale) }
        await bench.server.seen(TokenBench.refresh)
        let next = try bench.keeper()
        bench.server.state.withLock { $0.held = nil }
        #expect(try await replaced(next) == nil)
        #expect(try await bench.bearer(next) == "Bearer access-2")
        renewal.cancel()
        bench.server.open()
        _ = try? await renewal.value
    }

    @Test("10: cancelling the caller of a refresh does not undo it") func storesNewTokensThoughTheCallerIsCancelled()
        async throws
    {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        bench.server.hold(TokenBench.refresh)
        let caller = Task { try await keeper.replace(stale) }
        await bench.server.seen(TokenBench.refresh)
        caller.cancel()
        _ = await caller.result
        bench.server.open()
        await keeper.settled()
        #expect(try await bench.bearer(bench.keeper()) == "Bearer access-2")
    }

    // MARK: Before its end

    /// A token is renewed three minutes early, but at most a fifth of its lifetime early.
    @Test(arguments: [
        (#""expires_in":900"#, 719.0, 720.0), (#""expires_in":"300""#, 239, 240), (#""expires_in":300"#, 239, 240), (#""x":1"#, 719, 720),
    ])
    func aTokenIsRenewedBeforeItEnds(span: String, good: TimeInterval, stale: TimeInterval) async throws {
        bench.server.fault(TokenBench.login) { state in TokenServer.pair(&state, more: "," + span) }
        let keeper = try await bench.signedIn()
        bench.clock.advance(to: noon.addingTimeInterval(good))
        _ = try await keeper.freshSession()
        #expect(bench.server.count(TokenBench.refresh) == 0)
        bench.clock.advance(to: noon.addingTimeInterval(stale))
        let session = try await keeper.freshSession()
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await keeper.session() == session)
    }

    @Test func usesAValidTokenWhileRenewalFails() async throws {
        let keeper = try await bench.signedIn()
        for _ in 0..<2 { bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) } }
        bench.clock.advance(to: noon.addingTimeInterval(800))
        #expect(try await keeper.freshSession() == (try await keeper.session()))
        bench.clock.advance(to: noon.addingTimeInterval(901))
        await #expect(throws: SessionError.unavailable(KeeperBench.offline)) { try await keeper.freshSession() }
        #expect(await keeper.snapshot.state == .signedIn)
    }

    /// Only the server can end a session, not the local clock.
    @Test("11: a clock that is hours or years off is harmless", arguments: [-315_360_000.0, -7200, 7200, 315_360_000] as [TimeInterval])
    func aClockThatIsYearsOffIsHarmless(step: TimeInterval) async throws {
        let keeper = try await bench.signedIn()
        bench.clock.step(to: noon.addingTimeInterval(step))
        for _ in 0..<3 { _ = try await keeper.freshSession() }
        #expect(bench.server.count(TokenBench.refresh) == (step > 0 ? 1 : 0))
        #expect(try await replaced(keeper) == nil)
        bench.clock.step(to: noon)
        for _ in 0..<3 { _ = try await keeper.freshSession() }
        #expect(bench.server.count(TokenBench.refresh) == 2)
    }

    @Test func keepsAnIdleSessionAlive() async throws {
        let keeper = try await bench.signedIn()
        #expect(await keeper.nextKeepalive == noon.addingTimeInterval(86_400))
        #expect(await keeper.keepAlive() == nil)
        #expect(bench.server.count(TokenBench.refresh) == 0)
        bench.clock.advance(to: noon.addingTimeInterval(86_400))
        bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await keeper.keepAlive() == nil)
        bench.server.fault(TokenBench.refresh) { _ in answer(404, "{}") }
        #expect(await keeper.keepAlive()?.reason == .profile)
        bench.clock.advance(by: 300)
        #expect(await keeper.keepAlive() == nil)
        #expect(bench.server.count(TokenBench.refresh) == 3)
        #expect(await keeper.nextKeepalive == noon.addingTimeInterval(2 * 86_400 + 300))
    }

    @Test func clockAheadDoesNotDelayKeepalive() async throws {
        bench.clock.step(to: noon.addingTimeInterval(315_360_000))
        let keeper = try await bench.signedIn()
        bench.clock.step(to: noon)
        #expect(await keeper.nextKeepalive == noon)
        #expect(await keeper.keepAlive() == nil)
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(await keeper.nextKeepalive == noon.addingTimeInterval(86_400))
    }

    // MARK: Ways in

    /// A token that cannot be put in a header counts as missing.
    @Test(arguments: [
        #""mfaPendingCredential":"x""#, #""access":"YWJj\n""#, #""access":"YWJj\nZGVm""#, #""access":" abc""#, #""access":"a\u007fb""#,
        #""access":"fine","refresh":"YWJj\r\n""#,
    ])
    func refusesASignInWithoutAUsableToken(held: String) async throws {
        bench.server.fault(TokenBench.login) { _ in answer(200, #"{"user":{"id":"7"},\#(held)}"#) }
        let keeper = try bench.keeper()
        let error = await failure { () throws(SignInError) in
            try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        }
        guard case .misbehaved? = error else { throw lost }
        #expect(await keeper.snapshot.state == .signedOut)
    }

    @Test(arguments: [("", true), ("{}", true), (#"{"code":"x"}"#, false), ("<html>", false)])
    func declaredStatusEndsTheSession(body: String, isRefusal: Bool) async throws {
        _ = try await bench.signedIn()
        let keeper = try bench.keeper("relogin: [gone]", "relogin: [gone, \"401\"]")
        bench.server.fault(TokenBench.refresh) { _ in answer(401, body, type: body.hasPrefix("<") ? "text/html" : "application/json") }
        _ = try await replaced(keeper)
        #expect(await keeper.snapshot.state == (isRefusal ? .signInRequired : .signedIn))
    }

    @Test func exchangesAnImportedRefreshTokenAtOnce() async throws {
        bench.server.state.withLock { $0.refresh = "from-the-app" }
        let edit = ("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        let keeper = try bench.keeper(edit.0, edit.1)
        let snapshot = try await keeper.signIn(.refreshToken(Secret("from-the-app"), label: "ann"), remember: false)
        #expect(snapshot.account == Account(id: "7", label: "ann"))
        #expect(try await bench.bearer(keeper) == "Bearer access-1")
        let elsewhere = try TokenBench()
        let stranger = try elsewhere.keeper(edit.0, edit.1)
        let other = await stranger.signInFailure(.refreshToken(Secret("nonsense"), label: nil))
        #expect(other == .refused("Unknown token."))
    }

    /// The keeper of a backend whose sessions are API keys.
    private func keyKeeper() throws -> SessionKeeper {
        let text = """
            schema: 1
            name: tok
            base_url: https://api.example.org
            auth: {scheme: bearer, on_401: []}
            routes: {note: {request: POST /notes, json: "{item.payload}"}}
            """
        return try bench.store.keeper(try load(["tok.yaml": text])[0], bench.server, bench.clock)
    }

    @Test func anAPIKeyNeedsNoServer() async throws {
        let keeper = try keyKeeper()
        let snapshot = try await keeper.signIn(.accessToken(Secret("key"), label: "the lab"), remember: false)
        #expect(snapshot.account?.label == "the lab")
        #expect(snapshot.account?.id == "the lab")
        #expect(try await bench.bearer(keeper) == "Bearer key")
        guard case .unsupported? = await keeper.signInFailure(.refreshToken(Secret("x"), label: "the lab")) else { throw lost }
        guard case .undeclared? = try await replaced(keeper) else { throw lost }
        _ = try await keeper.signOut(allDevices: false) {}
        let again = try bench.keeper()
        let error = await again.signInFailure(.accessToken(Secret("key"), label: nil))
        guard case .unsupported? = error else { throw lost }
    }

    /// The server names no account, so the label identifies it.
    @Test(arguments: ["api-key", "the lab"]) func newKeyWithTheSameNameIsTheSameAccount(label: String) async throws {
        let keeper = try keyKeeper()
        let first = try await keeper.signIn(.accessToken(Secret("old key"), label: label), remember: false)
        _ = try await keeper.signOut(allDevices: false) {}
        let second = try await keeper.signIn(.accessToken(Secret("new key"), label: label), remember: false)
        #expect(first.account?.id.rawValue == label && second.account?.id.rawValue == label)
        #expect(try await bench.bearer(keeper) == "Bearer new key")
    }

    /// Otherwise the next person's key would send the first person's entries.
    @Test func acceptsUnnamedKeyOnlyIfItNamesAccount() async throws {
        let keeper = try keyKeeper()
        #expect(await keeper.signInFailure(.accessToken(Secret("key"), label: nil)) == .unnamed)
        #expect(await keeper.snapshot.state == .signedOut)
        let token = "e30.\(Data(#"{"sub":"u1"}"#.utf8).base64EncodedString()).x"
        let snapshot = try await keeper.signIn(.accessToken(Secret(token), label: nil), remember: false)
        #expect(snapshot.account?.id == "u1")
    }

    /// The remembered password cannot be used at the moment.
    @Test(arguments: [true, false]) func neverResendsRefusedRefreshToken(restarts: Bool) async throws {
        let edit = ("on_401: [refresh]", "on_401: [refresh, login]")
        let keeper = try await bench.signedIn(edit.0, edit.1, remember: true)
        bench.server.state.withLock { ($0.access, $0.refresh) = (nil, nil) }
        bench.server.fault(TokenBench.login) { _ in answer(503, "{}") }
        guard case .tooSoon(let until, _)? = try await replaced(keeper) else { throw lost }
        #expect(until == noon.addingTimeInterval(300))
        bench.clock.advance(by: 300)
        let next = restarts ? try bench.keeper(edit.0, edit.1) : keeper
        #expect(try await replaced(next) == nil)
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.bearer(next) == "Bearer access-2")
    }

    /// RFC 6749 5.2 applies even if the profile declares no codes.
    @Test func invalidGrantRequiresSignIn() async throws {
        let keeper = try await bench.signedIn("code: [/code], ", "")
        bench.server.fault(TokenBench.refresh) { _ in answer(400, #"{"error":"invalid_grant"}"#) }
        guard case .signInRequired? = try await replaced(keeper) else { throw lost }
        #expect(await keeper.snapshot.state == .signInRequired)
    }

    /// The second factor was enabled after the password was stored.
    @Test func secondFactorDuringARenewalRequiresSignIn() async throws {
        let head = """
            on_401: [refresh]
              skew: 180
              lifetime: 900
              keepalive: 86400
              login:
            """
        let keeper = try await bench.signedIn(head, "on_401: [login]\n  login:\n    second_factor: /otp", remember: true)
        bench.server.fault(TokenBench.login) { _ in answer(200, #"{"otp":"required"}"#) }
        guard case .signInRequired(let reason)? = try await replaced(keeper) else { throw lost }
        #expect(reason.contains("second factor"))
        bench.clock.advance(by: 301)
        let later = await failure { () throws(SessionError) in try await keeper.freshSession() }
        #expect(later == .signInRequired(reason: reason))
        #expect(bench.server.count(TokenBench.login) == 2)
    }

    /// The answer may not come from the application, so the session stays, and the daemon waits as asked.
    @Test func serverErrorDuringARenewalKeepsTheSession() async throws {
        let keeper = try await bench.signedIn("on_401: [refresh]", "on_401: [login]", remember: true)
        bench.server.fault(TokenBench.login) { _ in
            answer(500, #"{"message":"database is locked"}"#, HeaderField("Retry-After", "3600"))
        }
        guard case .tooSoon(let until, let failure)? = try await replaced(keeper) else { throw lost }
        #expect(until == noon.addingTimeInterval(3600) && failure.message == "database is locked")
        #expect(await keeper.snapshot.state == .signedIn)
        bench.clock.advance(by: 3599)
        guard case .tooSoon? = try await replaced(keeper) else { throw lost }
        bench.clock.advance(by: 1)
        #expect(try await replaced(keeper) == nil)
        #expect(bench.server.count(TokenBench.login) == 3)
    }

    // MARK: Ways out

    /// The other origin belongs to someone else.
    @Test func signOutSendsNoCredentialsToAnotherAddress() async throws {
        let keeper = try await bench.signedIn("request: POST /logout", "request: POST https://elsewhere.example.org/logout")
        _ = try await keeper.signOut(allDevices: false) {}
        let last = try #require(bench.server.requests.last)
        #expect(last.url == "https://elsewhere.example.org/logout")
        #expect(!last.headers.contains { $0.name == "Authorization" })
    }

    @Test(arguments: [
        (500, "{}", "failed"), (500, "", "failed"), (401, "{}", "alreadyGone"), (404, "{}", "alreadyGone"), (401, "", "failed"),
        (404, "", "failed"), (401, "<html>", "failed"), (404, "<html>", "failed"), (204, "", "ended"),
    ])
    func signOutForgetsTokensAfterAnyAnswer(status: Int, body: String, expected: String) async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.logout) { _ in answer(status, body) }
        if status == 401 { bench.server.state.withLock { $0.refresh = nil } }
        let outcome = try await keeper.signOut(allDevices: false) {}
        #expect("\(outcome.server)".hasPrefix(expected), "\(outcome)")
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: .none))
    }

    @Test func failedSignOutChangesNothingIfTheProfileKeepsTheSession() async throws {
        let keeper = try await bench.signedIn("on_failure: clear", "on_failure: keep")
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        await #expect(throws: SignOutError.kept("The backend answered 500.")) { try await keeper.signOut(allDevices: false) {} }
        #expect(try await bench.bearer(keeper) == "Bearer access-1")
    }

    @Test func renewsAStaleTokenOnceToSignOut() async throws {
        let keeper = try await bench.signedIn()
        bench.clock.advance(to: noon.addingTimeInterval(901))
        #expect(try await keeper.signOut(allDevices: false) {}.server == .ended)
        #expect(bench.server.log.suffix(2) == [TokenBench.refresh, TokenBench.logout])
        #expect(bench.server.requests.last?.body == Data(#"{"token":"refresh-2"}"#.utf8))
    }

    @Test func signsOutAllDevicesIfTheProfileCan() async throws {
        let keeper = try await bench.signedIn()
        #expect(try await keeper.signOut(allDevices: true) {}.server == .ended)
        #expect(bench.server.requests.last?.body == Data(#"{"all":true}"#.utf8))
        let other = try await TokenBench().signedIn("    json_all: {all: true}\n", "")
        await #expect(throws: SignOutError.allDevicesUnsupported) { try await other.signOut(allDevices: true) {} }
        #expect(await other.snapshot.state == .signedIn)
    }

    @Test func refreshInProgressRestoresNothingAfterASignOut() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        bench.server.hold(TokenBench.refresh)
        let renewal = Task { try await keeper.replace(stale) }
        await bench.server.seen(TokenBench.refresh)
        let signOut = Task { try await keeper.signOut(allDevices: false) {} }
        await keeper.becomes(.signingOut)
        bench.server.open()
        // Tokens received meanwhile are only used to end the session.
        #expect(try await signOut.value.server == .ended)
        _ = await renewal.result
        #expect(await keeper.snapshot.state == .signedOut)
        let next = try bench.keeper()
        #expect(await next.snapshot.state == .signedOut)
    }

    @Test func anotherAddressGetsNoToken() async throws {
        _ = try await bench.signedIn()
        let moved = try bench.keeper("https://api.example.org", "https://api.example.net")
        #expect(await moved.snapshot.state == .signInRequired)
        #expect(await failure { () throws(SessionError) in try await moved.session() } != nil)
    }
}

extension SessionKeeper {
    fileprivate func signInFailure(_ way: SignInMethod) async -> SignInError? {
        do {
            _ = try await signIn(way, remember: false)
            return nil
        } catch {
            return error
        }
    }
}
