import Backends
import Foundation
import Outbox
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Sessions

/// A change of a session, its event and the account's label are one transaction.
@Suite struct SessionStoringTests {
    let bench: TokenBench
    let asked = Requester(uid: 1000, pid: 42, name: "anna")

    init() throws { bench = try TokenBench() }

    private var store: SessionStore { bench.store }

    private func signIn(_ keeper: SessionKeeper, remember: Bool = false) async throws {
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: remember, by: asked)
    }

    private func signedIn(_ old: String = "schema: 1", _ new: String = "schema: 1") async throws -> SessionKeeper {
        let keeper = try bench.keeper(old, new)
        try await signIn(keeper)
        return keeper
    }

    private func submit(_ count: Int, account: AccountID = "7") async throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<count {
            let mutation = Mutation(
                id: MutationID(at: noon, using: &generator), destination: Destination(backend: "tok", account: account), lane: "l",
                route: "note", payload: Data("{}".utf8), capturedAt: noon)
            _ = try await store.outbox.enqueue(mutation, at: noon)
        }
    }

    private func undelivered(_ account: AccountID = "7") async throws -> Int {
        try await store.outbox.tallies().undelivered(Destination(backend: "tok", account: account))
    }

    private static let drop = "json_all: {all: true}\n    outbox: drop"
    private func discarding() -> SignOutRequest { SignOutRequest(by: asked, mayDiscard: true) }

    // MARK: Signing in

    @Test func recordsTheSignInAndTheLabelWithTheSession() async throws {
        _ = try await signedIn()
        let events = try await store.events(.signedIn)
        #expect(events.map(\.detail) == [["by": "uid 1000, pid 42", "email": "ann@lab.test"]])
        #expect(events.map(\.account) == ["7"])
        #expect(try await store.outbox.accountLabels() == [Destination(backend: "tok", account: "7"): "ann@lab.test"])
        _ = try bench.keeper()
        #expect(try await store.events(.signedIn).count == 1)
    }

    @Test func refusesASignInThatCannotBeStored() async throws {
        try store.refuse()
        let keeper = try bench.keeper()
        let error = await failure { () throws(SignInError) in
            try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        }
        guard case .unsaved? = error else { throw Failure(.profile, "it was accepted: \(String(describing: error))") }
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(try await store.events(.signedIn).isEmpty)
        #expect(try await store.outbox.accountLabels().isEmpty)
    }

    @Test func recordsDaemonAsRequesterOfKeptPasswordSignIn() async throws {
        let keeper = try bench.keeper("on_401: [refresh]", "on_401: [refresh, login]")
        try await signIn(keeper, remember: true)
        bench.server.state.withLock { ($0.access, $0.refresh) = (nil, nil) }
        _ = try await keeper.replace(keeper.session())
        let events = try await store.events(.signedIn)
        #expect(events.map { $0.detail["way"] } == [nil, "kept password"])
        #expect(events.last?.detail["by"] == Requester.daemon.description)
    }

    @Test func completesSignInOfCancelledCaller() async throws {
        bench.server.state.withLock { $0.refresh = "from-the-app" }
        let keeper = try bench.keeper("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
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
        #expect(try await store.events(.signedIn).count == 1)
    }

    // MARK: Signing out

    @Test func discardsTheEntriesOfTheAccountWithTheSession() async throws {
        let keeper = try await signedIn("json_all: {all: true}", Self.drop)
        try await submit(3)
        try await submit(1, account: "8")
        let outcome = try await keeper.signOut(discarding()) {}
        #expect(outcome == SignOutOutcome(server: .ended, account: Account(id: "7", label: "ann@lab.test"), discarded: 3))
        #expect(try await undelivered() == 0)
        #expect(try await undelivered("8") == 1)
        #expect(try await store.events(.discarded).map { $0.detail["by"] } == Array(repeating: "uid 1000, pid 42", count: 3))
        let detail = ["by": "uid 1000, pid 42", "email": "ann@lab.test", "server": "ended", "discarded": "3"]
        #expect(try await store.events(.signedOut).map(\.detail) == [detail])
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test(arguments: [(false, Self.drop), (true, "json_all: {all: true}")])
    func keepsTheEntriesUnlessBothProfileAndRequesterDiscard(mayDiscard: Bool, profile: String) async throws {
        let keeper = try await signedIn("json_all: {all: true}", profile)
        try await submit(2)
        #expect(try await keeper.signOut(SignOutRequest(by: asked, mayDiscard: mayDiscard)) {}.discarded == 0)
        #expect(try await undelivered() == 2)
        #expect(try await store.events(.signedOut).map { $0.detail["discarded"] } == [nil])
    }

    @Test func twoSignOutsAtOnceDiscardOnce() async throws {
        let keeper = try await signedIn("json_all: {all: true}", Self.drop)
        try await submit(2)
        bench.server.hold(TokenBench.logout)
        async let first = keeper.signOut(discarding()) {}
        await bench.server.seen(TokenBench.logout)
        async let second = keeper.signOut(discarding()) {}
        await pauseBriefly()
        bench.server.open()
        #expect(try await first.discarded == 2)
        _ = try await second
        #expect(try await store.events(.signedOut).count == 1)
    }

    @Test func refusesToSignOutAnotherAccountOrWithUndeliveredEntries() async throws {
        let keeper = try await signedIn("json_all: {all: true}", "json_all: {all: true}\n    outbox: refuse")
        try await submit(3)
        let other = await failure { () throws(SignOutError) in try await keeper.signOut(SignOutRequest(account: "8")) {} }
        #expect(other == .otherAccount(Account(id: "7", label: "ann@lab.test")))
        let unsent = await failure { () throws(SignOutError) in try await keeper.signOut(SignOutRequest(by: asked)) {} }
        #expect(unsent == .unsent(3))
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(bench.server.count(TokenBench.logout) == 0)
        #expect(
            try await store.events(.signOutFailed).map { $0.detail["reason"] } == [
                "the request named another account", "3 entries are waiting, and the profile forbids signing out before delivery",
            ])
        #expect(try await keeper.signOut(SignOutRequest(force: true, by: asked)) {}.server == .ended)
        #expect(try await undelivered() == 3)
    }

    enum Moment: CaseIterable { case draining, telling, told }

    @Test(arguments: Moment.allCases) func crashDuringASignOutCompletesIt(moment: Moment) async throws {
        let keeper = try await signedIn("json_all: {all: true}", Self.drop)
        try await submit(2)
        let image = Mutex<SessionStore?>(nil)
        // `try?`: a missing image fails the test.
        let crash: @Sendable () -> Void = { [store] in image.withLock { $0 = try? store.crashed() } }
        if moment == .telling {
            bench.server.fault(TokenBench.logout) { _ in
                crash()
                return answer(204)
            }
        }
        _ = try await keeper.signOut(discarding()) { if moment == .draining { crash() } }
        if moment == .told { crash() }
        let after = try #require(image.withLock { $0 })
        let requests = bench.server.log.count
        let restarted = try after.keeper(keeper.backend, bench.server, bench.clock)
        await restarted.completeSignOut()
        #expect(await restarted.snapshot.state == .signedOut)
        #expect(bench.server.log.count == requests, "the server is not told again")
        #expect(try await after.outbox.tallies().undelivered(Destination(backend: "tok", account: "7")) == 0)
        let detail = [
            "by": "uid 1000, pid 42", "email": "ann@lab.test", "server": moment == .told ? "ended" : "unknown", "discarded": "2",
        ]
        #expect(try await after.events(.signedOut).map(\.detail) == [detail])
        await (try after.keeper(keeper.backend, bench.server, bench.clock)).completeSignOut()
        #expect(try await after.events(.signedOut).count == 1)
    }

    // MARK: Rosters

    private let people = RosterKey(destination: Destination(backend: "tok", account: "7"), resource: "people")

    private func storeRoster() async throws -> RosterStored {
        let row = RosterRow(id: "28", label: "Anna Example", folded: "anna example", kept: [])
        let read = RosterRead(key: people, rule: Data(), beganAt: noon, readAt: noon, pages: [(etag: nil, rows: [row])], total: 1)
        return try await store.outbox.store(read, at: noon)
    }

    private func rosters() async throws -> Int { try await store.outbox.rosterHeads(of: people.destination).count }

    @Test(arguments: [true, false]) func signOutDeletesRostersUnlessAskedToKeepThem(keepData: Bool) async throws {
        let keeper = try await signedIn()
        #expect(try await storeRoster() == .changed(RosterDifference(rows: 1, added: 1)))
        #expect(try await keeper.signOut(SignOutRequest(by: asked, keepData: keepData)) {}.keptData == keepData)
        #expect(try await rosters() == (keepData ? 1 : 0))
        #expect(try await storeRoster() == .notSignedIn)
        try await signIn(keeper)
        #expect(try await rosters() == (keepData ? 1 : 0))
        _ = try await keeper.signOut(SignOutRequest(by: asked)) {}
        #expect(try await rosters() == 0)
    }

    @Test func sessionThatEndsKeepsRostersForTheSameAccount() async throws {
        let keeper = try await signedIn()
        _ = try await storeRoster()
        bench.server.state.withLock { $0.refresh = nil }
        _ = await failure { () throws(SessionError) in try await keeper.replace(keeper.session()) }
        #expect(await keeper.snapshot.state == .signInRequired)
        #expect(try await rosters() == 1)
        try await signIn(keeper)
        #expect(try await rosters() == 1)
    }

    /// - Parameter isFull: the end of the session cannot be stored, but the next sign-in can.
    @Test(arguments: [true, false]) func answerOfAnotherAccountDeletesRosters(isFull: Bool) async throws {
        let keeper = try await signedIn()
        _ = try await storeRoster()
        if isFull { try store.refuse() }
        let generation = try await keeper.session().generation
        #expect(await keeper.confirm("8", generation: generation) == false)
        #expect(try await rosters() == (isFull ? 1 : 0))
        if isFull { try store.accept() } else { #expect(try await storeRoster() == .notSignedIn) }
        try await signIn(keeper)
        #expect(try await rosters() == 0)
        #expect(try await storeRoster() == .changed(RosterDifference(rows: 1, added: 1)))
    }

    // MARK: A store that refuses

    @Test func signOutThatCannotBeginChangesNothing() async throws {
        let keeper = try await signedIn()
        try store.refuse()
        let error = await failure { () throws(SignOutError) in try await keeper.signOut(SignOutRequest()) {} }
        guard case .unsaved? = error else { throw Failure(.profile, "it began") }
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(bench.server.count(TokenBench.logout) == 0)
        try store.accept()
        #expect(try await keeper.signOut(SignOutRequest()) {}.server == .ended)
    }

    enum NextChance: CaseIterable { case signOut, signIn, restart }

    @Test(arguments: NextChance.allCases) func signOutThatCannotEndEndsAtTheNextChance(next: NextChance) async throws {
        let keeper = try await signedIn("json_all: {all: true}", Self.drop)
        try await submit(2)
        let error = await failure { () throws(SignOutError) in
            try await keeper.signOut(discarding()) { [store] in
                // `try?`: if it fails, so does the test.
                try? store.refuse()
            }
        }
        guard case .unsaved? = error else { throw Failure(.profile, "it was stored") }
        #expect(await keeper.snapshot.state == .signingOut)
        #expect(bench.server.count(TokenBench.logout) == 1)
        // Without credentials nothing is sent.
        let requests = bench.server.log.count
        #expect(await failure { () throws(SessionError) in try await keeper.freshSession() } == .signingOut)
        #expect(bench.server.log.count == requests)
        try store.accept()
        switch next {
        case .signOut: #expect(try await keeper.signOut(discarding()) {}.discarded == 2)
        case .signIn: try await signIn(keeper)
        case .restart: await (try bench.keeper("json_all: {all: true}", Self.drop)).completeSignOut()
        }
        #expect(try await undelivered() == 0)
        // A restart only knows what it discards itself.
        #expect(try await store.events(.signedOut).map { $0.detail["discarded"] } == [next == .restart ? "0" : "2"])
    }

    @Test func signOutOfAnotherAccountDoesNotEndAnUnstoredOne() async throws {
        let keeper = try await signedIn()
        _ = await failure { () throws(SignOutError) in
            // `try?`: if it fails, so does the test.
            try await keeper.signOut(SignOutRequest()) { [store] in try? store.refuse() }
        }
        try store.accept()
        let other = await failure { () throws(SignOutError) in try await keeper.signOut(SignOutRequest(account: "8")) {} }
        #expect(other == .otherAccount(Account(id: "7", label: "ann@lab.test")))
        #expect(await keeper.snapshot.state == .signingOut)
        _ = try await keeper.signOut(SignOutRequest(account: "7")) {}
        #expect(await keeper.snapshot.state == .signedOut)
    }

    @Test func restartOnAFullDiskSignsOutAndForgetsTheCredentials() async throws {
        let keeper = try await signedIn()
        let image = Mutex<SessionStore?>(nil)
        _ = try await keeper.signOut(allDevices: false) { [store] in
            // `try?`: a missing image fails the test.
            image.withLock { $0 = try? store.crashed() }
        }
        let after = try #require(image.withLock { $0 })
        try after.refuse()
        let restarted = try after.keeper(keeper.backend, bench.server, bench.clock)
        #expect(await restarted.snapshot.state == .signingOut)
        #expect(await failure { () throws(SessionError) in try await restarted.session() } == .signingOut)
        await restarted.completeSignOut()
        #expect(await restarted.snapshot.state == .signingOut)
        try after.accept()
        await restarted.completeSignOut()
        #expect(await restarted.snapshot.state == .signedOut)
    }

    @Test func keptSessionThatCannotBeStoredStaysSignedIn() async throws {
        let keeper = try await signedIn("on_failure: clear", "on_failure: keep")
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        let error = await failure { () throws(SignOutError) in
            // `try?`: if it fails, so does the test.
            try await keeper.signOut(SignOutRequest()) { [store] in try? store.refuse() }
        }
        guard case .unsaved? = error else { throw Failure(.profile, "it was stored") }
        #expect(await keeper.snapshot.state == .signedIn)
        try store.accept()
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        await #expect(throws: SignOutError.kept("The backend answered 500.")) { try await keeper.signOut(SignOutRequest()) {} }
        #expect(try await bench.keeper("on_failure: clear", "on_failure: keep").snapshot.state == .signedIn)
        #expect(try await store.events(.signOutFailed).last?.detail["reason"] == "The backend answered 500.")
    }

    @Test func recordsTheEndOfASession() async throws {
        let keeper = try await signedIn()
        bench.server.state.withLock { $0.refresh = nil }
        _ = await failure { () throws(SessionError) in try await keeper.replace(keeper.session()) }
        let events = try await store.events(.signInRequired)
        #expect(events.map(\.detail) == [["reason": "Unknown token.", "email": "ann@lab.test"]])
        #expect(events.map(\.account) == ["7"])
    }

    @Test func recordsTheEndOfASessionOnceItCanBeStored() async throws {
        let keeper = try await signedIn()
        bench.server.state.withLock { $0.refresh = nil }
        bench.server.hold(TokenBench.refresh)
        let renewal = Task { await failure { () throws(SessionError) in try await keeper.replace(keeper.session()) } }
        await bench.server.seen(TokenBench.refresh)
        try store.refuse()
        bench.server.open()
        #expect(await renewal.value == .signInRequired(reason: "Unknown token."))
        #expect(try await store.events(.signInRequired).isEmpty)
        try store.accept()
        await keeper.flush()
        #expect(try await store.events(.signInRequired).count == 1)
        #expect(try await bench.keeper().snapshot.state == .signInRequired)
    }

    @Test func keepsAnExchangedTokenThatCouldNotBeStored() async throws {
        bench.server.state.withLock { $0.refresh = "from-the-app" }
        let edit = ("request: POST /refresh\n", "request: POST /refresh\n    account: /user/id\n")
        let keeper = try bench.keeper(edit.0, edit.1)
        let method = SignInMethod.refreshToken(Secret("from-the-app"), label: "ann")
        try store.refuse()
        let error = await failure { () throws(SignInError) in try await keeper.signIn(method, remember: false) }
        guard case .unsaved? = error else { throw Failure(.profile, "it was stored") }
        try store.accept()
        await keeper.flush()
        let restarted = try bench.keeper(edit.0, edit.1)
        #expect(try await restarted.signIn(method, remember: false).state == .signedIn)
    }

    @Test func signOutOfAnotherAccountDoesNotJoin() async throws {
        let keeper = try await signedIn()
        bench.server.hold(TokenBench.logout)
        async let first = keeper.signOut(SignOutRequest()) {}
        await bench.server.seen(TokenBench.logout)
        let other = await failure { () throws(SignOutError) in try await keeper.signOut(SignOutRequest(account: "8")) {} }
        #expect(other == .otherAccount(Account(id: "7", label: "ann@lab.test")))
        bench.server.open()
        #expect(try await first.server == .ended)
    }
}
