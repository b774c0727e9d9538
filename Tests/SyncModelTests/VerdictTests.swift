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

    @Test func everyVerdictExceptAcceptedHasAFailure() {
        let failure = Samples.failure
        let at = Samples.receipt.at
        let all: [Verdict] = [
            .transient(failure), .throttled(failure, until: at), .locked(failure, until: at), .permanent(failure), .forbidden(failure),
            .unauthorized(failure), .unreachable(failure), .intercepted(failure), .unknown(failure), .unseen(failure),
            .unread(failure, until: at),
        ]
        #expect(all.allSatisfy { $0.failure == failure })
        #expect(Verdict.accepted(Samples.receipt).failure == nil)
        #expect(Set(all.map(\.name)) == Set(Verdict.Name.allCases).subtracting([.accepted]))
    }

    @Test(arguments: [(true, true), (false, false)])
    func countsRetryAlwaysAndOtherSettlementsWhereAsked(counts: Bool, isCounted: Bool) {
        let (at, failure) = (Samples.receipt.at, Samples.failure)
        let entry = Samples.entry()
        let attempt = Attempt(.transient(failure), route: Samples.route, startedAt: at, endedAt: at)
        #expect(Settled(entry, .retry(at: at, failure), attempt: attempt, counts: counts).counts)
        #expect(Settled(entry, .dead(failure), attempt: attempt, counts: counts).counts == isCounted)
    }
}
