import ControlAPI
import Testing

@testable import homing

@Suite struct SuccessorTests {
    private static let refusal = Problem(
        .wrongState, status: 409, title: "Not in this state", detail: "Entry \(Sample.id(7)) was discarded. Nothing was changed.",
        next: "To see its state, run: homing why \(Sample.id(7))")

    @Test func refusalNamesTheEntryThatReplacedThisOne() {
        var entry = Sample.entry(7, "discarded")
        entry.supersededBy = Sample.id(8)
        let problem = Self.refusal.naming(successorOf: entry)
        #expect(
            ProblemText(style: .plain).lines(problem) == """
                Entry 3f2a91c04b07 was corrected: entry 3f2a91c04b08 replaced it. Nothing was changed.
                To see the state of the new entry and the next step, run: homing why 3f2a91c04b08
                """)
        #expect(problem.supersededBy == Sample.id(8) && problem.code == .wrongState)
    }

    @Test func refusalForADiscardedEntryStaysAsItIs() {
        #expect(Self.refusal.naming(successorOf: Sample.entry(7, "discarded")) == Self.refusal)
    }
}
