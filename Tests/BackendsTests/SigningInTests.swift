import Backends
import Foundation
import Outbox
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

struct SigningInTests {
    let bench: KeeperBench

    init() throws { bench = try KeeperBench() }

    private func signIn(_ keeper: SessionKeeper, _ email: String = "ann@lab.test", _ password: String = "right") async
        -> SignInError?
    {
        await failure { () throws(SignInError) in
            try await keeper.signIn(.password(email: email, Secret(password)), remember: false)
        }
    }

    @Test func signInSurvivesARestart() async throws {
        let keeper = try bench.keeper()
        #expect(await keeper.snapshot == SessionSnapshot(backend: "breathesafe", state: .signedOut))
        let snapshot = try await keeper.signIn(.password(email: " Ann@Lab.test ", Secret("right")), remember: true)
        var expected = SessionSnapshot(backend: "breathesafe", state: .signedIn, account: KeeperBench.ann)
        (expected.since, expected.remembered, expected.revision) = (noon, true, 1)
        #expect(snapshot == expected)
        let again = try bench.keeper()
        #expect(await again.snapshot.atFirst == snapshot.atFirst)
        #expect(try await again.session() == keeper.session())
        #expect(try await again.send(get, as: again.session()).response.status == 200)
    }

    @Test func storesNoSecretInPlainText() async throws {
        _ = try await bench.signedIn(remember: true)
        for name in try bench.store.folder.names {
            let bytes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: bench.store.folder(name))), as: UTF8.self)
            #expect(!bytes.contains("right") && !bytes.contains("cookie-"), "\(name)")
        }
    }

    @Test func wrongPasswordIsRefusedWithServerMessage() async throws {
        let keeper = try bench.keeper()
        #expect(await signIn(keeper, "ann@lab.test", "wrong") == .refused("Invalid Email or password."))
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(try bench.store.outbox.session(of: "breathesafe") == .none)
    }

    @Test func failedSignInKeepsTheSession() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let before = await keeper.snapshot
        #expect(await signIn(keeper, "ann@lab.test", "wrong") == .refused("Invalid Email or password."))
        #expect(await keeper.snapshot == before)
        #expect(try await keeper.send(get, as: keeper.session()).response.status == 200)
    }

    @Test func signInSendsNoCookiesEvenDuringASession() async throws {
        let keeper = try await bench.signedIn()
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        let sent = bench.server.state.withLock { state in zip(state.log, state.cookies).filter { $0.0 == KeeperBench.login }.map(\.1) }
        #expect(sent == ["", ""])
    }

    @Test func refusesASecondAccountWhileOneIsSignedIn() async throws {
        let keeper = try await bench.signedIn()
        #expect(await signIn(keeper, "bob@lab.test") == .conflict(KeeperBench.ann))
        #expect(bench.server.count(KeeperBench.login) == 1)
    }

    @Test func refusesAnAnswerForAnotherAccount() async throws {
        let keeper = try bench.keeper()
        bench.server.fault(KeeperBench.login) { answer(201, #"{"id":2,"email":"bob@lab.test"}"#) }
        guard case .misbehaved = await signIn(keeper) else { throw Failure(.profile, "believed") }
        bench.server.fault(KeeperBench.login) { answer(201, #"{"email":"ann@lab.test"}"#) }
        guard case .misbehaved = await signIn(keeper) else { throw Failure(.profile, "believed without an id") }
        #expect(bench.server.count(KeeperBench.health) == 0)
        // Without a cookie there is no session.
        bench.server.fault(KeeperBench.login) { answer(201, #"{"id":1,"email":"ann@lab.test"}"#) }
        guard case .misbehaved = await signIn(keeper) else { throw Failure(.profile, "believed without a session") }
        #expect(bench.server.count(KeeperBench.health) == 0)
        // The health route does not know this cookie.
        bench.server.fault(KeeperBench.login) {
            answer(201, #"{"id":1,"email":"ann@lab.test"}"#, HeaderField("Set-Cookie", "nobody=1; path=/"))
        }
        guard case .misbehaved = await signIn(keeper) else { throw Failure(.profile, "believed without a session") }
        #expect(bench.server.count(KeeperBench.health) == 1)
        #expect(await keeper.snapshot.state == .signedOut)
    }

    @Test(arguments: [
        (302, "", "text/html", Failure.Reason.intercepted), (200, "<html>", "text/html", .intercepted),
        (404, "<html>", "text/html", .intercepted),
        (500, "{}", "application/json", .serverError), (429, "{}", "application/json", .throttled),
        (404, "{}", "application/json", .profile), (405, "{}", "application/json", .profile),
        (408, "{}", "application/json", .serverError), (423, "<html>", "text/html", .intercepted),
    ])
    func answersThatAreNotAboutTheAccountAreUnavailable(status: Int, body: String, type: String, reason: Failure.Reason) async throws {
        let keeper = try bench.keeper()
        bench.server.fault(KeeperBench.login) { answer(status, body, type: type) }
        guard case .unavailable(let failure) = await signIn(keeper) else { throw Failure(.profile, "took it for a refusal") }
        #expect(failure.reason == reason)
    }

    @Test(arguments: [
        (423, #"{"error":"Too many tries."}"#), (401, #"{"error":"Your account is locked."}"#), (403, #"{"error":"ACCOUNT_LOCKED"}"#),
    ])
    func reportsALockedAccount(status: Int, body: String) async throws {
        let keeper = try bench.keeper("relogin: [", "relogin: [Too many tries., ACCOUNT_LOCKED, ")
        bench.server.fault(KeeperBench.login) { answer(status, body) }
        guard case .locked(let words) = await signIn(keeper) else { throw Failure(.profile, "took it for something else") }
        #expect(body.contains(words))
    }

    @Test func aWarningOfALockIsARefusal() async throws {
        let keeper = try bench.keeper()
        let words = "You have one more attempt before your account is locked."
        bench.server.fault(KeeperBench.login) { answer(401, #"{"error":"\#(words)"}"#) }
        #expect(await signIn(keeper) == .refused(words))
    }

    @Test func waitsAnHourAfterLockDuringRenewal() async throws {
        let keeper = try await bench.signedIn(remember: true)
        let session = try await keeper.session()
        bench.server.endSessions()
        bench.server.fault(KeeperBench.login) { answer(423, #"{"error":"Locked."}"#) }
        let error = await failure { () throws(SessionError) in try await keeper.replace(session) }
        guard case .tooSoon(let until, _)? = error else { throw Failure(.profile, "\(String(describing: error))") }
        #expect(until == noon.addingTimeInterval(3600))
        #expect(await keeper.snapshot.remembered)
    }

    @Test func messageSaysHowLongToWait() async throws {
        let keeper = try bench.keeper()
        for (status, after, minutes, wait) in [(429, "300", "5 minutes", 300), (503, "20", "a minute", 20)] {
            bench.server.fault(KeeperBench.login) {
                InboundResponse(
                    status: status,
                    headers: [HeaderField("Content-Type", "application/json"), HeaderField("Retry-After", after)],
                    body: Data(#"{"error":"Slow down"}"#.utf8))
            }
            guard case .unavailable(let failure) = await signIn(keeper) else { throw Failure(.profile, "took it for a refusal") }
            #expect(failure.reason == .throttled && failure.message == "Slow down. The next sign-in is possible in \(minutes).")
            #expect(failure.wait == wait)
        }
    }

    @Test func offlineIsUnavailable() async throws {
        let keeper = try bench.keeper()
        bench.server.fault(KeeperBench.login) { () throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await signIn(keeper) == .unavailable(KeeperBench.offline))
    }

    @Test func doesNotKeepAPasswordThatTheProfileNeverUses() async throws {
        let keeper = try bench.keeper("on_401: [login]", "on_401: []")
        #expect(try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: true).remembered == false)
    }

    @Test func changedAddressGetsNoCookiesAndOldOneRestoresSession() async throws {
        let before = try await bench.signedIn(remember: true).snapshot
        let moved = try bench.keeper("https://www.breathesafe.xyz", "https://evil.example")
        let snapshot = await moved.snapshot
        #expect(
            snapshot.state == .signInRequired && snapshot.reason == "the backend's address changed" && snapshot.account == nil)
        _ = await moved.probe()
        #expect(bench.server.state.withLock { $0.cookies.last } == "")
        #expect(
            await failure { () throws(SessionError) in try await moved.session() }
                == .signInRequired(reason: "the backend's address changed"))
        #expect(try await bench.keeper().snapshot.atFirst == before.atFirst)
    }

    @Test func distinguishesSameAccountNumberAtTwoAddresses() async throws {
        let keeper = try bench.store.keeper(breathesafe(), foreignTo: "https://old.test:443", bench.server, bench.clock)
        let snapshot = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        #expect(snapshot.account?.id == "1@https://www.breathesafe.xyz:443")
        let session = try await keeper.session()
        #expect(session.account.id == snapshot.account?.id)
        #expect(try await keeper.send(get, as: session).response.status == 200)
        // Without entries for the old address, the account has its plain number again.
        #expect(try await bench.keeper().snapshot.account?.id == "1")
    }

    @Test(arguments: ["zeroblob(40)", "substr(sealed, 1, length(sealed) - 1)"])
    func unreadableSessionRequiresSignIn(damaged: String) async throws {
        _ = try await bench.signedIn()
        try bench.store.write("UPDATE session SET sealed = \(damaged)")
        let keeper = try bench.keeper()
        let snapshot = await keeper.snapshot
        #expect(snapshot.state == .signInRequired && snapshot.reason == "the stored session cannot be read")
        #expect(await signIn(keeper) == nil)
        #expect(try await bench.keeper().snapshot.state == .signedIn)
    }

    @Test func refusesTheStoredSessionOfAnotherBackend() async throws {
        _ = try await bench.signedIn()
        try bench.store.write("INSERT INTO session (backend, sealed) SELECT 'other', sealed FROM session")
        let other = edited("name: breathesafe", "name: other")
        let keeper = try bench.store.keeper(load(["other.yaml": other])[0], bench.server, bench.clock)
        #expect(await keeper.snapshot.state == .signInRequired)
    }
}
