import SyncModel
import TestSupport
import Testing

@Suite struct VerdictTests {
    @Test(arguments: [(0, 0), (499, 499), (500, 500), (501, 500), (100_000, 500)])
    func aMessageHasAtMostFiveHundredCharacters(given: Int, kept: Int) {
        let failure = Failure(.serverError, String(repeating: "ü", count: given))
        #expect(failure.message.count == kept)
        #expect(failure.message.hasSuffix("…") == (given > 500))
    }

    @Test func everyVerdictButAcceptanceSaysWhy() {
        let failure = Samples.failure
        let at = Samples.receipt.at
        let all: [Verdict] = [
            .transient(failure), .throttled(failure, until: at), .locked(failure, until: at), .permanent(failure), .forbidden(failure),
            .unauthorized(failure),
            .unreachable(failure), .intercepted(failure), .unknown(failure),
        ]
        #expect(all.allSatisfy { $0.failure == failure })
        #expect(Verdict.accepted(Samples.receipt).failure == nil)
        #expect(Set(all.map(\.name)).count == all.count)
    }

    @Test func onlyWhatAWellBackendCouldNotTakeCounts() {
        let entry = Entry(sequence: 1, mutation: Samples.mutation(1), dueAt: Samples.receipt.at)
        let at = Samples.receipt.at
        func counts(_ settlement: Settlement, _ verdict: Verdict?) -> Bool {
            Settled(entry, settlement, attempt: verdict.map { AttemptRecord(startedAt: at, endedAt: at, verdict: $0) }).counts
        }
        let failure = Samples.failure
        #expect(counts(.retry(at: at, failure), .transient(failure)))
        #expect(counts(.dead(failure), .transient(failure)))
        #expect(counts(.dead(failure), .unknown(failure)))
        #expect(!counts(.dead(failure), .permanent(failure)))
        #expect(!counts(.dead(failure), nil))
        #expect(!counts(.released(until: at, failure), .unreachable(failure)))
        #expect(!counts(.held(.forbidden, failure), .forbidden(failure)))
        #expect(!counts(.delivered(Samples.receipt), .accepted(Samples.receipt)))
    }
}
