import Testing

@testable import SyncDaemon

@Suite struct SharedRunTests {
    /// Work that ends with its gate, or is cancelled.
    private static func waiting(_ gate: AsyncStream<Void>, _ value: Int) -> @Sendable () async -> Int {
        return {
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
        let values = await [first, second]
        #expect(values == [1, 1])
        let next = await run.value { 3 }
        #expect(next == 3)
    }

    @Test func runEndsWithItsLastCaller() async {
        let run = SharedRun<Int>()
        let (gate, end) = AsyncStream.makeStream(of: Void.self)
        let callers = [1, 2].map { _ in Task { await run.value(Self.waiting(gate, 1)) } }
        while run.callers < 2 { await Task.yield() }
        callers[0].cancel()
        while run.callers > 1 { await Task.yield() }
        callers[1].cancel()
        for caller in callers {
            let value = await caller.value
            #expect(value == -1)
        }
        let next = await run.value { 3 }
        #expect(next == 3)
        end.finish()
    }
}
