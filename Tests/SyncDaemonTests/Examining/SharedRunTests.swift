import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(60))) struct SharedRunTests {
    /// Work that ends with its gate, or is cancelled.
    private static func waiting(_ gate: AsyncStream<Void>, _ value: Int) -> @Sendable () async -> Int {
        {
            for await _ in gate {}
            return Task.isCancelled ? -1 : value
        }
    }

    @Test func callersShareARun() async {
        let run = SharedRun<Int>()
        let (gate, end) = AsyncStream.makeStream(of: Void.self)
        async let first = run.value(Self.waiting(gate, 1))
        while run.callers < 1 { await Task.yield() }
        async let second = run.value { 2 }
        while run.callers < 2 { await Task.yield() }
        end.finish()
        #expect(await [first, second] == [1, 1])
        #expect(await run.value { 3 } == 3)
    }

    @Test func runEndsWithItsLastCaller() async {
        let run = SharedRun<Int>()
        let (gate, end) = AsyncStream.makeStream(of: Void.self)
        let callers = [1, 2].map { _ in Task { await run.value(Self.waiting(gate, 1)) } }
        while run.callers < 2 { await Task.yield() }
        callers[0].cancel()
        while run.callers > 1 { await Task.yield() }
        callers[1].cancel()
        for caller in callers { #expect(await caller.value == -1) }
        #expect(await run.value { 3 } == 3)
        end.finish()
    }
}
