import ControlAPI
import Testing

@testable import homing

@Suite struct ShortIDsTests {
    private static let one = Sample.id(1)
    private static let two = Sample.id(2)

    @Test(arguments: [
        ("It waits for entry \(one), which failed.", "It waits for entry 3f2a91c04b01, which failed."),
        ("1 entry is ahead of it; the first is \(one).", "1 entry is ahead of it; the first is 3f2a91c04b01."),
        ("Entry \(one) replaced it.", "Entry 3f2a91c04b01 replaced it."),
        ("To see why, run: homing why \(one)", "To see why, run: homing why 3f2a91c04b01"),
        ("run: homing fix \(one) --user @\(two)", "run: homing fix 3f2a91c04b01 --user @3f2a91c04b02"),
        ("‘homing undo \(one)’", "‘homing undo 3f2a91c04b01’"),
    ])
    func entryHasItsShortID(text: String, shown: String) { #expect(text.withShortIDs == shown) }

    /// Rows of a server may have such ids too, and files such names.
    @Test(arguments: [
        "homing submit FILE --supersedes \(one)", "Then submit it again with --id \(one), so that it cannot exist twice.",
        "homing people edit \(one) --last-name Sample", "homing discard --file \(one).json", "the folder retry \(one)",
        "Delivered to lists with the server id \(one).", "Entry \(one).json cannot be read.", "Entry \(one)-2 is a file.",
        "Entry \(one)/a.json cannot be read.", "",
    ])
    func otherIDStaysWhole(text: String) { #expect(text.withShortIDs == text) }

    @Test func idOfARowAtTheServerStaysWholeBesideThatOfItsEntry() {
        #expect(
            "run: homing resolve \(Self.one) --delivered \(Self.two)".withShortIDs
                == "run: homing resolve 3f2a91c04b01 --delivered \(Self.two)")
    }

    @Test func explanationsAndErrorsHaveShortIDs() {
        let why = Explanation(
            id: Self.one, state: "pending", sentence: "It waits for entry \(Self.two).", next: "Run: homing why \(Self.two)",
            needsPerson: true)
        #expect(EntryText.why(why) == "It waits for entry 3f2a91c04b02.\nRun: homing why 3f2a91c04b02")
        #expect(SubmissionText.obstacle(why)?.contains(Self.two) == false)
        let problem = Problem(
            .wrongState, status: 409, title: "t", detail: "Entry \(Self.one) was delivered.", next: "Run: homing receipt \(Self.one)")
        #expect(
            ProblemText(style: .plain).lines(problem) == "Entry 3f2a91c04b01 was delivered.\nRun: homing receipt 3f2a91c04b01")
    }
}
