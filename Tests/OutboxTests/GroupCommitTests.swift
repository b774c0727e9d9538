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
}
