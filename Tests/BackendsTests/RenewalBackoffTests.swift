import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

@Suite struct RenewalBackoffTests {
    let bench: TokenBench

    init() throws { bench = try TokenBench() }

    private var refreshes: Int { bench.server.count(TokenBench.refresh) }

    private func fresh(_ keeper: SessionKeeper) async -> SessionError? {
        await failure { () throws(SessionError) in try await keeper.freshSession() }
    }

    @Test func honorsRetryAfterAndUsesAValidTokenMeanwhile() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { _ in answer(429, "{}", HeaderField("Retry-After", "3600")) }
        bench.clock.advance(to: noon.addingTimeInterval(800))
        for _ in 0..<40 { #expect(await fresh(keeper) == nil) }
        #expect(refreshes == 1)
        bench.clock.advance(to: noon.addingTimeInterval(900))
        keeper.hurry()
        let until = noon.addingTimeInterval(4400)
        for _ in 0..<40 {
            guard case .tooSoon(until, let failure)? = await fresh(keeper) else {
                Issue.record("asked again, or used a token that has ended")
                return
            }
            #expect(failure.reason == .signInRequired)
        }
        #expect(refreshes == 1)
        bench.clock.advance(to: until)
        #expect(await fresh(keeper) == nil)
        #expect(refreshes == 2)
    }

    @Test func pausesGrowUntilAPersonHurries() async throws {
        let keeper = try await bench.signedIn()
        let session = try await keeper.session()
        for seconds in [5.0, 10, 20, 40, 80, 160, 320, 600, 600] {
            bench.server.fault(TokenBench.refresh) { _ in answer(503, "{}") }
            let began = bench.clock.now
            let error = await failure { () throws(SessionError) in try await keeper.replace(session) }
            guard case .tooSoon(let until, let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(until == began.addingTimeInterval(seconds))
            #expect(failure.reason == .serverError)
            bench.clock.advance(to: until)
        }
        bench.server.fault(TokenBench.refresh) { _ in answer(503, "{}") }
        #expect(await fresh(keeper) != nil)
        #expect(refreshes == 10)
        keeper.hurry()
        #expect(await fresh(keeper) == nil)
        #expect(refreshes == 11)
    }

    /// Time offline must not lengthen the pause for a server that restarts.
    @Test func refreshesThatNeverArrivedDoNotLengthenThePause() async throws {
        let keeper = try await bench.signedIn()
        let session = try await keeper.session()
        for _ in 0..<8 {
            bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .unreachable(KeeperBench.offline) }
            let error = await failure { () throws(SessionError) in try await keeper.replace(session) }
            #expect(error == .unavailable(KeeperBench.offline))
        }
        bench.server.fault(TokenBench.refresh) { _ in answer(503, "{}") }
        let error = await failure { () throws(SessionError) in try await keeper.replace(session) }
        guard case .tooSoon(let until, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(until == bench.clock.now.addingTimeInterval(5))
    }

    @Test func doesNotRetryRefusedToken() async throws {
        let keeper = try await bench.signedIn()
        let session = try await keeper.session()
        bench.server.fault(TokenBench.refresh) { _ in answer(500, "{}") }
        _ = await failure { () throws(SessionError) in try await keeper.replace(session) }
        // The token is valid by the local clock, but the server refused it.
        guard case .tooSoon? = await fresh(keeper) else {
            Issue.record("the refused token was handed out")
            return
        }
        #expect(refreshes == 1)
    }

    @Test func pausesAfterALostAnswerToo() async throws {
        let keeper = try await bench.signedIn()
        for _ in 0..<2 {
            bench.server.fault(TokenBench.refresh) { _ throws(TransportError) in throw .lost(Failure(.lostAnswer, "Too slow.")) }
        }
        bench.clock.advance(to: noon.addingTimeInterval(800))
        for _ in 0..<10 { #expect(await fresh(keeper) == nil) }
        #expect(refreshes == 2)
    }

    @Test func signInEndsThePause() async throws {
        let keeper = try await bench.signedIn()
        bench.server.fault(TokenBench.refresh) { _ in answer(429, "{}", HeaderField("Retry-After", "3600")) }
        bench.clock.advance(to: noon.addingTimeInterval(901))
        #expect(await fresh(keeper) != nil)
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        #expect(await fresh(keeper) == nil)
        #expect(try await bench.bearer(keeper) == "Bearer access-2")
    }

    @Test func clockThatWasAheadDoesNotLengthenThePause() async throws {
        bench.clock.step(to: noon.addingTimeInterval(315_360_000))
        let keeper = try await bench.signedIn()
        let session = try await keeper.session()
        bench.server.fault(TokenBench.refresh) { _ in answer(429, "{}", HeaderField("Retry-After", "3600")) }
        _ = await failure { () throws(SessionError) in try await keeper.replace(session) }
        bench.clock.step(to: noon)
        #expect(await fresh(keeper) == nil)
        #expect(refreshes == 2)
    }

    @Test func startsNoRenewalWhileTheDaemonStops() async throws {
        let keeper = try await bench.signedIn()
        let session = try await keeper.session()
        keeper.stop()
        guard case .unavailable(let failure)? = await failure({ () throws(SessionError) in try await keeper.replace(session) })
        else {
            Issue.record("a renewal began")
            return
        }
        #expect(failure.reason == .stopping)
        #expect(refreshes == 0)
    }
}
