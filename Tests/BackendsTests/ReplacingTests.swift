import Backends
import Foundation
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

struct ReplacingTests {
    let bench: KeeperBench

    init() throws { bench = try KeeperBench() }

    private func replace(_ keeper: SessionKeeper, _ stale: Session) async -> Result<Session, SessionError> {
        do throws(SessionError) {
            return .success(try await keeper.replace(stale))
        } catch {
            return .failure(error)
        }
    }

    @Test func keepsASessionThatTheServerStillKnows() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        let fresh = try await keeper.replace(stale)
        #expect(fresh == Session(account: KeeperBench.ann, generation: stale.generation + 1))
        #expect(bench.server.count(KeeperBench.login) == 1)
        #expect(try await bench.keeper().session() == fresh)
    }

    @Test func late401OfAnOldGenerationSendsNoRequest() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        let fresh = try await keeper.replace(stale)
        let requests = bench.server.log.count
        #expect(try await keeper.replace(stale) == fresh)
        #expect(bench.server.log.count == requests)
    }

    /// The request was in flight during the change of accounts, and must not be sent again as the new one.
    @Test func late401OfAFormerAccountGetsNoSession() async throws {
        let keeper = try await bench.signedIn()
        let anns = try await keeper.session()
        bench.server.endSessions()
        #expect(await replace(keeper, anns) == .failure(.signInRequired(reason: "the session has ended")))
        _ = try await keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        let requests = bench.server.log.count
        #expect(await replace(keeper, anns) == .failure(.signInRequired(reason: "ann@lab.test is no longer signed in")))
        #expect(bench.server.log.count == requests)
        #expect(try await keeper.send(get, as: keeper.session()).response.status == 200)
    }

    @Test func fiftyCallersShareOneRenewal() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let results = try await withThrowingTaskGroup(of: Session.self) { group in
            for _ in 0..<50 { group.addTask { try await keeper.replace(stale) } }
            await bench.server.seen(KeeperBench.login, times: 2)
            bench.server.open()
            return try await group.reduce(into: Set<Session>()) { $0.insert($1) }
        }
        #expect(results == [Session(account: KeeperBench.ann, generation: stale.generation + 1)])
        #expect(bench.server.count(KeeperBench.login) == 2)
        #expect(bench.server.count(KeeperBench.health) == 3)
    }

    @Test func cancelledCallersDoNotWaitForTheBackend() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let callers = (0..<2).map { _ in Task { await replace(keeper, stale) } }
        await bench.server.seen(KeeperBench.login, times: 2)
        let login = Task {
            await failure { () throws(SignInError) in
                try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: true)
            }
        }
        for caller in callers { caller.cancel() }
        login.cancel()
        // The backend has not answered yet.
        for caller in callers {
            guard case .failure(.unavailable(let failure)) = await caller.value else {
                throw Failure(.profile, "expected to be called off")
            }
            #expect(failure.reason == .stopping)
        }
        guard case .unavailable(let failure)? = await login.value else { throw Failure(.profile, "expected to be called off") }
        #expect(failure.reason == .stopping)
        bench.server.open()
        #expect(try await keeper.replace(stale).generation == stale.generation + 1)
    }

    @Test func completesARenewalWhoseCallerWasCancelled() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let caller = Task { try await keeper.replace(stale) }
        await bench.server.seen(KeeperBench.login, times: 2)
        caller.cancel()
        bench.server.open()
        _ = await caller.result
        #expect(try await bench.keeper().session().generation == stale.generation + 1)
    }

    @Test func requiresSignInOverARestartWithoutAKeptPassword() async throws {
        let keeper = try await bench.signedIn(remember: false)
        bench.server.endSessions()
        #expect(await replace(keeper, try keeper.session()) == .failure(.signInRequired(reason: "the session has ended")))
        let snapshot = try await bench.keeper().snapshot
        #expect(snapshot.state == .signInRequired && snapshot.account == KeeperBench.ann && snapshot.reason == "the session has ended")
        #expect(bench.server.count(KeeperBench.login) == 1)
    }

    @Test func renewsWithKeptPasswordAtMostEveryFiveMinutes() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.endSessions()
        let second = try await keeper.replace(keeper.session())
        #expect(try await keeper.send(get, as: second).response.status == 200)
        bench.server.endSessions()
        bench.clock.advance(by: 299)
        guard case .failure(.tooSoon) = await replace(keeper, second) else { throw Failure(.profile, "signed in again at once") }
        #expect(bench.server.count(KeeperBench.login) == 2)
        #expect(await keeper.snapshot.state == .signedIn)
        bench.clock.advance(by: 1)
        _ = try await keeper.replace(second)
        #expect(bench.server.count(KeeperBench.login) == 3)
        #expect(await keeper.snapshot.remembered)
    }

    /// After a manual sign-in, the daemon still waits before it uses the remembered password again.
    @Test func fiveMinuteLimitOutlivesAManualSignIn() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.endSessions()
        _ = try await keeper.replace(keeper.session())
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: true)
        bench.server.endSessions()
        bench.clock.advance(by: 6)
        guard case .failure(.tooSoon) = await replace(keeper, try keeper.session()) else {
            throw Failure(.profile, "signed in again at once")
        }
        #expect(bench.server.count(KeeperBench.login) == 3)
        bench.clock.advance(by: 294)
        _ = try await keeper.replace(keeper.session())
        #expect(bench.server.count(KeeperBench.login) == 4)
    }

    @Test func fiveMinuteLimitOutlivesARestart() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.endSessions()
        _ = try await keeper.replace(keeper.session())
        bench.server.endSessions()
        let again = try bench.keeper()
        guard case .failure(.tooSoon) = await replace(again, try again.session()) else {
            throw Failure(.profile, "signed in again at once")
        }
        #expect(bench.server.count(KeeperBench.login) == 2)
    }

    @Test func refusedRenewalForgetsPasswordAndIsNotRepeated() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.state.withLock { $0.passwords["ann@lab.test"] = "changed" }
        #expect(await replace(keeper, stale) == .failure(.signInRequired(reason: "Invalid Email or password.")))
        bench.clock.advance(by: 86_400)
        #expect(await replace(keeper, stale) == .failure(.signInRequired(reason: "Invalid Email or password.")))
        let again = try bench.keeper()
        #expect(await replace(again, stale) == .failure(.signInRequired(reason: "Invalid Email or password.")))
        #expect(await again.snapshot.remembered == false)
        #expect(bench.server.count(KeeperBench.login) == 2)
    }

    @Test func keepsThePasswordAfterARefusalThatIsNotDeclared() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.fault(KeeperBench.login) { answer(401, "", type: "text/plain") }
        for minutes in [5.0, 10, 20, 40, 60, 60] {
            guard case .failure(.tooSoon(let until, let failure)) = await replace(keeper, stale) else {
                throw Failure(.profile, "it was no pause")
            }
            #expect(until == bench.clock.now.addingTimeInterval(minutes * 60))
            #expect(failure.message == "the server refused the sign-in (401) and gave no reason.")
            bench.clock.advance(to: until)
        }
        #expect(await keeper.snapshot.remembered)
        bench.server.fault(KeeperBench.login, nil)
        #expect(try await replace(keeper, stale).get().generation > stale.generation)
    }

    /// If the deletion cannot be stored, the password must still not be used.
    @Test func forgetsRefusedPasswordOnFullDisk() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.state.withLock { $0.passwords["ann@lab.test"] = "changed" }
        bench.server.hold(KeeperBench.login)
        let renewal = Task { await replace(keeper, stale) }
        await bench.server.seen(KeeperBench.login, times: 2)
        try bench.store.refuse()
        bench.server.open()
        #expect(await renewal.value == .failure(.signInRequired(reason: "Invalid Email or password.")))
        #expect(await replace(keeper, stale) == .failure(.signInRequired(reason: "Invalid Email or password.")))
        try bench.store.accept()
        await keeper.flush()
        #expect(try await bench.keeper().snapshot.remembered == false)
        #expect(bench.server.count(KeeperBench.login) == 2)
    }

    @Test(arguments: [KeeperBench.health, KeeperBench.login])
    func unavailableBackendDoesNotSignOut(line: String) async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        let before = await keeper.snapshot
        bench.server.endSessions()
        bench.server.fault(line) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await replace(keeper, stale) == .failure(.unavailable(KeeperBench.offline)))
        for response in [answer(502, "<html>", type: "text/html"), answer(302), answer(503, "{}")] {
            bench.server.fault(line) { response }
            switch await replace(keeper, stale) {
            // After any answer to a sign-in, the daemon does not use the password for a while.
            case .failure(.unavailable), .failure(.tooSoon): break
            default: throw Failure(.profile, "\(response.status)")
            }
        }
        #expect(await keeper.snapshot.atFirst == before.atFirst)
        #expect(try await bench.keeper().snapshot.atFirst == before.atFirst)
    }

    @Test func signInThatNeverArrivedDoesNotStartTheFiveMinutes() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.endSessions()
        bench.server.fault(KeeperBench.login) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await replace(keeper, try keeper.session()) == .failure(.unavailable(KeeperBench.offline)))
        bench.server.fault(KeeperBench.login, nil)
        #expect(try await keeper.replace(keeper.session()).account == KeeperBench.ann)
    }

    /// The attempt is stored before it is sent, so a crash before the response does not lead to another sign-in.
    @Test func signInWithALostAnswerIsNotRepeatedAfterARestart() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let stale = try await keeper.session()
        let renewal = Task { await replace(keeper, stale) }
        await bench.server.seen(KeeperBench.login, times: 2)
        for _ in 0..<3 {
            let again = try bench.keeper()
            guard case .failure(.tooSoon) = await replace(again, try again.session()) else { throw Failure(.profile, "signed in again") }
        }
        #expect(bench.server.count(KeeperBench.login) == 2)
        bench.server.open()
        _ = await renewal.value
    }

    @Test func signInStartsTheFiveMinutesEvenIfItsHealthCheckFails() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let stale = try await keeper.session()
        bench.server.endSessions()
        bench.server.hold(KeeperBench.login)
        let renewal = Task { await replace(keeper, stale) }
        await bench.server.seen(KeeperBench.login, times: 2)
        bench.server.fault(KeeperBench.health) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        bench.server.open()
        #expect(await renewal.value == .failure(.unavailable(KeeperBench.offline)))
        bench.server.fault(KeeperBench.health, nil)
        bench.server.endSessions()
        guard case .failure(.tooSoon) = await replace(keeper, stale) else { throw Failure(.profile, "signed in again at once") }
        #expect(bench.server.count(KeeperBench.login) == 2)
    }

    @Test func refusesASessionThatNowNamesAnotherAccount() async throws {
        let keeper = try await bench.signedIn(remember: true)
        bench.server.fault(KeeperBench.health) { answer(200, #"{"currentUser":{"id":2}}"#) }
        guard case .failure(.signInRequired) = await replace(keeper, try keeper.session()) else { throw Failure(.profile, "used it") }
        #expect(await keeper.snapshot.state == .signInRequired)
    }

    @Test func reportsEveryChange() async throws {
        let keeper = try await bench.signedIn()
        bench.server.endSessions()
        _ = await replace(keeper, try keeper.session())
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        _ = try await keeper.signOut(allDevices: false) {}
        var states: [SessionSnapshot.State] = []
        for await snapshot in keeper.changes {
            states.append(snapshot.state)
            if states.count == 5 { break }
        }
        #expect(states == [.signedIn, .signInRequired, .signedIn, .signingOut, .signedOut])
    }
}
