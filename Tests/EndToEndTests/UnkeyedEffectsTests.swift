import Sandbox
import Testing

@testable import homing_torture

@Suite struct UnkeyedEffectsTests {
    @Test func oneEffectPerEntryIsNoProblem() {
        let effects = judged([1, 2, 3], doubts: [2: 1])
        #expect(effects.problems(delivered: [1, 2, 3]).isEmpty)
        #expect((effects.duplicated, effects.duplicatedUncertain) == (0, 0))
    }

    @Test func uncertaintyAboutAnEntryExcusesItsDuplicates() {
        let effects = judged([1, 1, 1, 2], doubts: [1: 2])
        #expect(effects.problems(delivered: [1, 2]).isEmpty)
        #expect((effects.duplicated, effects.duplicatedUncertain) == (2, 2))
    }

    @Test func uncertaintyAboutAnotherEntryExcusesNothing() {
        let effects = judged([1, 1, 2], doubts: [2: 1])
        #expect(effects.problems(delivered: [1, 2]) == ["list 1 was created 2 times, but its entry was recorded as uncertain 0 times"])
        #expect((effects.duplicated, effects.duplicatedUncertain) == (1, 0))
    }

    @Test func oneUncertaintyExcusesOneDuplicate() {
        let effects = judged([1, 1, 1], doubts: [1: 1])
        #expect(effects.problems(delivered: [1]) == ["list 1 was created 3 times, but its entry was recorded as uncertain 1 times"])
        #expect((effects.duplicated, effects.duplicatedUncertain) == (2, 1))
    }

    @Test func duplicateDoesNotReplaceAMissingEffect() {
        let effects = judged([1, 1], doubts: [1: 1])
        #expect(effects.problems(delivered: [1, 2]) == ["list 2 is marked as delivered but was not created"])
    }

    @Test func effectWithoutSubmissionIsReported() {
        #expect(judged([1, 7], doubts: [:]).problems(delivered: [1]) == ["1 lists were created that were not submitted"])
    }

    private func judged(_ made: [Int], doubts: [Int: Int]) -> UnkeyedEffects {
        let digests = made.map { LedgerEntry.digest(of: JSON.object(["name": .string("list \($0)")]).bytes) }
        var effects = UnkeyedEffects(digests: digests, numbers: 1...3)
        effects.doubts = doubts
        return effects
    }
}
