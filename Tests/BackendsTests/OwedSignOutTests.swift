import Backends
import Foundation
import Outbox
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

/// A keeper whose server does not hear a sign-out.
@Suite struct OwedSignOutTests {
    let bench: TokenBench

    init() throws { bench = try TokenBench() }

    private static let edit = ("on_failure: clear", "on_failure: clear\n    owed: retry")
    private static let ann = Account(id: "7", label: "ann@lab.test")
    private static let tomorrow = noon.addingTimeInterval(86_400)

    private func restarted() throws -> SessionKeeper { try bench.keeper(Self.edit.0, Self.edit.1) }

    /// Signed out, unheard.
    private func signedOut(allDevices: Bool = false) async throws -> SessionKeeper {
        let keeper = try await bench.signedIn(Self.edit.0, Self.edit.1, remember: true)
        bench.server.fault(TokenBench.logout) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        let outcome = try await keeper.signOut(allDevices: allDevices) {}
        #expect(
            outcome == SignOutOutcome(server: .failed(KeeperBench.offline.message), account: Self.ann, owedUntil: Self.tomorrow))
        #expect(await keeper.snapshot.state == .signedOut)
        return keeper
    }

    private func advance(_ seconds: TimeInterval) { bench.clock.advance(by: seconds) }

    private var stored: Int { get throws { try bench.store.outbox.owedSignOuts(of: "tok").count } }

    private var sent: (authorization: String?, body: String) {
        let request = bench.server.requests.last
        return (
            request?.headers.first { $0.name == "Authorization" }?.value, String(decoding: request?.body ?? Data(), as: UTF8.self)
        )
    }

    /// Other devices may have signed in since the request.
    @Test(arguments: [false, true]) func repeatsTheCallForThisDeviceAlone(allDevices: Bool) async throws {
        let keeper = try await signedOut(allDevices: allDevices)
        #expect(await keeper.owedSignOuts.map { $0.until } == [Self.tomorrow])
        #expect(await keeper.repeatOwedSignOuts() == noon.addingTimeInterval(5))
        #expect(try stored == 1 && bench.server.count(TokenBench.logout) == 1)
        advance(5)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(bench.server.count(TokenBench.logout) == 2)
        #expect(sent.authorization == "Bearer access-1")
        #expect(sent.body == #"{"token":"refresh-1"}"#)
        #expect(bench.server.state.withLock { $0.access } == nil)
        #expect(try stored == 0)
        #expect(await keeper.owedSignOuts.isEmpty)
        let heard = try await bench.store.events(.signOutHeard)
        #expect(heard.map(\.detail) == [["server": "ended", "email": "ann@lab.test"]])
        #expect(try await bench.store.events(.signedOut).map { $0.detail["owedUntil"] } == [Self.tomorrow.formatted(.iso8601)])
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(bench.server.count(TokenBench.logout) == 2)
    }

    @Test func aPersonOrANewNetworkTriesAtOnce() async throws {
        let keeper = try await signedOut()
        var news = keeper.owedNews.listen().makeAsyncIterator()
        keeper.hurry()
        let hasNews = await news.next() != nil
        #expect(hasNews)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try stored == 0 && bench.server.count(TokenBench.logout) == 2)
    }

    @Test func serverThatWantsAPauseGetsIt() async throws {
        let keeper = try await signedOut()
        let until = noon.addingTimeInterval(900)
        let serverPause = ServerPause(
            backend: "tok", address: keeper.backend.address, since: noon, until: until, failure: Failure(.throttled, "Slow down."))
        try await bench.store.outbox.keep(serverPause)
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() == until)
        advance(900)
        bench.server.fault(TokenBench.logout) { _ in answer(503, "{}", HeaderField("Retry-After", "60")) }
        #expect(await keeper.repeatOwedSignOuts() == until.addingTimeInterval(60))
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() == until.addingTimeInterval(60))
        #expect(bench.server.count(TokenBench.logout) == 2)
    }

    @Test func goesOnAfterARestart() async throws {
        _ = try await signedOut()
        let keeper = try restarted()
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(sent.authorization == "Bearer access-1")
        #expect(try await restarted().owedSignOuts.isEmpty)
    }

    /// A copy of the files at that moment stands for the crash.
    @Test(arguments: ["before the call", "after the call"]) func tellsTheServerAfterACrash(moment: String) async throws {
        let keeper = try await bench.signedIn(Self.edit.0, Self.edit.1)
        let image = Mutex<SessionStore?>(nil)
        // `try?`: a missing image fails the test.
        let crash: @Sendable () -> Void = { [store = bench.store] in image.withLock { $0 = try? store.crashed() } }
        if moment == "after the call" {
            bench.server.fault(TokenBench.logout) { _ throws(TransportError) in
                crash()
                throw .lost(KeeperBench.offline)
            }
        }
        _ = try await keeper.signOut(allDevices: false) { if moment == "before the call" { crash() } }
        let after = try #require(image.withLock { $0 })
        let text = TokenBench.profile.replacing(Self.edit.0, with: Self.edit.1)
        let next = try after.keeper(load(["tok.yaml": text])[0], bench.server, bench.clock)
        await next.completeSignOut()
        #expect(await next.snapshot.state == .signedOut)
        #expect(try await after.events(.signedOut).map { $0.detail["server"] } == ["unknown"])
        #expect(await next.repeatOwedSignOuts() == noon.addingTimeInterval(5))
        let calls = bench.server.count(TokenBench.logout)
        advance(5)
        #expect(await next.repeatOwedSignOuts() == nil)
        #expect(bench.server.count(TokenBench.logout) == calls + 1)
        #expect(try after.outbox.owedSignOuts(of: "tok").isEmpty)
        #expect(try await after.events(.signOutHeard).count == 1)
    }

    @Test func refreshesAnExpiredTokenOnce() async throws {
        let keeper = try await signedOut()
        advance(901)
        bench.server.fault(TokenBench.logout) { _ in answer(503, "{}") }
        #expect(await keeper.repeatOwedSignOuts() != nil)
        #expect(bench.server.log.suffix(2) == [TokenBench.refresh, TokenBench.logout])
        // The renewed tokens are stored, and there is no second refresh.
        let next = try restarted()
        advance(901)
        #expect(await next.repeatOwedSignOuts() == nil)
        #expect(sent.authorization == "Bearer access-2")
        #expect(bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.store.events(.signOutHeard).count == 1)
    }

    @Test func renewedTokensThatCouldNotBeStoredAreStoredWhenTheCallFails() async throws {
        let keeper = try await signedOut()
        advance(901)
        bench.server.hold(TokenBench.refresh)
        async let round = keeper.repeatOwedSignOuts()
        await bench.server.seen(TokenBench.refresh)
        try bench.store.write(
            "CREATE TRIGGER refused BEFORE UPDATE ON owedSignOut BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        bench.server.fault(TokenBench.logout) { [store = bench.store] _ in
            // `try?`: if the trigger stays, the restarted keeper has the old tokens.
            try? store.write("DROP TRIGGER refused")
            return answer(503, "{}")
        }
        bench.server.open()
        #expect(await round != nil)
        let next = try restarted()
        advance(901)
        #expect(await next.repeatOwedSignOuts() == nil)
        #expect(sent.authorization == "Bearer access-2")
        #expect(bench.server.count(TokenBench.refresh) == 1)
    }

    /// The server has rotated the tokens, so the session may live on.
    @Test func refusalAfterALostRefreshIsNotHeard() async throws {
        let keeper = try await signedOut()
        advance(901)
        bench.server.fault(TokenBench.refresh) { state throws(TransportError) in
            _ = TokenServer.pair(&state)
            throw .lost(KeeperBench.offline)
        }
        #expect(await keeper.repeatOwedSignOuts() != nil)
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try stored == 0 && bench.server.count(TokenBench.refresh) == 1)
        #expect(try await bench.store.events(.signOutGivenUp).map { $0.detail["cause"] } == ["refreshLost"])
        #expect(try await bench.store.events(.signOutHeard).isEmpty)
    }

    @Test(arguments: [(401, ""), (404, ""), (404, "Not found"), (401, "<html>")])
    func answerOfAGatewayIsNotHeard(status: Int, body: String) async throws {
        let keeper = try await signedOut()
        bench.server.fault(TokenBench.logout) { _ in answer(status, body, type: "text/plain") }
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() != nil)
        #expect(try stored == 1 && bench.server.log.suffix(2) == [TokenBench.logout, TokenBench.logout])
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try await bench.store.events(.signOutHeard).map { $0.detail["server"] } == ["ended"])
    }

    @Test func endThatCannotBeStoredWaits() async throws {
        let keeper = try await signedOut()
        advance(86_400)
        try bench.store.write(
            "CREATE TRIGGER refused BEFORE DELETE ON owedSignOut BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        #expect(await keeper.repeatOwedSignOuts() == Self.tomorrow.addingTimeInterval(10))
        try bench.store.write("DROP TRIGGER refused")
        advance(10)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try stored == 0)
    }

    @Test func signInOfTheSameAccountMakesItVoid() async throws {
        let keeper = try await signedOut()
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        #expect(try stored == 0)
        #expect(await keeper.owedSignOuts.isEmpty)
        advance(3600)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(bench.server.count(TokenBench.logout) == 1)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
        let ended = try await bench.store.events(.signOutGivenUp)
        #expect(ended.map(\.detail) == [["cause": "signedIn", "email": "ann@lab.test"]])
    }

    @Test func sessionOfAnotherAccountIsLeftAlone() async throws {
        let bench = try KeeperBench()
        let keeper = try bench.keeper("on_failure: clear", "on_failure: clear, owed: retry")
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        bench.server.fault(KeeperBench.logout) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        try await keeper.signOut(allDevices: false) {}
        bench.server.fault(KeeperBench.logout, nil)
        _ = try await keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        #expect(await keeper.owedSignOuts.map { $0.account } == [KeeperBench.ann])
        #expect(bench.server.state.withLock { Set($0.sessions.values) } == ["ann@lab.test", "bob@lab.test"])
        keeper.hurry()
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(bench.server.state.withLock { Set($0.sessions.values) } == ["bob@lab.test"])
        #expect(try await keeper.send(get, as: keeper.session()).response.status == 200)
    }

    /// Else the call could reach the server after the sign-in, and end the new session.
    @Test func signInWaitsForTheCallInProgress() async throws {
        let keeper = try await signedOut()
        keeper.hurry()
        bench.server.hold(TokenBench.logout)
        async let told = keeper.repeatOwedSignOuts()
        await bench.server.seen(TokenBench.logout, times: 2)
        async let signedIn = keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        await pauseBriefly()
        #expect(bench.server.count(TokenBench.login) == 1)
        bench.server.open()
        _ = await told
        #expect(try await signedIn.state == .signedIn)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
    }

    @Test func givesUpAfterADay() async throws {
        let keeper = try await signedOut()
        advance(86_399)
        bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await keeper.repeatOwedSignOuts() == Self.tomorrow)
        advance(1)
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try stored == 0 && bench.server.count(TokenBench.logout) == 1)
        #expect(try await bench.store.events(.signOutGivenUp).map { $0.detail["cause"] } == ["day"])
    }

    @Test func nothingElseUsesTheCredentials() async throws {
        let keeper = try await signedOut()
        #expect(await failure { () throws(SessionError) in try await keeper.session() } != nil)
        #expect(await failure { () throws(SessionError) in try await keeper.freshSession() } != nil)
        let stale = Session(account: Self.ann, generation: 1)
        #expect(await failure { () throws(SessionError) in try await keeper.replace(stale) } != nil)
        #expect(await failure { () throws(TransportError) in try await keeper.send(post, as: stale) } != nil)
        #expect(await keeper.keepAlive() == nil)
        #expect(bench.server.log == [TokenBench.login, TokenBench.logout])
    }

    @Test func profileWithoutTheKeyKeepsNothing() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.logout) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(try await keeper.signOut(allDevices: false) {}.owedUntil == nil)
        #expect(try stored == 0)
        #expect(await keeper.owedSignOuts.isEmpty)
        #expect(await keeper.repeatOwedSignOuts() == nil)
    }

    @Test func recordThatDoesNotDecodeIsDestroyed() async throws {
        let owed = StoredOwedSignOut(account: "7", until: Self.tomorrow, record: Data("{}".utf8))
        try bench.store.outbox.apply(SessionChange(backend: "tok", record: Data("{}".utf8), owedSignOut: .begins(owed)))
        #expect(try await restarted().owedSignOuts.isEmpty)
        #expect(try stored == 0)
        #expect(try await bench.store.events(.signOutGivenUp).map { $0.detail["cause"] } == ["unreadable"])
    }

    @Test func profileThatNoLongerHasTheKeyDestroysThem() async throws {
        _ = try await signedOut()
        let keeper = try bench.keeper()
        #expect(await keeper.repeatOwedSignOuts() == nil)
        #expect(try stored == 0 && bench.server.count(TokenBench.logout) == 1)
        #expect(try await bench.store.events(.signOutGivenUp).map { $0.detail["cause"] } == ["profile"])
    }
}
