import Synchronization
import Testing

@testable import SyncModel

@Suite struct ByteBudgetTests {
    private static let long = Duration.seconds(3600)

    @Test func refusesAfterTimeoutAndTakesNothing() async {
        let budget = ByteBudget(10)
        #expect(await budget.take(6, of: 1, within: Self.long))
        #expect(await budget.take(6, of: 2, within: .zero) == false)
        budget.release(6, of: 1)
        #expect(await budget.take(10, of: 2, within: .zero))
    }

    @Test func grantsWaitingTasksInOrder() async {
        let budget = ByteBudget(10)
        await budget.take(10)
        await withTaskGroup(of: Bool.self) { group in
            for amount in [4, 6] { group.addTask { await budget.take(amount, of: 1, within: Self.long) } }
            budget.release(10)
            for await isGranted in group { #expect(isGranted) }
        }
        #expect(await budget.take(1, of: 2, within: .zero) == false)
    }

    @Test func oneOwnerLeavesRoomForOthers() async throws {
        let budget = ByteBudget(10, ofOwner: 5)
        #expect(await budget.take(5, of: 1, within: Self.long))
        try #require(await budget.take(5, of: 1, within: .milliseconds(50)) == false)
        let second = Task { await budget.take(5, of: 1, within: Self.long) }
        // Whether the second request is queued by now or not, owner 1 does not block owner 2.
        #expect(await budget.take(5, of: 2, within: Self.long))
        second.cancel()
        #expect(await second.value == false)
    }

    @Test func grantsOversizedTaskAlone() async {
        let budget = ByteBudget(10)
        #expect(await budget.take(30, of: 1, within: .zero))
        #expect(await budget.take(1, of: 2, within: .zero) == false)
        budget.release(30, of: 1)
        #expect(await budget.take(1, of: 2, within: .zero))
    }

    @Test func cancelledTaskLeavesTheQueue() async {
        let budget = ByteBudget(10)
        await budget.take(10)
        let waiting = Task { await budget.take(10, of: 1, within: Self.long) }
        waiting.cancel()
        #expect(await waiting.value == false)
        budget.release(10)
        #expect(await budget.take(10, of: 2, within: .zero))
    }
}
