import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct GroupCommitTests {
    @Test(arguments: [
        (true, true, [GroupCommit.Step.all, .mandatoryOnly, .withReserve, .fastDelete]),
        (true, false, [.all, .mandatoryOnly, .fastDelete]),
        (false, true, [.all, .withReserve, .fastDelete]),
        (false, false, [.all, .fastDelete]),
    ])
    func triesEachStepOnceOnAFullDisk(hasSubmissions: Bool, hasReserve: Bool, steps: [GroupCommit.Step]) {
        var hasSubmissions = hasSubmissions
        var taken = [GroupCommit.Step.all]
        while let next = taken.last?.next(hasSubmissions: hasSubmissions, hasReserve: hasReserve) {
            taken.append(next)
            hasSubmissions = false
        }
        #expect(taken == steps)
    }

    private struct Refused: Error {}

    /// Alone, and in batches.
    @Test(arguments: [1, 40]) func rollsBackOnlyWorkThatThrows(count: Int) async throws {
        let store = try Store()
        let now = store.clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                group.addTask {
                    do {
                        try await store.outbox.commits.submit(isMandatory: true) { db in
                            try Outbox.insert(SyncEvent(at: now, .denied, detail: ["call": String(number)]), db)
                            if number % 2 == 1 { throw Refused() }
                        }
                        #expect(number % 2 == 0)
                    } catch is Refused {}
                }
            }
            try await group.waitForAll()
        }
        let calls = try await store.outbox.events(since: 0, limit: 100).compactMap { Int($0.detail["call"] ?? "") }
        #expect(calls.sorted() == (1...count).filter { $0 % 2 == 0 })
    }
}
