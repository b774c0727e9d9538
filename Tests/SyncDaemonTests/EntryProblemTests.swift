import Capture
import ControlAPI
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Every refusal of a command about one entry says what to do next.
@Suite struct EntryProblemTests {
    private static let id = Samples.id(1)

    @Test(
        arguments: [
            (.pending, "is waiting"), (.delivered, "was delivered"), (.dead, "has failed"), (.held, "is on hold"),
            (.discarded, "was discarded"),
        ] as [(Entry.State, String)])
    func wrongStateIsNamedInWords(state: Entry.State, words: String) {
        let problem = Problem(OutboxError.wrongState(Self.id, state))
        #expect(problem.detail == "Entry \(Self.id) \(words). Nothing was changed.")
        #expect(problem.next == "To see its state, run: homing why \(Self.id)")
    }

    @Test(arguments: ["capture", "change"]) func submissionWhileSignedOutIsNamed(noun: String) {
        let problem = Problem(IntakeError.signInRequired(backend: "b"), of: noun, field: nil) { _ in NextCommands() }
        #expect(problem.detail == "Not signed in at b, so this \(noun) has no account to belong to. Nothing was stored.")
        #expect(problem.next == "Sign in, then submit it again. To sign in, run: homing login")
    }

    @Test(arguments: [.noSuchCreate(id), .createDiscarded(id), .createReplaced(id, by: Samples.id(2))] as [OutboxError])
    func refusedReferenceIsNamedWithItsField(error: OutboxError) {
        let problem = Problem(IntakeError.outbox(error), of: "capture", field: "user_id") { _ in NextCommands() }
        let plain = Problem(error)
        let row = "refers to a row that entry \(Self.id) was to create, but "
        #expect(problem.detail.hasPrefix("The field \"user_id\" is @\(Self.id), which \(row)"), "\(problem)")
        #expect(plain.detail.hasPrefix("The value @\(Self.id) \(row)"), "\(plain)")
        #expect(problem.code == plain.code && problem.next == plain.next && problem.facts == plain.facts)
    }

    @Test(
        arguments: [
            .wrongState(id, .inflight), .notUncertain(id), .needsRemoteID(id), .rowTaken(by: id), .mayBeDelivered(id), .hasDependents(id),
            .unreadable(id), .beingDiscarded(id, at: .distantPast), .notFound(id), .noSuchCreate(id), .createDiscarded(id),
            .replaced(id, by: Samples.id(2), at: .distantPast), .createReplaced(id, by: Samples.id(2)),
            .hasNewer(id, newer: Samples.id(2)),
        ] as [OutboxError])
    func everyRefusalHasANextStep(error: OutboxError) {
        let problem = Problem(error)
        #expect(problem.next?.isEmpty == false && problem.detail.hasSuffix("."), "\(problem)")
        // A page in another language writes its own sentence from the reason.
        #expect(problem.facts?.reason.flatMap(Problem.Reason.init) != nil || !Self.haveReasons.contains(problem.code), "\(problem)")
        // Commands stand at the end of a line, so that they can be copied.
        let lines = problem.next?.split(separator: "\n") ?? []
        #expect(lines.allSatisfy { $0.hasSuffix(".") || $0.contains("run: homing ") || $0.contains("runs: homing ") }, "\(lines)")
    }

    private static let haveReasons: Set<Problem.Code> = [.wrongState, .invalidRequest]

    @Test func refusalsStateTheirValues() {
        let taken = Problem(OutboxError.rowTaken(by: Self.id)).facts
        #expect(taken == SentenceFacts { ($0.reason, $0.entry) = ("rowTaken", "\(Self.id)") })
        #expect(Problem.notAName("no such").facts == SentenceFacts { ($0.reason, $0.words) = ("notAName", "no such") })
        #expect(Problem(OutboxError.wrongState(Self.id, .held)).facts?.reason == "isOnHold")
    }

    @Test func retryThatMayMakeASecondOneNamesTheOtherWays() {
        var create = Entry(sequence: 1, mutation: Samples.mutation(1), state: .held)
        create.mutation.creates = "managed_users"
        let problem = Problem.mayDuplicate(create)
        #expect(problem.code == .mayDuplicate && problem.status == 409)
        #expect(
            problem.next == """
                Look for it at breathesafe. If it is there, run: homing resolve \(Self.id) --delivered REMOTE-ID
                If it is missing there, run: homing resolve \(Self.id) --not-delivered
                To send it anyway, which may make a second one, run: homing retry \(Self.id) --without-looking
                """)
    }

    /// Otherwise a person may submit the original under a new id, which would be a second one.
    @Test func changeOfACorrectedEntryNamesTheNewOne() {
        let problem = Problem.changeOfReplaced(Self.id, by: Samples.id(2))
        #expect(problem.detail == "Entry \(Self.id) was corrected: entry \(Samples.id(2)) replaced it. Nothing was changed.")
        #expect(problem.next == "To see the state of the new entry and the next step, run: homing why \(Samples.id(2))")
    }

    /// The capture is in the new entry: under a new id, it would be sent twice.
    @Test func replacedEntryNamesTheOneThatHasTheCapture() {
        let again = Problem(OutboxError.replaced(Self.id, by: Samples.id(2), at: .distantPast))
        #expect(again.code == .discarded && again.status == 409 && again.supersededBy == "\(Samples.id(2))")
        #expect(again.detail.contains("was replaced by entry \(Samples.id(2)) on ") && !again.detail.contains("discarded"))
        let command = "To look at the new entry before you delete your copy, run: homing show \(Samples.id(2))"
        #expect(again.next == "Do not submit it under another id. \(command)")
        let fix = Problem.changeOfReplaced(Self.id, by: Samples.id(2))
        #expect(fix.code == .wrongState && fix.supersededBy == "\(Samples.id(2))")
        let facts = SentenceFacts { ($0.reason, $0.entry) = ("corrected", "\(Samples.id(2))") }
        #expect(again.facts == facts && fix.facts == facts)
    }

    /// Otherwise a person may create the row again, which would exist twice.
    @Test func referenceToAReplacedCreateNamesTheNewOne() {
        let problem = Problem(OutboxError.createReplaced(Self.id, by: Samples.id(2)))
        #expect(problem.detail.hasSuffix(", but entry \(Samples.id(2)) replaced that entry and creates the row. Nothing was accepted."))
        #expect(problem.next == "Do not create the row again. Give the reference @\(Samples.id(2)) instead.")
        #expect(problem.facts == SentenceFacts { ($0.reason, $0.entry) = ("createReplaced", "\(Samples.id(2))") })
        // The entry that the call submits or changes was not replaced.
        #expect(problem.supersededBy == nil)
    }

    @Test func deliveredEntryIsCorrectedOnlyOnTheServer() {
        let problem = Problem.fixOfDelivered(Self.id)
        #expect(problem.code == .wrongState && problem.facts?.reason == "isDelivered")
        #expect(problem.next?.hasPrefix("A delivered entry can be corrected only on the server. ") == true)
    }

    /// The older values would win at the server.
    @Test func olderChangeIsNotReplacedAndTheNewerOneIsNamed() {
        let problem = Problem(OutboxError.hasNewer(Self.id, newer: Samples.id(2)))
        #expect(problem.code == .wrongState && problem.status == 409 && problem.supersededBy == nil)
        #expect(problem.facts == SentenceFacts { ($0.reason, $0.entry) = ("hasNewer", "\(Samples.id(2))") })
        #expect(problem.detail.hasPrefix("Entry \(Samples.id(2)) is newer than entry \(Self.id). "))
        let next = """
            To see the newer entry, run: homing show \(Samples.id(2))
            To let the newer one win, an administrator runs: homing discard \(Self.id)
            If the older values still count, first submit them as a new change.
            """
        #expect(problem.next == next)
    }

    /// Otherwise the server would get both.
    @Test(
        arguments: [(.delivered, "was delivered", "as well"), (.discarded, "was discarded", "anyway")] as [(Entry.State, String, String)])
    func settledEntryCannotBeReplaced(state: Entry.State, words: String, how: String) {
        let problem = Problem.replacesSettled(Self.id, state)
        #expect(problem.code == .wrongState && problem.facts?.reason == (state == .delivered ? "isDelivered" : "isDiscarded"))
        #expect(problem.detail == "Entry \(Self.id) \(words), so no entry can replace it. Nothing was stored.")
        let receipt = "To see the receipt, run: homing receipt \(Self.id)"
        #expect(problem.next == "\(receipt)\nTo send yours \(how), submit it without --supersedes.")
    }

    /// Under a new id, the other content would be a second measurement.
    @Test func usedIdIsAnErrorOfTheProgram() {
        let next = Problem(OutboxError.idConflict(Self.id)).next
        #expect(next == "Keep your copy, and report an error in the program that made the id.")
        let fix = Problem.fixConflict(Samples.id(2), of: Self.id)
        #expect(fix.code == .idConflict && fix.next?.contains("run: homing why \(Samples.id(2))\n") == true)
    }

    @Test func captureThatNeverFitsIsNotToldToWait() {
        let never = Problem(OutboxError.neverFits(64 << 20))
        #expect(never.code == .outboxFull && never.status == 507)
        #expect(never.facts == SentenceFacts { ($0.reason, $0.bytes) = ("neverFits", 64 << 20) })
        #expect(never.next?.contains("Waiting does not help") == true && never.detail.contains("64 MiB"))
        for state in ["failed", "held"] { #expect(never.next?.contains(", run: homing list --state \(state)\n") == true) }
        #expect(never.next?.hasSuffix(" run: systemctl reload homingd") == true)
        #expect(Problem(OutboxError.tooLarge(size: 65 << 20, limit: 64 << 20)) == never)
        let later = Problem(OutboxError.overLimit(64 << 20))
        #expect(later.code == .outboxFull && later.facts == nil && later.next?.contains("delivering them makes room") == true)
    }

    @Test func createOfUnknownOutcomeCanBeResolvedEitherWay() {
        let next = Problem(OutboxError.needsRemoteID(Self.id)).next
        #expect(next?.contains("run: homing resolve \(Self.id) --delivered REMOTE-ID\n") == true)
        #expect(next?.hasSuffix("run: homing resolve \(Self.id) --not-delivered") == true)
    }
}
