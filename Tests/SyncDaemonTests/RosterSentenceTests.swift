import ControlAPI
import Foundation
import Outbox
import SyncModel
import Testing

@testable import SyncDaemon

@Suite struct RosterSentenceTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)  // 2025-12-06 05:46:40 UTC
    private static let offline = Failure(.offline, "The backend at b does not answer.")
    private static let broken = Failure(.serverError, status: 500, "breathesafe answered with a server error (500).")
    private static let age: TimeInterval = 180

    private static func ago(_ seconds: TimeInterval) -> Date { now.addingTimeInterval(-seconds) }

    /// Of four people, read three minutes ago.
    private static func report(_ state: RosterReport.State = .complete, _ change: (inout RosterReport) -> Void = { _ in }) -> RosterReport {
        var report = RosterReport(
            backend: "breathesafe", resource: "managed_users", title: RosterTitle(one: "person", many: "people"), state: state.rawValue)
        if state != .signedOut { (report.account, report.email) = ("2", "manager@lab.test") }
        if state == .complete || state == .incomplete { (report.count, report.total, report.readAt) = (4, 4, ago(age)) }
        change(&report)
        return report
    }

    private func sentence(_ report: RosterReport, _ change: (inout RosterSentence) -> Void = { _ in }) -> String {
        var sentence = RosterSentence(report: report, commands: NextCommands(), moment: Moment(now: Self.now, timeZone: .gmt))
        change(&sentence)
        return sentence.text
    }

    @Test func completeListHasItsCountAndAge() {
        #expect(sentence(Self.report()) == "4 people of manager@lab.test at breathesafe, read 3 minutes ago.")
        let one = Self.report { $0.count = 1 }
        #expect(sentence(one) == "1 person of manager@lab.test at breathesafe, read 3 minutes ago.")
        let none = Self.report { $0.count = 0 }
        #expect(sentence(none) == "manager@lab.test has no people at breathesafe, as of 3 minutes ago.")
    }

    @Test func newRowsAreCountedApart() {
        let one = sentence(Self.report()) { $0.counts.new = 1 }
        #expect(one == "4 people of manager@lab.test at breathesafe, read 3 minutes ago. 1 new person is not created yet.")
        let unread = sentence(Self.report(.unread)) { $0.counts.new = 2 }
        #expect(unread.hasSuffix(" 2 new people are not created yet."))
    }

    @Test func changesAfterTheReadAreCountedApart() {
        let both = sentence(Self.report()) { ($0.counts.created, $0.counts.deleted) = (1, 2) }
        #expect(both.hasSuffix(", read 3 minutes ago. After that, 1 person was added and 2 people were deleted."))
        let found = sentence(Self.report()) {
            $0.selection = RosterSentence.Selection(text: "anna", matching: 1)
            ($0.counts.created, $0.counts.deleted) = (2, 1)
        }
        #expect(found == "1 of 4 people, read 3 minutes ago. After that, 2 people were added.")
    }

    @Test func searchSaysHowManyMatch() {
        let some = sentence(Self.report()) { $0.selection = RosterSentence.Selection(text: "anna", matching: 1) }
        #expect(some == "1 of 4 people, read 3 minutes ago.")
        let none = sentence(Self.report()) { $0.selection = RosterSentence.Selection(text: "bob", matching: 0) }
        #expect(none == "No person matches ‘bob’ among 4 people, read 3 minutes ago.")
        let new = sentence(Self.report()) {
            $0.selection = RosterSentence.Selection(text: "bob", matching: 0)
            $0.counts.new = 1
        }
        #expect(new == "No other person matches ‘bob’ among 4 people, read 3 minutes ago. 1 new person matches, and is not created yet.")
        // A search must not hide that the list is incomplete.
        let changing = Self.report(.incomplete) { $0.reason = "changing" }
        let missing = sentence(changing) { $0.selection = RosterSentence.Selection(text: "bob", matching: 0) }
        #expect(missing.contains("people may be missing"))
    }

    @Test func unreadListSaysWhatHappensNext() {
        let unread = Self.report(.unread)
        #expect(sentence(unread) == "Your people have not been read yet. To read them now, run ‘homing people --refresh’.")
        #expect(
            sentence(Self.report(.unread) { $0.reading = true })
                == "Homing is reading your people from breathesafe for the first time. Run the command again in a minute.")
        #expect(
            sentence(unread) { $0.failure = Self.offline }
                == "Your people have not been read yet, because breathesafe is unreachable. Homing reads them when it is reachable again.")
        #expect(
            sentence(unread) {
                $0.isPaused = true
                $0.failure = Self.offline
            }
                == "Your people have not been read yet, because sending to breathesafe is paused. To end the pause, run ‘homing resume’.")
        #expect(
            sentence(unread) {
                $0.failure = Self.broken
                $0.nextTry = Self.ago(-600)
            } == """
                Your people could not be read: breathesafe answered with a server error (500). Homing tries again at 05:56. To try now, \
                run ‘homing people --refresh’.
                """)
        let due = sentence(unread) { ($0.failure, $0.nextTry) = (Self.broken, Self.ago(1)) }
        #expect(due.contains(" Homing is trying again now. "), "\(due)")
    }

    @Test func incompleteListSaysWhatIsMissing() {
        let base = "4 people of manager@lab.test at breathesafe, read 3 minutes ago. "
        func missing(_ reason: Incompleteness, total: Int) -> String {
            let text = sentence(
                Self.report(.incomplete) {
                    $0.reason = reason.rawValue
                    $0.total = total
                })
            #expect(text.hasPrefix(base))
            return String(text.dropFirst(base.count))
        }
        #expect(missing(.limit, total: 12_345) == "Homing keeps only the first 4 of 12345 people.")
        #expect(
            missing(.changing, total: 5)
                == "The list changed while Homing read it, so people may be missing. To read it again, run ‘homing people --refresh’.")
        #expect(
            missing(.contradiction, total: 5) == """
                Homing read the list several times, and the answers of breathesafe contradict each other: the rows that it lists do not fit \
                the number of people that it states. So people may be missing. Tell the administrator of breathesafe.
                """)
        #expect(missing(.rows, total: 7) == "3 rows have no id, or a value twice, and are left out.")
        #expect(missing(.rows, total: 5) == "1 row has no id, or a value twice, and is left out.")
        #expect(missing(.rows, total: 4) == "Rows without an id, or with a value twice, are left out.")
    }

    @Test func oldListSaysWhyItIsNotReadAgain() {
        let old = Self.report {
            $0.readAt = Self.ago(3 * 86_400)
            $0.stale = true
            $0.failingSince = Self.ago(2 * 86_400)
        }
        let base = "4 people of manager@lab.test at breathesafe, read 3 days ago."
        #expect(sentence(old) { $0.failure = Self.offline } == "\(base) breathesafe has been unreachable since 4 Dec 05:46.")
        #expect(
            sentence(old) { $0.failure = Self.broken }
                == "\(base) Reading the list again has failed since 4 Dec 05:46: breathesafe answered with a server error (500).")
        #expect(
            sentence(old) { $0.isPaused = true } == "\(base) Homing does not read the list again while sending to breathesafe is paused.")
        #expect(sentence(Self.report { $0.stale = true }) { $0.failure = Self.offline }.hasSuffix(" breathesafe is unreachable."))
        // A pause does not matter while the list is recent.
        #expect(!sentence(Self.report()) { $0.isPaused = true }.contains("paused"))
    }

    @Test func signedOutShowsNoCount() {
        #expect(
            sentence(Self.report(.signedOut)) == "Signed out of breathesafe. To see your people, sign in with ‘homing login’.")
        let ended = Self.report(.signedOut) { $0.email = "manager@lab.test" }
        #expect(sentence(ended).hasPrefix("The session of manager@lab.test at breathesafe has ended. To see your people,"))
    }

    @Test func commandNamesTheListAndTheBackendIfNeeded() {
        let several = NextCommands(backend: "notes")
        #expect(several.refresh(Self.report()) == "homing people --refresh --backend notes")
        let spaced = Self.report { $0.title.many = "managed people" }
        #expect(NextCommands().refresh(spaced) == "homing roster managed_users --refresh")
    }
}
