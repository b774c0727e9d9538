import ControlAPI
import Testing

@testable import homing

@Suite struct ProblemTextTests {
    @Test func nextStepIsOnItsOwnLine() {
        let text = ProblemText(style: .plain)
        #expect(text.lines(.notFound("There is no such entry.", next: "See the list.")) == "There is no such entry.\nSee the list.")
        #expect(text.lines(.notFound("There is no such entry.")) == "There is no such entry.")
        #expect(text.lines(.notFound("None.", next: "To see, run: a\nTo do, run: b\u{1B}")) == "None.\nTo see, run: a\nTo do, run: b ")
    }

    @Test func refusedFileErrorCountsAcceptedFiles() {
        let problem = SubmissionText.stopped(.invalid("It is empty.", next: "Export it again."), at: "b.json", accepted: 1, of: 3)
        #expect(problem.detail == "1 of 3 files was accepted; b.json was not: It is empty.")
        #expect(problem.next == "Export it again.\nThen submit b.json and the files after it again.")
        let only = Problem.invalid("It is empty.")
        #expect(SubmissionText.stopped(only, at: "b.json", accepted: 0, of: 1) == only)
    }

    /// `--again` would send a capture twice that another entry has.
    @Test func fileOfADiscardedEntryMayBeSubmittedAgainUnlessAnotherEntryReplacedIt() {
        var problem = Problem(.discarded, status: 409, title: "t", detail: "d", next: "n")
        #expect(SubmissionText.known(problem).next == "To submit it as a new entry, add --again")
        problem.supersededBy = Sample.id(2)
        #expect(SubmissionText.known(problem).next == "n")
    }

    @Test func warningNamesTheCommandThatCorrectsTheEntry() {
        var receipt = SubmissionReceipt(id: Sample.id(1), sequence: 1, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        receipt.subject = Sample.subject("77", nil)
        #expect(SubmissionText.warning(receipt, nil) == nil)
        receipt.warning = "77 is not one of your people."
        #expect(
            SubmissionText.warning(receipt, nil)
                == "Warning: 77 is not one of your people.\nIf this is wrong, run: homing fix 3f2a91c04b01 --user NAME")
        receipt.subject = SubjectReport(resource: "lists", field: "list_id", id: "7")
        #expect(SubmissionText.warning(receipt, nil)?.hasSuffix("homing fix 3f2a91c04b01 --item list_id=ID") == true)
        (receipt.duplicate, receipt.warning) = (true, "It is being discarded. To undo this: homing undo 1")
        #expect(SubmissionText.warning(receipt, nil) == "Warning: It is being discarded. To undo this: homing undo 1")
    }

    /// ‘homing fix’ would change or delete another person.
    @Test(arguments: [.change, .deletion, .new, .entry, nil] as [RosterTitle.Kind?])
    func warningOfAChangeOrDeletionNamesItsDiscard(kind: RosterTitle.Kind?) {
        var receipt = SubmissionReceipt(id: Sample.id(1), sequence: 1, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        (receipt.subject, receipt.warning) = (Sample.subject("77", nil), "77 is not one of your people.")
        let way =
            kind == .change || kind == .deletion
            ? "an administrator runs: homing discard 3f2a91c04b01" : "run: homing fix 3f2a91c04b01 --user NAME"
        #expect(SubmissionText.warning(receipt, kind) == "Warning: 77 is not one of your people.\nIf this is wrong, \(way)")
    }

    @Test func acceptedFileIsReportedAsStored() {
        var receipt = SubmissionReceipt(id: Sample.id(1), sequence: 1, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        #expect(
            SubmissionText.accepted(receipt, from: "a.json")
                == "a.json is stored safely as 3f2a91c04b01 (#1). Homing sends it to breathesafe automatically.")
        #expect(!SubmissionText.accepted(receipt, from: "a\u{1B}[31m.json").contains("\u{1B}"))
        receipt.subject = Sample.subject()
        let named = SubmissionText.accepted(receipt, from: "a.json")
        #expect(named.hasPrefix("a.json is stored safely as 3f2a91c04b01 (#1) for Anna Example (28). "))
        receipt.subject = SubjectReport(resource: "managed_users", field: "user_id", id: "@\(receipt.id)", isNew: true)
        #expect(SubmissionText.accepted(receipt, from: nil).hasPrefix("It is stored safely as 3f2a91c04b01 (#1). "))
        receipt.duplicate = true
        #expect(
            SubmissionText.accepted(receipt, from: nil) == "It was already accepted as 3f2a91c04b01 (#1); nothing was added.")
        #expect(SubmissionText.accepted(receipt, from: "a.json") == "a.json was already accepted as 3f2a91c04b01 (#1); nothing was added.")
    }

    @Test func reportsObstacleAfterSubmission() {
        func why(_ state: String, _ next: String?, needsPerson: Bool = true) -> Explanation {
            Explanation(id: "1", state: state, sentence: "Entry 2 is dead.", next: next, needsPerson: needsPerson)
        }
        #expect(SubmissionText.obstacle(why("pending", "Discard that one.")) == "It is not sent yet. Entry 2 is dead. Discard that one.")
        #expect(SubmissionText.obstacle(why("pending", "Homing sends it automatically.", needsPerson: false)) == nil)
        #expect(SubmissionText.obstacle(why("delivered", "See its receipt.")) == nil)
        #expect(SubmissionText.obstacle(why("pending", nil)) == nil)
    }
}
