import Backends
import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct SignInNoticeTests {
    let bench: TokenBench
    let asked = Requester(uid: 1000, pid: 42, name: "anna")
    let told = Told()

    init() throws { bench = try TokenBench() }

    final class Told: Sendable {
        private let list = Mutex<[SignInNotice]>([])
        var all: [SignInNotice] { list.withLock { $0 } }

        func teller(taking isTaken: Bool = true, first: @escaping @Sendable () -> Void = {}) -> SignInTeller {
            { notice in
                first()
                self.list.withLock { $0.append(notice) }
                return isTaken
            }
        }
    }

    private func signIn(_ keeper: SessionKeeper, remember: Bool = false) async throws {
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: remember, by: asked)
    }

    @Test func aSignInIsToldOnceByTheTimeItIsAnswered() async throws {
        let keeper = try bench.keeper()
        await keeper.tellSignIns(to: told.teller())
        try await signIn(keeper)
        #expect(told.all.map(\.account?.label) == ["ann@lab.test"])
        #expect(told.all.map(\.requester) == [asked])
        #expect(told.all.map(\.at) == [noon])
        try await bench.keeper().tellSignIns(to: told.teller())
        #expect(told.all.count == 1)
    }

    /// The daemon is killed right after the session was stored.
    @Test func aCrashBeforeAnybodyWasToldForgetsNothing() async throws {
        let keeper = try bench.keeper()
        try await signIn(keeper)
        let restarted = try bench.keeper()
        #expect(await restarted.snapshot.state == .signedIn)
        bench.clock.advance(by: 60)
        await restarted.tellSignIns(to: told.teller())
        #expect(told.all.map(\.requester) == [asked])
        #expect(told.all.map(\.at) == [noon], "it is told when it happened")
    }

    @Test func whatTheStoreRefusedIsToldAtTheNextStartThoughTheyHaveGone() async throws {
        let keeper = try bench.keeper()
        await keeper.tellSignIns(to: told.teller(taking: false))
        try await signIn(keeper)
        _ = try await keeper.signOut(allDevices: false) {}
        try await bench.keeper().tellSignIns(to: told.teller())
        #expect(told.all.map(\.requester) == [asked, asked])
        try await bench.keeper().tellSignIns(to: told.teller())
        #expect(told.all.count == 2)
    }

    @Test func aSignInWithTheKeptPasswordIsTheDaemonsOwn() async throws {
        let keeper = try bench.keeper("on_401: [refresh]", "on_401: [refresh, login]")
        await keeper.tellSignIns(to: told.teller())
        try await signIn(keeper, remember: true)
        bench.server.state.withLock { ($0.access, $0.refresh) = (nil, nil) }
        _ = try await keeper.replace(keeper.session())
        #expect(told.all.map(\.requester) == [asked, nil])
        #expect(told.all.map(\.account?.label) == ["ann@lab.test", "ann@lab.test"])
    }

    /// The daemon stops while the server is slow.
    @Test func aSignInThatLandsThoughItsCallerHasLeftIsToldBeforeItCounts() async throws {
        bench.server.state.withLock { $0.refresh = "from-the-app" }
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        await keeper.tellSignIns(to: told.teller())
        bench.server.hold(TokenBench.refresh)
        let caller = Task { [asked] in
            try await keeper.signIn(.refreshToken(Secret("from-the-app"), label: "ann"), remember: false, by: asked)
        }
        await bench.server.seen(TokenBench.refresh)
        keeper.stop()
        caller.cancel()
        _ = await caller.result
        bench.server.open()
        await keeper.landed()
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(told.all.map(\.requester) == [asked])
    }
}
