import ControlAPI
import Testing

@testable import homing

@Suite struct RetryTextTests {
    private func obstacle(_ count: Int) -> RetryText.Obstacle {
        let why = Explanation(
            id: Sample.id(1), state: "pending", sentence: "anna@clinic.example is signed in.", next: "First sign her out.")
        return RetryText.Obstacle(count: count, why: why)
    }

    @Test func whatIsTriedAgainIsSaidToBe() {
        #expect(RetryText.done([Sample.entry(1)], []) == "1 entry will be tried again, up to three times.")
        #expect(RetryText.done([Sample.entry(1), Sample.entry(2)], []) == "2 entries will be tried again, up to three times each.")
    }

    @Test func whatWaitsForAnotherPersonIsNot() {
        #expect(
            RetryText.done([Sample.entry(1)], [obstacle(1)])
                == "1 entry is not tried yet. anna@clinic.example is signed in.\nFirst sign her out.")
        #expect(
            RetryText.done([Sample.entry(1), Sample.entry(2), Sample.entry(3)], [obstacle(2)]) == """
                1 entry will be tried again, up to three times.
                2 entries are not tried yet. anna@clinic.example is signed in.
                First sign her out.
                """)
    }
}
