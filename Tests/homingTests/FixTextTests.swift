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
                The measurement for 77 is corrected, and stored safely as 3f2a91c04b03 (#3) for Anna Example (28). Homing sends it to \
                breathesafe by itself.
                The old entry 3f2a91c04b02 (#2) is discarded.
                """)
    }

    @Test func namesAnUnchangedPersonOnce() {
        let old = Sample.entry(2, "dead", subject: Sample.subject())
        #expect(
            FixText.done(old, receipt(Sample.subject())).hasPrefix(
                "The measurement for Anna Example (28) is corrected, and stored safely as 3f2a91c04b03 (#3). Homing sends it"))
        #expect(
            FixText.done(Sample.entry(2), receipt(nil)).hasPrefix("The measurement is corrected, and stored safely as 3f2a91c04b03 (#3). "))
    }

    @Test func lostAnswerSaysHowToSeeWhetherItWasAccepted() {
        let problem = Problem(.timeout, status: 504, title: "", detail: "", next: "See its log.")
        #expect(
            FixText.answerLost(problem, newID: Sample.id(3)).next
                == "See its log.\nTo see whether the correction was accepted, run: homing show \(Sample.id(3))")
        #expect(FixText.answerLost(problem, newID: nil) == problem)
    }

    @Test func resolvedEntryNamesPersonAndServerID() {
        let entry = Sample.entry(2, "delivered", subject: Sample.subject())
        #expect(
            ResolveText.done(entry, delivered: true, remoteID: "17") == """
                The measurement for Anna Example (28) counts as delivered with the server id 17. Homing does not send it again, and its \
                payload is destroyed.
                To see the receipt, run: homing receipt 3f2a91c04b02
                """)
        #expect(ResolveText.done(entry, delivered: true, remoteID: nil).contains(" counts as delivered. "))
        #expect(
            ResolveText.done(Sample.entry(2), delivered: false, remoteID: nil)
                == "The measurement counts as not delivered. Homing sends it again, up to three times.")
    }
}
