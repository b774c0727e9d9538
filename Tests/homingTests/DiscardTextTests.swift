import ControlAPI
import Testing

@testable import homing

@Suite struct DiscardTextTests {
    private let discard = DiscardText(times: Sample.times, width: 200)
    private let anna = SubjectReport(resource: "managed_users", field: "user_id", id: "5", label: "Anna Example")
    private let eve = SubjectReport(resource: "managed_users", field: "user_id", id: "7", label: "Eve Lab")

    private var four: [EntrySummary] {
        var entries = [2, 3, 5].map { Sample.entry($0, "dead", subject: anna) } + [Sample.entry(4, "dead", subject: eve)]
        entries[3].title = RosterTitle(one: "fit test", many: "fit tests")
        return entries
    }

    private func discarding(_ entries: [EntrySummary]) -> [EntrySummary] {
        entries.enumerated().map { index, entry in
            var entry = entry
            (entry.state, entry.holdReason, entry.discardAt) = ("held", "discarding", Sample.ago(minutes: Double(-10 - index)))
            return entry
        }
    }

    @Test func tallyNamesPeopleKindsAndCounts() {
        #expect(EntryTally.text(four) == "3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7)")
        var create = Sample.entry(1)
        create.title = nil
        create.route = "move_task"
        #expect(EntryTally.text([create]) == "1 move task entry")
        #expect(EntryTally.text([create, create]) == "2 move task entries")
        #expect(EntryTally.text([Sample.entry(1, subject: Sample.subject("77", nil))]) == "1 measurement of 77")
        #expect(EntryTally.text([]) == "no entries")
        create.title = RosterTitle(one: "new person", many: "new people")
        #expect(EntryTally.text([create, create]) == "2 new people")
    }

    @Test func tallyNamesTenGroups() {
        let many = (1...23).map { Sample.entry($0, subject: Sample.subject("\($0)", "Person \($0)")) }
        let text = EntryTally.text(many)
        #expect(text.contains("1 measurement of Person 10 (10) and 13 other entries") && !text.contains("Person 11"))
        #expect(EntryTally.text(Array(many.prefix(11))).hasSuffix(" and 1 other entry"))
    }

    @Test func questionSumsUpAndSaysThatItCanBeUndone() {
        #expect(
            discard.before(four, isFinal: false).hasPrefix(
                "4 entries will be discarded: 3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7). Homing will not send"))
        let narrow = DiscardText(times: Sample.times, width: 40).before(four, isFinal: false)
        let summary = narrow.split(separator: "\n").prefix { !$0.hasPrefix("  #") }
        for line in summary { #expect(String(line).columns <= 40) }
        #expect(
            summary.joined(separator: " ").hasSuffix(
                "In ten minutes their payloads are destroyed; until then, ‘homing undo’ brings them back."))
        #expect(narrow.contains("\n  #2 3f2a91c04b02, measurement of Anna Example (5), 17.4 kB"))
    }

    @Test func refusedFileIsDiscardedForGood() {
        #expect(
            DiscardText.before(file: "a.json")
                == "The refused file ‘a.json’ and the file that says why will be discarded. This cannot be undone.")
        let done = [DiscardedFile(name: "a.json")]
        #expect(DiscardText.done(done, left: 0) == "The refused file ‘a.json’ was discarded.")
        #expect(DiscardText.done(done, left: 2) == "The refused file ‘a.json’ was discarded. 2 refused files are left.")
    }

    @Test func refusedFilesAreCountedAndNamed() {
        #expect(
            DiscardText.before(files: ["a.json", "b.json"])
                == "2 refused files and the files that say why will be discarded: ‘a.json’ and ‘b.json’. This cannot be undone.")
        #expect(DiscardText.before(files: ["a.json"]) == DiscardText.before(file: "a.json"))
        let many = DiscardText.before(files: (1...428).map { "\($0).json" })
        #expect(many.hasPrefix("428 refused files ") && many.hasSuffix(", ‘10.json’ and 418 more. This cannot be undone."), "\(many)")
        let done = ["a.json", "b.json"].map { DiscardedFile(name: $0) }
        #expect(DiscardText.done(done, left: 1) == "2 refused files were discarded. 1 refused file is left.")
    }

    @Test func questionSaysThatNowIsFinal() {
        #expect(
            discard.before([Sample.entry(2, "dead")], isFinal: true) == """
                1 entry will be discarded for good: 1 measurement. Homing will not send it, and this cannot be undone.
                  #2 3f2a91c04b02, measurement, 17.4 kB, captured 3 minutes ago (14:12), failed after 1 attempt
                """)
        #expect(discard.before((1...23).map { Sample.entry($0) }, isFinal: true).hasSuffix("\n  and 3 more"))
    }

    @Test func answerSaysUntilWhenAndHowToUndo() {
        #expect(
            discard.done(discarding(four)) == """
                3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7) were discarded. Homing will not send them.
                They can be brought back until 14:25: homing undo
                """)
        #expect(
            discard.done(discarding([four[0]])) == """
                1 measurement of Anna Example (5) was discarded. Homing will not send it.
                It can be brought back until 14:25: homing undo 3f2a91c04b02
                """)
        #expect(discard.done([four[0]]) == "1 measurement of Anna Example (5) was discarded. Homing will not send it.")
    }

    /// The text must not claim that an uncertain entry was never sent.
    @Test func discardOfUncertainEntryWarnsOfPossibleDelivery() {
        var doubtful = Sample.entry(2, "held")
        doubtful.uncertain = true
        #expect(
            discard.done([doubtful])
                == "1 measurement was discarded and will not be sent again. "
                + "It may already have reached the backend; discarding removes nothing there.")
        #expect(discard.done([doubtful, Sample.entry(3)]).contains("1 of them may already have reached the backend"))
        #expect(
            discard.before([doubtful], isFinal: false).hasSuffix(
                "An earlier attempt may have reached the backend; discarding removes nothing there."))
    }

    @Test func undoListsAndSaysHowTheEntriesAreAgain() {
        let question = UndoText(times: Sample.times).before(discarding(four))
        #expect(
            question.hasPrefix(
                "4 entries can be brought back: 3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7).\n  #2 3f2a91c04b02"))
        #expect(UndoText.done([four[0]]) == "1 measurement of Anna Example (5) was brought back. State: failed.")
        var restored = four
        restored[3].state = "held"
        #expect(UndoText.done(restored).hasSuffix(" were brought back. States: 3 failed, 1 on hold."))
    }

    @Test func warnsOfAnEntryThatWillOverwriteANewerChange() {
        var older = Sample.entry(1)
        older.overwrites = Sample.id(2)
        let warning = """
            Entry 3f2a91c04b02 is a newer change of the same row, and was sent already. Entry 3f2a91c04b01 will overwrite it. \
            If the newer values must win, submit them again as a new change.
            """
        let texts = [
            UndoText.done([older]), RetryText.done([older], []), ResolveText.done(older, delivered: false, remoteID: nil),
        ]
        for text in texts { #expect(text.hasSuffix("\n" + warning)) }
    }

    @Test func onlyDiscardedEntriesCanBeBroughtBack() {
        #expect(discarding(four).allSatisfy { $0.isBeingDiscarded })
        #expect(![Sample.entry(1, "held", hold: "forbidden"), Sample.entry(2, "dead")].contains { $0.isBeingDiscarded })
    }
}
