import Backends
import ControlAPI
import Foundation
import Outbox
import Sessions
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Why an entry waits for the person whom another entry creates.
@Suite struct ReferenceReasonsTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)
    private static let id = Samples.id(1)
    private static let createID = Samples.id(2)
    private static let short = "000000000002"
    private static let discard = "To discard it, run: homing discard \(id)"
    private static let otherwise = "To send it for another person, run: homing fix \(id) --user USER\n\(discard)"

    private static func create(_ state: Entry.State, _ reason: HoldReason? = nil, error: String? = nil) -> Entry {
        var mutation = Samples.mutation(2, lane: "managed_users/\(createID)", at: now)
        (mutation.route, mutation.creates, mutation.fields) = ("create_managed_user", "managed_users", [:])
        var entry = Entry(sequence: 1, mutation: mutation, state: state)
        (entry.holdReason, entry.lastError) = (reason, error)
        return entry
    }

    private static func entry(_ state: Entry.State, _ reason: HoldReason? = nil) -> Entry {
        var mutation = Samples.mutation(1, lane: "users/@\(createID)", at: now)
        mutation.fields = ["user_id": .string("@\(createID)")]
        mutation.subject = RosterID(createdBy: createID)
        var entry = Entry(sequence: 2, mutation: mutation, state: state)
        entry.holdReason = reason
        return entry
    }

    private static func reasons(
        _ create: Entry?, label: String? = "Anna Example", _ candidates: CreatedCandidates? = nil
    ) -> Reasons {
        var reasons = Reasons.sample(at: now)
        reasons.obstacles.gate = .open
        reasons.subjectReport = SubjectReport(
            resource: "managed_users", field: "user_id", id: "@\(createID)", label: label, isNew: true)
        reasons.obstacles.session = SessionSnapshot(
            backend: "breathesafe", state: .signedIn, account: Account(id: "1", label: "ann@lab.test"))
        (reasons.create, reasons.list.newLabel, reasons.list.candidates) = (create, label, candidates)
        reasons.list.title = Resource.Title(one: "person", many: "people")
        (reasons.route.noun, reasons.rowTitle) = ("measurement", "person")
        reasons.list.refresh = "homing people --refresh"
        return reasons
    }

    private func held(_ create: Entry?, _ candidates: CreatedCandidates? = nil) -> (sentence: String, next: String) {
        let (sentence, next) = Self.reasons(create, candidates).explain(Self.entry(.held, .dependency))
        #expect(next.needsPerson)
        return (sentence, next.text)
    }

    @Test(arguments: [Entry.State.pending, .inflight]) func waitsForThePersonToBeCreated(state: Entry.State) {
        let (sentence, next) = Self.reasons(Self.create(state)).explain(Self.entry(.pending))
        #expect(
            sentence
                == "This measurement of Anna Example (new) waits until entry \(Self.short) has created Anna Example at breathesafe.")
        #expect(next.text.hasSuffix("run: homing why \(Self.short)") && !next.needsPerson)
        let nameless = Self.reasons(Self.create(state), label: nil).explain(Self.entry(.pending)).sentence
        #expect(nameless == "This measurement of a new person waits until entry \(Self.short) has created the new person at breathesafe.")
    }

    /// The page of the dashboard shows a button for each.
    @Test func changesAreThoseThatTheStoreDoesNotRefuse() {
        let held = Self.entry(.held, .dependency)
        var reasons = Self.reasons(Self.create(.held, .unknownOutcome))
        reasons.obstacles.session?.account = Account(id: held.destination.account, label: "ann@lab.test")
        #expect(reasons.changes(of: held) == [.fix, .discard])
        #expect(reasons.changes(of: Self.entry(.inflight)).isEmpty)
        #expect(reasons.changes(of: Self.entry(.held, .discarding)) == [.restore])
        reasons.isFollower = true
        #expect(reasons.changes(of: held) == [.discard])
        reasons.mayDestroy = false
        #expect(reasons.changes(of: held).isEmpty && reasons.changes(of: Self.entry(.held, .discarding)).isEmpty)
        reasons.create = Self.create(.pending)
        #expect(reasons.changes(of: held) == [.retry])
    }

    @Test func changesOfAnEntryInDoubtAreThoseOfAPerson() {
        let create = Self.create(.held, .unknownOutcome)
        var reasons = Self.reasons(nil)
        reasons.obstacles.session?.account = Account(id: create.destination.account, label: "ann@lab.test")
        reasons.retryMayDuplicate = true
        #expect(reasons.changes(of: create) == [.resolve, .discard])
        reasons.retryMayDuplicate = false
        reasons.dependents = 1
        #expect(reasons.changes(of: create) == [.retry, .resolve, .discard])
        #expect(reasons.changes(of: Self.create(.dead)) == [.retry, .discard])
        reasons.dependents = 0
        #expect(reasons.changes(of: Self.create(.dead)) == [.retry, .fix, .discard])
        reasons.obstacles.session?.account = nil
        #expect(reasons.changes(of: Self.create(.dead)) == [.retry, .discard])
    }

    /// They belong to that person.
    @Test func detailsOfANewPersonAreOfferedToNobodyElse() {
        var reasons = Self.reasons(Self.create(.dead))
        reasons.isFollower = true
        let next = reasons.explain(Self.entry(.held, .dependency)).next.text
        #expect(next == "After fixing the cause, run: homing retry \(Self.short)\nHoming then sends this entry too.\n\(Self.discard)")
        reasons.meaning = Reasons.Meaning(words: "BreatheSafe has no user 17.", fix: .field("user_id"), rowTitle: "person")
        let refused = reasons.explain(Self.entry(.dead)).next.text
        #expect(refused == "After fixing the cause, run: homing retry \(Self.id)\n\(Self.discard)")
    }

    @Test func creationFailed() {
        let (sentence, next) = held(Self.create(.dead, error: "breathesafe answered: No."))
        #expect(
            sentence
                == "This measurement of Anna Example (new) is on hold, because entry \(Self.short) failed to create Anna Example. breathesafe answered: No."
        )
        #expect(
            next == "After fixing the cause, run: homing retry \(Self.short)\nHoming then sends this entry too.\n\(Self.otherwise)")
    }

    @Test func creationIsOnHold() {
        let (sentence, next) = held(Self.create(.held, .operator))
        #expect(sentence.hasSuffix("because entry \(Self.short), which creates Anna Example, is on hold."))
        #expect(next == "To see the reason and the next step, run: homing why \(Self.short)\n\(Self.otherwise)")
    }

    @Test func creationWasDiscarded() {
        let (sentence, next) = held(Self.create(.discarded))
        #expect(
            sentence
                == "This measurement of Anna Example (new) cannot be sent, because entry \(Self.short), which was to create Anna Example, was discarded."
        )
        #expect(next == Self.otherwise)
        let (later, undo) = held(Self.create(.held, .discarding))
        #expect(later.hasSuffix("because entry \(Self.short), which creates Anna Example, is being discarded."))
        #expect(undo == "To keep that entry, run: homing undo \(Self.short)\n\(Self.otherwise)")
    }

    /// Its own person is not created.
    @Test func changeOfAPersonCanBeMadeForAnotherOne() {
        var reasons = Self.reasons(Self.create(.discarded))
        reasons.route.changes = true
        let entry = Self.entry(.held, .dependency)
        reasons.obstacles.session?.account = Account(id: entry.destination.account, label: "ann@lab.test")
        let fix = "To make this change for another person, run: homing fix \(Self.id) --user USER"
        #expect(reasons.explain(entry).next.text == "\(fix)\n\(Self.discard)")
        #expect(reasons.changes(of: entry) == [.fix, .discard])
        // Its values are for the person that was created.
        reasons.isRowKnown = true
        #expect(reasons.changes(of: entry) == [.discard])
    }

    @Test func deletionOfAPersonIsOnlyCancelled() {
        var reasons = Self.reasons(Self.create(.discarded))
        reasons.route.deletes = true
        let entry = Self.entry(.held, .dependency)
        reasons.obstacles.session?.account = Account(id: entry.destination.account, label: "ann@lab.test")
        #expect(reasons.explain(entry).next.text == "To cancel the deletion, run: homing discard \(Self.id)")
        #expect(reasons.changes(of: entry) == [.discard])
    }

    @Test func createdRowHasNoKnownID() {
        let (sentence, next) = held(nil)
        #expect(sentence.hasSuffix("cannot be sent, because the person that entry \(Self.short) created has no known id."))
        #expect(next == Self.otherwise)
    }

    private static let rows = CreatedCandidates.newest([
        CreatedCandidates.Row(id: "28", label: "Edit Me"), CreatedCandidates.Row(id: "7", label: "Eve Lab"),
    ])
    private static let choice = """
        If the new person is Edit Me (28), run: homing resolve \(short) --delivered 28
        For another one, give that number. If it is none of them, run: homing resolve \(short) --not-delivered
        """

    @Test func creationMayHaveTakenEffect() {
        let (sentence, next) = held(Self.create(.held, .unknownOutcome), Self.rows)
        #expect(
            sentence
                == "This measurement of Anna Example (new) is on hold, because it is not known whether breathesafe has created Anna Example: the answer to entry \(Self.short) is missing or has no usable id. The list of people was read afterwards. The new one may be Edit Me (28) or Eve Lab (7)."
        )
        #expect(next == "\(Self.choice)\n\(Self.otherwise)")
    }

    @Test func creationItselfShowsTheCandidates() {
        var reasons = Self.reasons(nil, Self.rows)
        (reasons.subjectReport, reasons.dependents) = (nil, 2)
        let (sentence, next) = reasons.explain(Self.create(.held, .unknownOutcome))
        #expect(
            sentence
                == "It is not known whether breathesafe has created Anna Example: the entry was sent, and breathesafe offers no way to look it up. The list of people was read afterwards. The new one may be Edit Me (28) or Eve Lab (7). 2 entries wait for it."
        )
        #expect(next.text == Self.choice)
    }

    /// It exists, so nothing may make a second one.
    @Test func creationWithAnotherValueExists() {
        var create = Self.create(.held, .unknownOutcome, error: "breathesafe created it as 101, but with 5 at /list_id instead of 7.")
        (create.lastStatus, create.lastReason) = (201, .misplaced)
        var reasons = Self.reasons(nil, .newest([]))
        reasons.subjectReport = nil
        let (sentence, next) = reasons.explain(create)
        #expect(
            sentence
                == "breathesafe stored Anna Example with other values than those of the entry. breathesafe created it as 101, but with 5 at /list_id instead of 7."
        )
        let advice =
            "Correct it at breathesafe, then run: homing resolve \(Self.short) --delivered ID\nIt exists there: --not-delivered, or homing retry, would make a second one."
        #expect(next.text == advice)
        #expect(held(create).next == "\(advice)\n\(Self.otherwise)")
    }

    @Test(
        arguments: [
            (.newest([]), " The list of people, which was read afterwards, has none that could be the new one."),
            (.tooOld, " The stored list of people cannot tell: it is incomplete, or older than the send."),
            (.unordered, " The stored list of people cannot tell which ones are new."), (nil, ""),
        ] as [(CreatedCandidates?, String)])
    func listThatCannotTellIsReadAgain(candidates: CreatedCandidates?, words: String) {
        let (sentence, next) = held(Self.create(.held, .unknownOutcome), candidates)
        #expect(sentence.hasSuffix("the answer to entry \(Self.short) is missing or has no usable id.\(words)"))
        #expect(
            next
                == "To see the current list, run: homing people --refresh\nIf the new person is there, run: homing resolve \(Self.short) --delivered ID\nIf not, run: homing resolve \(Self.short) --not-delivered\n\(Self.otherwise)"
        )
    }

    /// A restore pauses sending, and Homing reads no list during a pause.
    @Test func listIsReadAfterThePause() {
        var reasons = Self.reasons(nil)
        reasons.subjectReport = nil
        reasons.obstacles.pause = PauseReport(backend: "breathesafe", reason: "", since: Self.now, until: nil, by: "homingd restore")
        let next = reasons.explain(Self.create(.held, .unknownOutcome)).next.text
        let steps = "First, to resume, run: homing resume\nTo see the current list, run: homing people --refresh\n"
        #expect(next.hasPrefix("Sending is paused. \(steps)"), "\(next)")
    }

    @Test func deadCreationSaysHowManyWait() {
        var reasons = Self.reasons(nil)
        reasons.subjectReport = nil
        for (number, words) in [(0, ""), (1, " 1 entry waits for it."), (3, " 3 entries wait for it.")] {
            reasons.dependents = number
            #expect(reasons.explain(Self.create(.dead)).sentence.hasSuffix("for ann@lab.test.\(words)"))
            #expect(!reasons.explain(Self.create(.delivered)).sentence.contains("for it"))
        }
    }

    /// Other holds keep their explanation.
    @Test func holdForAnotherLaneIsExplainedAsBefore() {
        var reasons = Self.reasons(nil)
        reasons.isRowKnown = true
        #expect(reasons.explain(Self.entry(.held, .dependency)).sentence.contains("depends on an entry that was not delivered"))
    }
}
