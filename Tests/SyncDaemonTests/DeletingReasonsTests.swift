import Backends
import ControlAPI
import Foundation
import Sessions
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct DeletingReasonsTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)

    private static func entry(_ number: Int, lane: String, _ state: Entry.State = .pending, _ reason: HoldReason? = nil) -> Entry {
        var mutation = Samples.mutation(number, lane: lane, at: now)
        (mutation.route, mutation.subject, mutation.afterSubject) = ("delete_managed_user", "5", lane.hasPrefix("deletes"))
        var entry = Entry(sequence: Int64(number), mutation: mutation, state: state)
        entry.holdReason = reason
        return entry
    }

    private func reasons(_ first: Entry?, earlier: Int = 1) -> Reasons {
        var reasons = Reasons.sample(at: Self.now)
        (reasons.blocker, reasons.obstacles.gate, reasons.route.canLookUp) = (first, .open, false)
        reasons.subjectReport = SubjectReport(resource: "managed_users", field: "user_id", id: "5", label: "Anna Example")
        reasons.obstacles.session = SessionSnapshot(
            backend: "breathesafe", state: .signedIn, account: Account(id: "1", label: "ann@lab.test"))
        reasons.list.title = Resource.Title(one: "person", many: "people")
        (reasons.earlier, reasons.route.noun, reasons.route.deletes) = (earlier, "deletion", true)
        return reasons
    }

    private let delete = entry(9, lane: "deletes/5")

    @Test func waitsForTheCapturesOfThePerson() {
        let (sentence, next) = reasons(Self.entry(1, lane: "users/5"), earlier: 3).explain(delete)
        #expect(
            sentence
                == "This deletion of Anna Example (5) waits for 3 earlier entries for the same person, which Homing sends first."
        )
        #expect(!next.needsPerson && next.text.contains("homing why "))
        #expect(reasons(Self.entry(1, lane: "users/5")).explain(delete).sentence.contains("1 earlier entry for the same person"))
    }

    @Test(arguments: [(.dead, nil, "has failed"), (.held, .forbidden, "is on hold")] as [(Entry.State, HoldReason?, String)])
    func failedCaptureNeedsAPerson(state: Entry.State, reason: HoldReason?, words: String) {
        let (sentence, next) = reasons(Self.entry(1, lane: "users/5", state, reason), earlier: 2).explain(delete)
        #expect(sentence.hasSuffix("\(words).") && sentence.contains("2 earlier entries"), "\(sentence)")
        #expect(next.needsPerson && next.text.contains("homing why ") && next.text.contains("homing discard \(delete.id)"))
    }

    @Test func captureThatIsBeingDiscardedNeedsNobody() {
        let (sentence, next) = reasons(Self.entry(1, lane: "users/5", .held, .discarding)).explain(delete)
        #expect(sentence.hasSuffix("It is being discarded.") && !next.needsPerson && next.text.contains("homing undo "))
    }

    /// Another delete of the same person.
    @Test func entryInItsOwnLaneIsExplainedAsForAnyOther() {
        let sentence = reasons(Self.entry(1, lane: "deletes/5")).explain(delete).sentence
        #expect(sentence.contains("ahead of it; the first is"))
    }

    @Test func lostAnswerIsSettledByTheList() {
        var entry = delete
        entry.uncertain = true
        var reasons = reasons(nil, earlier: 0)
        #expect(reasons.explain(entry).sentence.contains("no way to look the entry up"))
        reasons.route.readsRow = true
        #expect(
            reasons.explain(entry).sentence
                == "The answer was lost. Homing reads the list of people again to see whether it must send the entry again.")
    }

    @Test func rowThatCannotBeTakenIsNoMatterOfTheProfile() {
        var held = Self.entry(9, lane: "deletes/5", .held, .profile)
        held.lastError = "2 people at breathesafe fit this entry."
        #expect(reasons(nil).explain(held).next.text.contains("breathesafe.yaml"))
        held.lastStatus = 200
        let (sentence, next) = reasons(nil).explain(held)
        #expect(sentence == "This deletion of Anna Example (5) was not sent. 2 people at breathesafe fit this entry.")
        #expect(next.needsPerson && !next.text.contains("yaml"))
        #expect(
            next.text
                == "Ask the administrator of breathesafe to correct the list of people that it sends, then run: homing retry \(held.id)\nTo cancel the deletion, run: homing discard \(held.id)"
        )
    }
}
