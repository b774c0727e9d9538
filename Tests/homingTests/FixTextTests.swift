import ControlAPI
import Testing

@testable import homing

@Suite struct FixTextTests {
    private func receipt(_ subject: SubjectReport?) -> SubmissionReceipt {
        var receipt = SubmissionReceipt(id: Sample.id(3), sequence: 3, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        receipt.subject = subject
        return receipt
    }

    @Test func namesBothPeopleAndBothEntries() {
        let old = Sample.entry(2, "dead", subject: Sample.subject("77", nil))
        #expect(
            FixText.done(old, receipt(Sample.subject())) == """
                The measurement of 77 is corrected, and stored safely as 3f2a91c04b03 (#3) for Anna Example (28). Homing sends it to \
                breathesafe automatically.
                The old entry 3f2a91c04b02 (#2) is discarded.
                """)
    }

    @Test func namesAnUnchangedPersonOnce() {
        let old = Sample.entry(2, "dead", subject: Sample.subject())
        #expect(
            FixText.done(old, receipt(Sample.subject())).hasPrefix(
                "The measurement of Anna Example (28) is corrected, and stored safely as 3f2a91c04b03 (#3). Homing sends it"))
        #expect(
            FixText.done(Sample.entry(2), receipt(nil)).hasPrefix("The measurement is corrected, and stored safely as 3f2a91c04b03 (#3). "))
    }

    @Test func namesOthersWhomTheNameFits() {
        let anna = Sample.subject("12", "Anna")
        func page(_ rows: [(String, String)]) -> RosterPage {
            RosterPage(
                roster: Sample.roster(), rows: rows.map { RosterRow(id: $0.0, label: $0.1, values: [:]) }, matching: rows.count, next: nil)
        }
        #expect(
            FixText.others(page([("12", "Anna"), ("28", "Anna Example")]), like: "anna", than: receipt(anna)) == """
                Homing took ‘anna’ for Anna (12), whose whole name it is. It also fits: Anna Example (28).
                If you meant another one, run: homing fix 3f2a91c04b03 --user ID
                """)
        #expect(FixText.others(page([("12", "Anna")]), like: "anna", than: receipt(anna)) == nil)
        #expect(FixText.others(page([("28", "Anna Example")]), like: "anna", than: receipt(nil)) == nil)
    }

    /// Before its delivery a new row has the id of its entry, and a corrected entry has another id.
    @Test func newRowIsNamedWithoutAPreposition() {
        var create = Sample.entry(2, "dead")
        create.subject = SubjectReport(
            resource: "managed_users", field: "user_id", id: "@\(Sample.id(2))", label: "Anna Example", isNew: true)
        create.subject?.title = "person"
        create.title = RosterTitle(one: "new person", many: "new people")
        var corrected = create.subject
        corrected?.id = "@\(Sample.id(3))"
        #expect(
            FixText.done(create, receipt(corrected)).hasPrefix(
                "The new person Anna Example is corrected, and stored safely as 3f2a91c04b03 (#3). "))
        #expect(
            ResolveText.done(create, delivered: false, remoteID: nil).hasPrefix("The new person Anna Example counts as not delivered. "))
        create.subject = Sample.subject()
        create.subject?.reference = "@\(Sample.id(2))"
        #expect(
            ResolveText.done(create, delivered: true, remoteID: "28").hasPrefix(
                "The new person Anna Example (28) counts as delivered with the server id 28. "))
        create.id = Sample.id(4)
        create.title = RosterTitle(one: "person deletion", many: "person deletions")
        #expect(
            ResolveText.done(create, delivered: false, remoteID: nil).hasPrefix(
                "The person deletion of Anna Example (28) counts as not delivered. "))
    }

    @Test func lostAnswerSaysHowToSeeWhetherItWasAccepted() {
        let problem = Problem(.timeout, status: 504, title: "", detail: "", next: "See its log.")
        #expect(
            FixText.answerLost(problem, newID: Sample.id(3)).next
                == "See its log.\nTo see whether the correction was accepted, run: homing show 3f2a91c04b03")
        #expect(FixText.answerLost(problem, newID: nil) == problem)
    }

    @Test func resolvedEntryNamesPersonAndServerID() {
        let entry = Sample.entry(2, "delivered", subject: Sample.subject())
        #expect(
            ResolveText.done(entry, delivered: true, remoteID: "17") == """
                The measurement of Anna Example (28) counts as delivered with the server id 17. Homing does not send it again, and its \
                payload is destroyed.
                To see the receipt, run: homing receipt 3f2a91c04b02
                """)
        #expect(ResolveText.done(entry, delivered: true, remoteID: nil).contains(" counts as delivered. "))
        #expect(
            ResolveText.done(Sample.entry(2), delivered: false, remoteID: nil)
                == "The measurement counts as not delivered. Homing sends it again, up to three times.")
    }
}
