import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

/// Each imported refresh token can be used once.
@Suite struct ImportedTokenTests {
    let bench: TokenBench

    init() throws {
        bench = try TokenBench()
        bench.server.state.withLock { $0.refresh = "from-the-app" }
    }

    private func imported(_ keeper: SessionKeeper) async -> SignInError? {
        await failure { () throws(SignInError) in
            try await keeper.signIn(.refreshToken(Secret("from-the-app"), label: "ann@lab.test"), remember: false)
        }
    }

    private func withHealth() throws -> SessionKeeper {
        try bench.keeper("errors: {ok", "health: {request: GET /me, account: /id}\nerrors: {ok")
    }

    @Test func keepsTokenIfItsAccountCannotBeIdentified() async throws {
        guard case .unsupported? = await imported(try bench.keeper()) else {
            Issue.record("it was used")
            return
        }
        #expect(bench.server.log.isEmpty)
    }

    @Test func exchangedTokenOutlivesAFailureAndARestart() async throws {
        let keeper = try withHealth()
        bench.server.fault("GET /me") { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await imported(keeper) == .unavailable(KeeperBench.offline))
        #expect(await keeper.snapshot.state == .signedOut)
        let next = try withHealth()
        #expect(await imported(next) == nil)
        #expect(await next.snapshot.account == Account(id: "1", label: "ann@lab.test"))
        let tokens = bench.server.requests.filter { $0.url.hasSuffix("/refresh") }.compactMap {
            $0.body.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(tokens == [#"{"token":"from-the-app"}"#, #"{"token":"refresh-1"}"#])
    }

    @Test func signOutForgetsAnExchangedTokenWhileSignedOut() async throws {
        let keeper = try withHealth()
        bench.server.fault("GET /me") { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await imported(keeper) == .unavailable(KeeperBench.offline))
        #expect(try await keeper.signOut(allDevices: false) {} == SignOutOutcome(server: .none))
        #expect(await imported(try withHealth()) == .refused("Unknown token."))
    }

    @Test func exchangedTokenGoesToNoOtherAddress() async throws {
        bench.server.fault("GET /me") { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
        #expect(await imported(try withHealth()) == .unavailable(KeeperBench.offline))
        let moved = try bench.keeper(
            "request: POST /refresh\n", "request: POST https://evil.example.org/refresh\n    account: /user/id\n")
        #expect(await imported(moved) == .refused("Unknown token."))
        #expect(bench.server.requests.last?.body == Data(#"{"token":"from-the-app"}"#.utf8))
    }

    @Test func tokenOfAnotherAccountIsAConflict() async throws {
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        let (before, session) = (await keeper.snapshot, try await keeper.session())
        bench.server.fault(TokenBench.refresh) { _ in answer(200, #"{"access":"bobs","refresh":"bobs-next","user":{"id":"8"}}"#) }
        #expect(await imported(keeper) == .conflict(Account(id: "7", label: "ann@lab.test")))
        #expect(await keeper.snapshot == before)
        #expect(try await keeper.session() == session)
        #expect(try await bench.bearer(keeper) == "Bearer access-1")
    }

    private static let known = [Account(id: "7", label: "ann@lab.test"), Account(id: "8", label: "bob@lab.test")]

    private func imported(as label: String?, _ keeper: SessionKeeper, known: [Account] = known) async -> SignInError? {
        await failure { () throws(SignInError) in
            try await keeper.signIn(.refreshToken(Secret("from-the-app"), label: label), remember: false, known: known)
        }
    }

    /// Otherwise receipts would name the wrong person.
    @Test func refusesTokenUnderNameOfAnotherAccount() async throws {
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        #expect(await imported(as: " Bob@lab.test", keeper) == .labelTaken(" Bob@lab.test"))
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(await keeper.snapshot.account == nil)
        #expect(await imported(as: nil, keeper) == nil)
        #expect(await keeper.snapshot.account == Account(id: "7", label: "ann@lab.test"))
    }

    /// Otherwise the name would not match earlier receipts.
    @Test func accountKeepsItsName() async throws {
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        #expect(await imported(as: "front desk", keeper) == nil)
        #expect(await keeper.snapshot.account == Account(id: "7", label: "ann@lab.test"))
    }

    @Test func accountWithoutNameCanBeNamed() async throws {
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        #expect(await imported(as: "front desk", keeper, known: [Account(id: "7", label: "7")]) == nil)
        #expect(await keeper.snapshot.account == Account(id: "7", label: "front desk"))
    }

    @Test func namesAnUnknownAccountByItsId() async throws {
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        bench.server.fault(TokenBench.refresh) { _ in answer(200, #"{"access":"cys","refresh":"cys-next","user":{"id":"9"}}"#) }
        #expect(await imported(as: nil, keeper) == nil)
        #expect(await keeper.snapshot.account == Account(id: "9", label: "9"))
    }
}
