import ControlAPI
import Testing

@testable import homing

@Suite struct RetryTextTests {
    private func obstacle(_ count: Int) -> RetryText.Obstacle {
        let why = Explanation(
            id: Sample.id(1), state: "pending", sentence: "anna@clinic.example is signed in.", next: "First sign her out.",
            needsPerson: true)
        return RetryText.Obstacle(count: count, why: why)
    }

    @Test func reportsEntriesToRetry() {
        #expect(RetryText.done([Sample.entry(1)], []) == "1 entry will be tried again, up to three times.")
        #expect(RetryText.done([Sample.entry(1), Sample.entry(2)], []) == "2 entries will be tried again, up to three times each.")
    }

    @Test func promisesNoTriesOfARefusedEntry() {
        let refused = Sample.entry(1, lastStatus: 422)
        #expect(
            RetryText.done([refused], []) == """
                1 entry will be tried again.
                An entry that the server refused may be refused again unless the cause is fixed. To see the last answer, run: homing show ID
                """)
        let busy = RetryText.done([Sample.entry(1, lastStatus: 429)], [])
        #expect(busy == "1 entry will be tried again, up to three times.")
        let blocked = RetryText.done([refused], [obstacle(1)])
        #expect(blocked.hasPrefix("An entry that the server refused may be refused again unless "), "\(blocked)")
    }

    private func doubtful(_ number: Int, canBeLookedUp: Bool = true) -> EntrySummary {
        var entry = Sample.entry(number)
        (entry.uncertain, entry.canBeLookedUp) = (true, canBeLookedUp)
        return entry
    }

    @Test func reportsLookUpBeforeSending() {
        #expect(
            RetryText.done([doubtful(1), Sample.entry(2)], []).hasSuffix(
                "\n1 of them may already have taken effect. Homing looks it up before it sends anything again."))
        #expect(RetryText.done([doubtful(1), doubtful(2)], []).contains("\nThey may already have taken effect. Homing looks them up"))
    }

    @Test func warnsOfDuplicatesWithoutLookUp() {
        #expect(
            RetryText.withoutLooking([doubtful(1), doubtful(2)])
                == "2 entries may already have taken effect at breathesafe. If sent without a look-up, each may exist there twice.")
        let left = RetryText.left([doubtful(1, canBeLookedUp: false)], state: "held")
        #expect(left.hasPrefix("1 entry was skipped: it may already have taken effect, and Homing cannot look it up at breathesafe."))
        #expect(
            left.contains(
                "\nLook for it there. If the backend has an entry, run: homing resolve ID --delivered\nIf it does not have it, run: "))
        #expect(left.hasSuffix("homing retry --all --state held --without-looking"))
    }

    @Test func reportsEntriesThatCannotBeRetriedYet() {
        #expect(
            RetryText.done([Sample.entry(1)], [obstacle(1)])
                == "1 entry cannot be tried yet. anna@clinic.example is signed in.\nFirst sign her out.")
        #expect(
            RetryText.done([Sample.entry(1), Sample.entry(2), Sample.entry(3)], [obstacle(2)]) == """
                1 entry will be tried again, up to three times.
                2 entries cannot be tried yet. anna@clinic.example is signed in.
                First sign her out.
                """)
    }
}
