import Backends
import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct SignOutAftermathTests {
    let bench: TokenBench
    let asked = Requester(uid: 1000, pid: 42, name: "anna")
    let told = Told()

    init() throws { bench = try TokenBench() }

    /// Records the errands. A nil count stands for a store that fails.
    final class Told: Sendable {
        private let list = Mutex<[SignOutAftermath]>([])
        var all: [SignOutAftermath] { list.withLock { $0 } }

        func errands(dropping count: Int? = 2, first: @escaping @Sendable () -> Void = {}) -> SignOutErrands {
            SignOutErrands(settle: { aftermath in
                first()
                self.list.withLock { $0.append(aftermath) }
                return count
            })
        }
    }

    private var session: String { bench.folder("tok.session") }
    /// A folder at this path makes storing a session fail, like a full disk.
    private func fillDisk() throws {
        try FileManager.default.createDirectory(atPath: session + ".tmp", withIntermediateDirectories: false)
    }
    private func emptyDisk() throws { try FileManager.default.removeItem(atPath: session + ".tmp") }

    @Test func theAnswerNamesWhoeverWasSignedOutAndWhatWasDropped() async throws {
        let keeper = try await bench.signedIn()
        let outcome = try await keeper.signOut(allDevices: false, by: asked, dropsEntries: true, errands: told.errands()) {}
        #expect(outcome.account?.label == "ann@lab.test")
        #expect(outcome.dropped == 2)
        #expect(told.all.map(\.requester) == [asked])
        #expect(told.all.map(\.dropsEntries) == [true])
        #expect(told.all.map(\.server) == ["ended"])
        let next = try bench.keeper()
        await next.finishSignOuts(told.errands())
        #expect(told.all.count == 1)
    }

    @Test func twoAtOnceDropOnce() async throws {
        let keeper = try await bench.signedIn()
        bench.server.hold(TokenBench.logout)
        async let first = keeper.signOut(allDevices: false, by: asked, dropsEntries: true, errands: told.errands()) {}
        await bench.server.seen(TokenBench.logout)
        async let second = keeper.signOut(allDevices: false, by: asked, dropsEntries: true, errands: told.errands()) {}
        await pauseBriefly()
        bench.server.open()
        #expect(try await first.dropped == 2)
        _ = try await second
        #expect(told.all.count == 1)
    }

    @Test func whatTheStoreRefusedIsDoneAtTheNextStart() async throws {
        let keeper = try await bench.signedIn()
        let outcome = try await keeper.signOut(
            allDevices: false, by: asked, dropsEntries: true, errands: told.errands(dropping: nil)
        ) {}
        #expect(outcome == SignOutOutcome(server: .ended, account: outcome.account, dropped: 0))
        let next = try bench.keeper()
        await next.finishSignOuts(told.errands())
        #expect(told.all.count == 2)
        #expect(told.all.last?.requester == asked)
        #expect(told.all.last?.dropsEntries == true)
        let third = try bench.keeper()
        await third.finishSignOuts(told.errands())
        #expect(told.all.count == 2)
    }

    enum Moment: CaseIterable { case draining, telling, settling }

    @Test(arguments: Moment.allCases) func aCrashForgetsNeitherWhoseNorWhoAskedNorTheDrop(moment: Moment) async throws {
        let after = try TokenBench()
        let (from, to) = (session, after.folder("tok.session"))
        // `try?`: a missing file fails the test.
        let crash: @Sendable () -> Void = { try? FileManager.default.copyItem(atPath: from, toPath: to) }
        let keeper = try await bench.signedIn()
        if moment == .telling {
            bench.server.fault(TokenBench.logout) { _ in
                crash()
                return answer(204)
            }
        }
        let errands = Told().errands { if moment == .settling { crash() } }
        _ = try await keeper.signOut(allDevices: false, by: asked, dropsEntries: true, errands: errands) {
            if moment == .draining { crash() }
        }
        let backend = keeper.backend
        let restarted = try SessionKeeper(
            backend: backend, directory: after.folder.path, vault: bench.vault, transport: after.server, clock: after.clock)
        #expect(await restarted.snapshot.state == .signedOut)
        await restarted.finishSignOuts(told.errands())
        #expect(told.all.map(\.account?.label) == ["ann@lab.test"])
        #expect(told.all.map(\.requester) == [asked])
        #expect(told.all.map(\.dropsEntries) == [true])
        #expect(told.all.map(\.server) == [moment == .settling ? "ended" : "unknown"])
    }

    @Test func whoeverIsBackBeforeTheDropKeepsTheirEntries() async throws {
        let keeper = try await bench.signedIn()
        _ = try await keeper.signOut(allDevices: false, by: asked, dropsEntries: true, errands: told.errands(dropping: nil)) {}
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        let next = try bench.keeper()
        await next.finishSignOuts(told.errands())
        #expect(told.all.map(\.dropsEntries) == [true, false])
    }

    @Test func anAccountThatIsNotAdmittedStaysSignedIn() async throws {
        let keeper = try await bench.signedIn()
        let errands = SignOutErrands(admit: { _ throws(SignOutError) in throw .unsent(3) })
        let error = await failure { () throws(SignOutError) in try await keeper.signOut(allDevices: false, errands: errands) {} }
        #expect(error == .unsent(3))
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(bench.server.count(TokenBench.logout) == 0)
    }

    // MARK: A full disk

    @Test(arguments: [true, false]) func aFullDiskKeepsNobodySignedIn(isFullFromTheStart: Bool) async throws {
        let keeper = try await bench.signedIn()
        if isFullFromTheStart { try fillDisk() }
        let path = session + ".tmp"
        let outcome = try await keeper.signOut(allDevices: false) {
            // `try?`: it may exist already.
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(outcome.server == .ended)
        #expect(await keeper.snapshot.state == .signedOut)
        #expect(!FileManager.default.fileExists(atPath: session))
        #expect(try await bench.keeper().snapshot.state == .signedOut)
        try emptyDisk()
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        #expect(try await bench.keeper().snapshot.state == .signedIn)
    }

    @Test func whereTheSessionMayBeKeptAFullDiskChangesNothing() async throws {
        let keeper = try await bench.signedIn("on_failure: clear", "on_failure: keep")
        try fillDisk()
        let error = await failure { () throws(SignOutError) in try await keeper.signOut(allDevices: false) {} }
        guard case .unsaved? = error else { throw Failure(.profile, "it was signed out") }
        #expect(await keeper.snapshot.state == .signedIn)
        #expect(FileManager.default.fileExists(atPath: session))
    }

    @Test func aKeptSessionThatCannotBeStoredIsSignedInHereAndNotStuck() async throws {
        let keeper = try await bench.signedIn("on_failure: clear", "on_failure: keep")
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        let path = session + ".tmp"
        let error = await failure { () throws(SignOutError) in
            try await keeper.signOut(allDevices: false) {
                // `try?`: if it fails, so does the test.
                try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        }
        guard case .unsaved? = error else { throw Failure(.profile, "it was stored") }
        #expect(await keeper.snapshot.state == .signedIn)
        try emptyDisk()
        bench.server.fault(TokenBench.logout) { _ in answer(500, "{}") }
        await #expect(throws: SignOutError.kept("The backend answered 500.")) { try await keeper.signOut(allDevices: false) {} }
        #expect(try await bench.keeper().snapshot.state == .signedIn)
    }

    @Test func aSignOutIsFinishedAtTheStartOnAFullDiskToo() async throws {
        let keeper = try await bench.signedIn()
        let path = session
        let held = Mutex(Data())
        _ = try await keeper.signOut(allDevices: false, by: asked) {
            // `try?`: empty data fails the test.
            held.withLock { $0 = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data() }
        }
        try held.withLock { $0 }.write(to: URL(fileURLWithPath: session))
        try fillDisk()
        let restarted = try bench.keeper()
        #expect(await restarted.snapshot.state == .signedOut)
        #expect(!FileManager.default.fileExists(atPath: session))
        await restarted.finishSignOuts(told.errands())
        #expect(told.all.map(\.requester) == [asked])
    }
}
