import Backends
import Foundation
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite struct SignOutHurryTests {
    let bench: TokenBench

    init() throws { bench = try TokenBench() }

    private static let call = "    request: POST /logout\n    json: {token: \"{refresh}\"}\n    json_all: {all: true}\n"
    private static let couldNot = SignOutOutcome.Server.failed("The backend refused the token, and Homing could not renew it.")
    private static let ann = Account(id: "7", label: "ann@lab.test")

    private func renewing(_ keeper: SessionKeeper) async throws -> Task<Session, any Error> {
        let stale = try await keeper.session()
        bench.server.hold(TokenBench.refresh)
        let renewal = Task { try await keeper.replace(stale) }
        await bench.server.seen(TokenBench.refresh)
        return renewal
    }

    /// Neither the refresh nor the send ends before the sign-out, so it cannot have waited for them.
    @Test func signOutWithoutALogoutRequestDoesNotWait() async throws {
        let keeper = try await bench.signedIn(Self.call, "")
        let renewal = try await renewing(keeper)
        let (sends, end) = AsyncStream.makeStream(of: Void.self)
        let outcome = try await keeper.signOut(allDevices: false) { for await _ in sends {} }
        #expect(outcome == SignOutOutcome(server: .none, account: Self.ann))
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(try await bench.keeper().snapshot.state == .signedOut)
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: .none))
        bench.server.open()
        guard case .failure = await renewal.result else { throw Failure(.profile, "a session came out of a sign-out") }
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(try await bench.keeper().snapshot.state == .signedOut)
        end.finish()
    }

    @Test(arguments: [true, false])
    func lateRenewalDoesNotTouchTheNextAccount(isRefused: Bool) async throws {
        let keeper = try await bench.signedIn(Self.call, "")
        let renewal = try await renewing(keeper)
        if isRefused { bench.server.fault(TokenBench.refresh) { _ in answer(401, #"{"code":"gone"}"#) } }
        _ = try await keeper.signOut(allDevices: false) {}
        _ = try await keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        let mine = try await keeper.session()
        bench.server.open()
        _ = await renewal.result
        #expect(try await keeper.session() == mine)
        #expect(try await bench.keeper().session().account.label == "bob@lab.test")
    }

    @Test func signInWaitsForRequestsBeingSent() async throws {
        let keeper = try await bench.signedIn(Self.call, "")
        let (sends, end) = AsyncStream.makeStream(of: Void.self)
        let isDrained = Mutex(false)
        _ = try await keeper.signOut(allDevices: false) {
            for await _ in sends {}
            isDrained.withLock { $0 = true }
        }
        async let bob = keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        await pauseBriefly()
        #expect(bench.server.count(TokenBench.login) == 1)
        end.finish()
        _ = try await bob
        #expect(isDrained.withLock { $0 })
    }

    @Test func waitsOnceForAHangingRefreshAndSendsNoOther() async throws {
        let keeper = try await bench.signedIn("request: POST /refresh", "request: POST /refresh\n    timeout: 0.2")
        bench.clock.advance(to: noon.addingTimeInterval(901))
        let renewal = try await renewing(keeper)
        bench.server.fault(TokenBench.logout) { _ in answer(401, "{}") }
        let outcome = try await keeper.signOut(allDevices: false) {}
        #expect(outcome == SignOutOutcome(server: Self.couldNot, account: Self.ann))
        #expect(bench.server.log.suffix(2) == [TokenBench.refresh, TokenBench.logout])
        #expect(bench.server.count(TokenBench.refresh) == 1)
        bench.server.open()
        _ = await renewal.result
        #expect(try await bench.keeper().snapshot.state == .signedOut)
    }

    @Test(arguments: [true, false]) func signOutDoesNotRepeatLostRefresh(isInProgress: Bool) async throws {
        let keeper = try await bench.signedIn()
        bench.clock.advance(to: noon.addingTimeInterval(901))
        bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .lost(KeeperBench.offline) }
        bench.server.fault(TokenBench.logout) { _ in answer(401, "{}") }
        let renewal = isInProgress ? try await renewing(keeper) : nil
        let signOut = Task { try await keeper.signOut(allDevices: false) {} }
        await keeper.becomes(.signingOut)
        bench.server.open()
        #expect(try await signOut.value.server == Self.couldNot)
        #expect(bench.server.count(TokenBench.refresh) == 1)
        _ = await renewal?.result
    }

    @Test(arguments: [("[refresh]", TokenBench.refresh), ("[login]", TokenBench.login)])
    func refusedRenewalMeansThatTheSessionWasGone(way: String, line: String) async throws {
        let keeper = try await bench.signedIn("on_401: [refresh]", "on_401: \(way)", remember: line == TokenBench.login)
        let stale = try await keeper.session()
        bench.server.state.withLock { ($0.access, $0.refresh) = (nil, nil) }
        let before = bench.server.count(line)
        bench.server.hold(line)
        bench.server.fault(line) { _ in answer(401, #"{"code":"gone"}"#) }
        let renewal = Task { try await keeper.replace(stale) }
        await bench.server.seen(line, times: before + 1)
        let signOut = Task { try await keeper.signOut(allDevices: false) {} }
        await keeper.becomes(.signingOut)
        bench.server.open()
        #expect(try await signOut.value.server == .alreadyGone)
        #expect(bench.server.count(line) == before + 1)
        _ = await renewal.result
    }

    @Test func refusedTokenAndRefreshMeanThatTheSessionWasGone() async throws {
        let keeper = try await bench.signedIn()
        bench.server.state.withLock { ($0.access, $0.refresh) = (nil, nil) }
        #expect(try await keeper.signOut(allDevices: false) {}.server == .alreadyGone)
        #expect(bench.server.log.suffix(2) == [TokenBench.logout, TokenBench.refresh])
    }

    /// The server has ended only the access token.
    @Test(arguments: [true, false]) func renewsARefusedTokenOnceToSignOut(allDevices: Bool) async throws {
        let keeper = try await bench.signedIn()
        bench.server.state.withLock { $0.access = nil }
        #expect(try await keeper.signOut(allDevices: allDevices) {}.server == .ended)
        #expect(bench.server.log.suffix(3) == [TokenBench.logout, TokenBench.refresh, TokenBench.logout])
        #expect(bench.server.state.withLock { $0.refresh } == nil)
    }

    /// An earlier refresh failed; the sign-out tries once more first.
    @Test(arguments: [true, false]) func renewsATokenRefusedEarlierBeforeTheSignOut(allDevices: Bool) async throws {
        let keeper = try await bench.signedIn()
        bench.server.state.withLock { $0.access = nil }
        bench.server.fault(TokenBench.refresh) { _ in answer(503, "{}") }
        let stale = try await keeper.session()
        await #expect(throws: SessionError.self) { try await keeper.replace(stale) }
        #expect(try await keeper.signOut(allDevices: allDevices) {}.server == .ended)
        #expect(bench.server.log.suffix(3) == [TokenBench.refresh, TokenBench.refresh, TokenBench.logout])
        #expect(bench.server.state.withLock { $0.refresh } == nil)
    }

    @Test func refusedTokenThatCannotBeRenewedIsReportedAsAFailure() async throws {
        let keeper = try await bench.signedIn()
        bench.server.state.withLock { $0.access = nil }
        bench.server.fault(TokenBench.refresh) { _ in answer(503, "{}") }
        #expect(try await keeper.signOut(allDevices: false) {}.server == Self.couldNot)
        #expect(bench.server.log.suffix(2) == [TokenBench.logout, TokenBench.refresh])
        #expect(bench.server.state.withLock { $0.refresh } == "refresh-1")
    }

    @Test func signOutOfAStoppingDaemonStartsNoRefresh() async throws {
        let keeper = try await bench.signedIn()
        bench.clock.advance(to: noon.addingTimeInterval(901))
        bench.server.fault(TokenBench.logout) { _ in answer(401, "{}") }
        let outcome = try await keeper.signOut(allDevices: false) { keeper.stop() }
        #expect(outcome.server == Self.couldNot)
        #expect(bench.server.count(TokenBench.refresh) == 0)
    }

    @Test func keptSessionKeepsItsRenewalInProgress() async throws {
        let text = TokenBench.profile.replacing("on_failure: clear", with: "on_failure: keep")
            .replacing("request: POST /refresh", with: "request: POST /refresh\n    timeout: 0.2")
        let keeper = try bench.store.keeper(try load(["tok.yaml": text])[0], bench.server, bench.clock)
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        let renewal = try await renewing(keeper)
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        await #expect(throws: SignOutError.kept("The backend answered 500.")) { try await keeper.signOut(allDevices: false) {} }
        let session = try await keeper.session()
        let joined = Task { try await keeper.replace(session) }
        await pauseBriefly()
        bench.server.open()
        _ = await renewal.result
        _ = try await joined.value
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
    }

    @Test func allDevicesDoesNotJoinASignOutOfOneDevice() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(TokenBench.logout)
        async let narrow = keeper.signOut(allDevices: false) {}
        await bench.server.seen(TokenBench.logout)
        #expect(await failure { () throws(SignOutError) in try await keeper.signOut(allDevices: true) {} } == .narrowerInProgress)
        bench.server.open()
        #expect(try await narrow.server == .ended)
    }

    @Test func signOutOfOneDeviceJoinsOneOfAllDevices() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(TokenBench.logout)
        async let wide = keeper.signOut(allDevices: true) {}
        await bench.server.seen(TokenBench.logout)
        async let narrow = keeper.signOut(allDevices: false) {}
        bench.server.open()
        #expect(try await wide.server == .ended)
        _ = try await narrow
        #expect(bench.server.count(TokenBench.logout) == 1)
    }
}
