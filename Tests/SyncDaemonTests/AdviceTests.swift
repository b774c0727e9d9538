import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct AdviceTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)

    private func head(age: TimeInterval, _ incomplete: Incompleteness? = nil) -> RosterHead {
        let readAt = Self.now.addingTimeInterval(-age)
        let key = RosterKey(destination: Destination(backend: "breathesafe", account: "1"), resource: "managed_users")
        return RosterHead(key: key, revision: 1, readAt: readAt, beganAt: readAt, count: 4, total: 4, incomplete: incomplete)
    }

    private func advice(_ head: RosterHead?, label: String? = nil, isSignedIn: Bool = true) -> Advice {
        Advice(
            subject: SubjectReport(resource: "managed_users", field: "user_id", id: "77", label: label), kind: { "measurement" },
            title: Resource.Title(one: "person", many: "people"), maxAge: .seconds(3600), head: head, isSignedIn: isSignedIn,
            moment: Moment(now: Self.now, timeZone: .gmt))
    }

    @Test func completeAndCurrentListDecides() {
        #expect(advice(head(age: 180), label: "Anna Example").result == .listed)
        #expect(advice(head(age: 180)).result == .unlisted("77 is not one of your people, as of 3 minutes ago."))
        #expect(advice(head(age: 3600)).result == .unlisted("77 is not one of your people, as of 1 hour ago."))
    }

    @Test func oldOrIncompleteListProvesOnlyPresence() {
        for head in [head(age: 7200), head(age: 180, .limit), head(age: 180, .changing), head(age: 180, .rows)] {
            #expect(advice(head, label: "Anna Example").result == .listed)
        }
        #expect(advice(head(age: 7200)).result == .unchecked("your people were last read 2 hours ago"))
        #expect(advice(head(age: 180, .changing)).result == .unchecked("the stored list of your people is incomplete"))
    }

    @Test func unreadListAndEndedSessionDecideNothing() {
        #expect(advice(nil).result == .unchecked("your people have not been read yet"))
        #expect(advice(nil, isSignedIn: false).result == .unchecked("the session has ended"))
    }

    /// The list cannot have it yet.
    @Test func rowThatAnEntryCreatesIsListed() {
        for isSignedIn in [true, false] {
            var new = advice(head(age: 180), isSignedIn: isSignedIn)
            new.subject.isNew = true
            #expect(new.result == .listed && new.warning(isStrict: true) == nil)
            var created = advice(head(age: 180), isSignedIn: isSignedIn)
            created.subject.reference = "@00000000-0000-7000-8000-000000000001"
            created.isNewerThanList = true
            #expect(created.result == .listed)
        }
    }

    @Test func createdRowIsCheckedOnceTheListWasReadAgain() {
        var created = advice(head(age: 180))
        created.subject.reference = "@00000000-0000-7000-8000-000000000001"
        #expect(created.result == .unlisted("77 is not one of your people, as of 3 minutes ago."))
    }

    /// Whatever the list says: it may be older than the deletion, or newer.
    @Test func warnsAboutARowThatWillBeDeleted() {
        for (label, text) in [("Anna Example", "Anna Example (77)"), (nil, "77")] {
            for isStrict in [true, false] {
                var advice = advice(head(age: 180), label: label)
                advice.deletion = Samples.id(1)
                let sentence = "\(text) will be deleted: the deletion was accepted before this measurement."
                #expect(advice.result == .deleted(sentence) && advice.warning(isStrict: isStrict) == sentence)
            }
        }
        var new = advice(nil, label: "Anna Example", isSignedIn: false)
        (new.subject.isNew, new.deletion) = (true, Samples.id(1))
        #expect(new.warning(isStrict: false)?.hasPrefix("Anna Example (new) will be deleted: ") == true)
    }

    private func fitTest(_ head: RosterHead?, deletion: MutationID? = nil) -> Advice {
        var advice = Advice(
            subject: SubjectReport(resource: "fit_tests", field: "fit_test_id", id: "99"), kind: { "fit test change" },
            title: Resource.Title(one: "fit test", many: "fit tests"), maxAge: .seconds(3600), head: head,
            moment: Moment(now: Self.now, timeZone: .gmt))
        (advice.isSubject, advice.deletion) = (false, deletion)
        return advice
    }

    private func refusal(_ advice: [Advice], deleting deleted: String? = nil) -> Problem? {
        Problem.notListed(advice, deleting: deleted, NextCommands(backend: nil, means: .password, needsNames: false))
    }

    @Test func refusalNamesEveryUnknownRow() throws {
        let problem = try #require(refusal([advice(head(age: 180)), fitTest(head(age: 60))]))
        #expect(problem.code == .notListed && problem.status == 409 && problem.title == "Not in the list")
        #expect(
            problem.detail
                == "Nothing was accepted: 77 is not one of your people, as of 3 minutes ago. 99 is not one of your fit tests, as of 1 minute ago."
        )
        #expect(problem.next?.contains("homing people --find TEXT") == true)
        #expect(problem.next?.contains("homing roster fit_tests --find TEXT") == true, "\(problem.next ?? "")")
    }

    @Test func refusalNamesTheSecondRowIfTheFirstIsListed() throws {
        let listed = advice(head(age: 180), label: "Anna Example")
        let problem = try #require(refusal([listed, fitTest(head(age: 60))]))
        #expect(problem.detail == "Nothing was accepted: 99 is not one of your fit tests, as of 1 minute ago.")
        #expect(problem.next?.contains("people") == false, "\(problem.next ?? "")")
        #expect(refusal([listed, fitTest(nil)]) == nil && refusal([listed]) == nil && refusal([]) == nil)
    }

    @Test func refusalNamesARowThatWillBeDeletedBesideAnUnknownOne() throws {
        let problem = try #require(refusal([advice(head(age: 180)), fitTest(head(age: 60), deletion: Samples.id(1))]))
        #expect(problem.title == "Not in the list")
        #expect(problem.detail.hasSuffix("99 will be deleted: the deletion was accepted before this fit test change."))
        #expect(problem.next?.hasSuffix("homing discard \(Samples.id(1))") == true)
        // A second deletion wants what the first one does.
        let second = refusal([fitTest(head(age: 60), deletion: Samples.id(1))], deleting: "fit_tests")
        #expect(second?.title == "Being deleted" && second?.next == nil)
    }

    @Test func warningNamesEveryUnknownRowAndTheReceiptOnlyTheSubject() {
        let both = [advice(head(age: 180)), fitTest(head(age: 60))]
        #expect(
            both.warning(isStrict: false)
                == "77 is not one of your people, as of 3 minutes ago. 99 is not one of your fit tests, as of 1 minute ago.")
        #expect(both.subject?.id == "77" && [fitTest(nil)].subject == nil)
        #expect([advice(head(age: 180), label: "Anna Example")].warning(isStrict: true) == nil)
    }

    @Test func warnsAboutUnlistedIDAndOnRequestAboutUncheckedOne() {
        for isStrict in [true, false] {
            #expect(advice(head(age: 180), label: "Anna Example").warning(isStrict: isStrict) == nil)
            #expect(advice(head(age: 180)).warning(isStrict: isStrict) == "77 is not one of your people, as of 3 minutes ago.")
        }
        #expect(advice(nil).warning(isStrict: false) == nil)
        #expect(advice(nil).warning(isStrict: true) == "77 was not checked, because your people have not been read yet.")
    }
}
