import Backends
import Foundation
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

struct SigningOutTests {
    let bench: KeeperBench

    init() throws { bench = try KeeperBench() }

    @Test func signOutEndsTheSessionHereAndAtTheServer() async throws {
        let keeper = try await bench.signedIn(remember: true)
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: .ended, account: KeeperBench.ann))
        #expect(bench.server.state.withLock { $0.sessions.isEmpty })
        #expect(await keeper.snapshot.atFirst == SessionSnapshot(backend: "breathesafe", state: .signedOut))
        #expect(try await bench.keeper().snapshot.state == .signedOut)
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: .none))
        #expect(bench.server.count(KeeperBench.logout) == 1)
    }

    @Test func drainsBeforeTellingTheServer() async throws {
        let keeper = try await bench.signedIn()
        let seen = Mutex<(SessionSnapshot.State, Int)?>(nil)
        let server = bench.server
        _ = try await keeper.signOut(allDevices: false) {
            let state = await keeper.snapshot.state
            seen.withLock { $0 = (state, server.count(KeeperBench.logout)) }
        }
        #expect(seen.withLock { $0?.0 } == .signingOut)
        #expect(seen.withLock { $0?.1 } == 0)
    }

    @Test func signsOutHereWhenTheServerIsUnreachable() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(KeeperBench.logout) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(
            try await keeper.signOut(allDevices: false) {}
                == SignOutOutcome(server: .failed(KeeperBench.offline.message), account: KeeperBench.ann))
        #expect(try await bench.keeper().snapshot.state == .signedOut)
    }

    @Test func keepsSessionIfDeclaredAndServerUnreachable() async throws {
        let keeper = try bench.keeper("on_failure: clear", "on_failure: keep")
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: true)
        bench.server.fault(KeeperBench.logout) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        await #expect(throws: SignOutError.kept(KeeperBench.offline.message)) { try await keeper.signOut(allDevices: false) {} }
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(try await keeper.send(get, as: keeper.session()).response.status == 200)
    }

    @Test(arguments: [(401, SignOutOutcome.Server.alreadyGone), (404, .alreadyGone), (500, .failed("The backend answered 500."))])
    func theServersAnswerIsReported(status: Int, server: SignOutOutcome.Server) async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(KeeperBench.logout) { answer(status, "{}") }
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: server, account: KeeperBench.ann))
    }

    @Test func refusesAllDevicesIfTheBackendDoesNotOfferIt() async throws {
        let keeper = try await bench.signedIn()
        let error = await failure { () throws(SignOutError) in try await keeper.signOut(allDevices: true) {} }
        #expect(error == .allDevicesUnsupported)
        #expect(await keeper.snapshot.state == .signedIn)
        let offering = try bench.keeper("timeout: 10,", "timeout: 10, json_all: {all: true},")
        #expect(try await offering.signOut(allDevices: true) {}.server == .ended)
    }

    @Test func aSecondSignOutJoinsTheFirst() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(KeeperBench.logout)
        async let first = keeper.signOut(allDevices: false) {}
        await bench.server.seen(KeeperBench.logout)
        async let second = keeper.signOut(allDevices: false) {}
        #expect(await failure { () throws(SessionError) in try await keeper.session() } == .signingOut)
        bench.server.open()
        #expect(try await first == SignOutOutcome(server: .ended, account: KeeperBench.ann))
        // The second call joins the first or finds no session.
        _ = try await second
        #expect(bench.server.count(KeeperBench.logout) == 1)
    }

    @Test func cancelledCallerDoesNotStopASignOut() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(KeeperBench.logout)
        let caller = Task { try await keeper.signOut(allDevices: false) {} }
        await bench.server.seen(KeeperBench.logout)
        caller.cancel()
        bench.server.open()
        _ = await caller.result
        #expect(await keeper.snapshot.state == .signedOut)
    }

    /// A copy of the files at that moment stands for the crash.
    @Test(arguments: ["draining", "telling the server"])
    func crashDuringSignOutSignsOutAtNextStart(moment: String) async throws {
        let keeper = try await bench.signedIn(remember: true)
        let image = Mutex<SessionStore?>(nil)
        // `try?`: a missing image fails the test.
        let crash: @Sendable () -> Void = { [store = bench.store] in image.withLock { $0 = try? store.crashed() } }
        if moment == "draining" {
            _ = try await keeper.signOut(allDevices: false) { crash() }
        } else {
            bench.server.fault(KeeperBench.logout) { () throws(TransportError) in
                crash()
                throw .lost(KeeperBench.offline)
            }
            _ = try await keeper.signOut(allDevices: false) {}
        }
        let requests = bench.server.log.count
        let after = try #require(image.withLock { $0 })
        let restarted = try after.keeper(breathesafe(), bench.server, bench.clock)
        await restarted.completeSignOut()
        #expect(await restarted.snapshot.state == .signedOut)
        #expect(await failure { () throws(SessionError) in try await restarted.session() } != nil)
        #expect(bench.server.log.count == requests, "the server is not told again")
        #expect(try await after.keeper(breathesafe(), bench.server, bench.clock).snapshot.state == .signedOut)
    }

    @Test func renewalDuringASignOutServesOnlyToEndTheSession() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let renewal = Task { try await keeper.replace(stale) }
        await bench.server.seen(KeeperBench.login, times: 2)
        let signOut = Task { try await keeper.signOut(allDevices: false) {} }
        await keeper.becomes(.signingOut)
        bench.server.open()
        #expect(try await signOut.value == SignOutOutcome(server: .ended, account: KeeperBench.ann))
        guard case .failure = await renewal.result else { throw Failure(.profile, "a session came out of a sign-out") }
        #expect(bench.server.state.withLock { $0.sessions.isEmpty }, "the renewed session was ended too")
        #expect(await keeper.snapshot.state == .signedOut)
    }

    @Test func signInWaitsForTheSignOutInProgress() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(KeeperBench.logout)
        async let out = keeper.signOut(allDevices: false) {}
        await bench.server.seen(KeeperBench.logout)
        async let bob = keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        bench.server.open()
        _ = try await out
        #expect(try await bob.account?.id == "2")
    }
}
