import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct StatusTextTests {
    private func text(_ status: Status, backend: String? = nil) -> String {
        StatusText(style: .plain, times: Sample.times).lines(status.only(backend))
    }

    @Test func showsEverythingDelivered() {
        let status = Sample.status(
            "Everything that was captured here has gone up.",
            backends: [
                Sample.backend(session: Sample.session(remembered: true), queue: .init(delivered: 412), last: Sample.ago(minutes: 10))
            ],
            spool: SpoolReport(directory: "/var/lib/homing/spool", waiting: 0, refused: 0))
        #expect(
            text(status) == """
                Everything that was captured here has gone up.

                breathesafe  https://breathesafe.example
                  account         anna@clinic.example, signed in since 12:10, password kept
                  entries         412 delivered
                  sending         on
                  last delivered  10 minutes ago (14:05)

                drop folder  /var/lib/homing/spool
                  empty: no files are waiting
                """)
    }

    @Test func showsEntriesWaitingForTheNetwork() {
        let status = Sample.status(
            "3 measurements wait until the network is back.",
            backends: [
                Sample.backend(
                    gate: "cooling", reason: "The server cannot be reached.", queue: .init(pending: 2, inflight: 1, delivered: 9),
                    oldest: Sample.ago(minutes: 200), next: Sample.now.addingTimeInterval(150))
            ])
        #expect(
            text(status) == """
                3 measurements wait until the network is back.

                breathesafe  https://breathesafe.example
                  account         anna@clinic.example, signed in since 12:10
                  entries         2 waiting, 1 being sent, 9 delivered
                  sending         waiting to try again: The server cannot be reached.
                  oldest waiting  accepted 3 hours ago (10:55)
                  next try        in 2 minutes (14:17)
                """)
    }

    @Test func narrowTerminalShowsValuesBelowTheirLabels() {
        let status = Sample.status(
            "Everything that was captured here has been delivered.",
            backends: [Sample.backend(queue: .init(delivered: 412), last: Sample.ago(minutes: 10))],
            spool: SpoolReport(directory: "/var/lib/homing/spool", waiting: 2, refused: 1))
        #expect(
            StatusText(style: .plain, times: Sample.times, width: 40, wrapsSentence: true).lines(status) == """
                Everything that was captured here has
                been delivered.

                breathesafe  https://breathesafe.example
                  account
                    anna@clinic.example, signed in since
                    12:10
                  entries
                    412 delivered
                  sending
                    on
                  last delivered
                    10 minutes ago (14:05)

                drop folder  /var/lib/homing/spool
                  2 files not accepted yet; 1 file
                  refused, with its reason beside it
                """)
    }

    @Test(arguments: [40, 80, 120]) func fitsItsWidth(width: Int) {
        let name = String(repeating: "名e\u{301}", count: 70)
        var report = Sample.backend(
            gate: "cooling", reason: "\(name) kann nicht erreicht werden.", queue: .init(pending: 1, inflight: 1, held: 1, dead: 1),
            oldest: Sample.ago(minutes: 200), others: [WaitingAccount(account: "9", email: name, waiting: 1)])
        report.session.email = name
        report.rosters = [Sample.people]
        let status = Sample.status(
            "2 Aufnahmen von \(name) warten.",
            attention: [Attention(code: "dead", text: name, next: "\(name) ‘homing list --state failed’")],
            backends: [report], spool: SpoolReport(directory: "/var/lib/homing/spool", waiting: 2, refused: 1, stuck: 1))
        let text = StatusText(style: .plain, times: Sample.times, width: width, wrapsSentence: true).lines(status)
        for line in text.split(separator: "\n").map(String.init) { #expect(line.columns <= width, "\(line)") }
        // Nothing is cut: the name is in the sentence, in both parts of the item, and in three facts.
        #expect(text.count { $0 == "名" } == 6 * 70 && !text.contains("…"))
    }

    @Test func sentenceIsOneLineForPrograms() {
        let sentence = String(repeating: "word ", count: 50) + "end."
        #expect(text(Sample.status(sentence)).hasPrefix(sentence + "\n"))
    }

    @Test func showsFailingRoute() {
        var report = Sample.backend(queue: .init(pending: 2))
        var route = CoolingRoute(
            route: "measurement", since: Sample.ago(minutes: 1), until: Sample.now, reason: "one answered with a server error (500).")
        route.title = Sample.measurement
        report.coolingRoutes = [route]
        #expect(
            text(Sample.status(backends: [report])).contains(
                "sending  on, except for measurements: one answered with a server error"))
        var other = route
        other.reason = "breathesafe answered: Not Found."
        other.title = RosterTitle(one: "profile", many: "profiles")
        report.coolingRoutes = [route, other]
        #expect(
            StatusText.sending(report)
                == "on, except for measurements and profiles: breathesafe answered: Not Found; one answered with a server error (500).")
        report.queue = .init(delivered: 1)
        #expect(StatusText.sending(report) == "on")
    }

    @Test func aConnectionThatNothingHasProvenSinceHasItsAge() {
        var report = Sample.backend()
        #expect(!text(Sample.status(backends: [report])).contains("last reached"))
        report.connectedAt = Sample.ago(minutes: 200)
        #expect(text(Sample.status(backends: [report])).contains("last reached  3 hours ago"))
    }

    @Test func showsOwedSignOuts() {
        var report = Sample.backend()
        report.owedSignOuts = [OwedSignOutReport(account: "5", until: Sample.now, sentence: "b has not yet heard of it.")]
        #expect(text(Sample.status(backends: [report])).contains("sign-out  b has not yet heard of it."))
    }

    @Test func countsEntriesWithFailingLookUps() {
        let report = Sample.backend(queue: .init(pending: 3, unseen: 1))
        #expect(text(Sample.status(backends: [report])).contains("look-ups  1 entry is waiting for a look-up that keeps failing"))
    }

    @Test func showsAgeOfEachList() {
        var report = Sample.backend()
        let lists = RosterSummary(resource: "lists", title: RosterTitle(one: "list", many: "lists"), state: "unread")
        report.rosters = [Sample.people, lists]
        let lines = text(Sample.status(backends: [report])).split(separator: "\n").map(String.init)
        #expect(lines.suffix(2) == ["  people   4, read 3 minutes ago (14:12)", "  lists    not read yet"])
    }

    @Test func saysWhyAListCannotBeRead() {
        var report = Sample.backend()
        var (people, lists) = (
            Sample.people, RosterSummary(resource: "lists", title: RosterTitle(one: "list", many: "lists"), state: "unread")
        )
        (people.failure, lists.failure) = ("breathesafe is unreachable.", "It was too slow.")
        report.rosters = [people, lists]
        let lines = text(Sample.status(backends: [report])).split(separator: "\n").map(String.init)
        #expect(
            lines.suffix(2) == [
                "  people   4, read 3 minutes ago (14:12); reading it again failed: breathesafe is unreachable.",
                "  lists    not read yet: It was too slow.",
            ])
    }

    @Test func showsRequiredSignIn() {
        let status = Sample.status(
            "1 measurement waits until Anna signs in.",
            attention: [Attention(code: "sign-in-required", text: "Anna must sign in again.", next: "Run ‘homing login’.")],
            backends: [
                Sample.backend(
                    gate: "signInRequired", session: Sample.session("signInRequired", reason: "The password was changed."),
                    queue: .init(pending: 1))
            ])
        #expect(
            text(status) == """
                1 measurement waits until Anna signs in.

                Needs a person:
                  • Anna must sign in again.
                    → Run ‘homing login’.

                breathesafe  https://breathesafe.example
                  account  anna@clinic.example must sign in again: The password was changed.
                  entries  1 waiting
                  sending  stopped until anna@clinic.example signs in
                """)
    }

    @Test func showsFailedEntriesFirst() throws {
        let status = Sample.status(
            "2 measurements could not be delivered.",
            attention: [
                Attention(code: "dead", text: "2 measurements were refused.", next: "See ‘homing list --state failed’."),
                Attention(code: "refused-files", text: "1 file was refused.", next: "Look beside it."),
            ],
            backends: [Sample.backend(queue: .init(held: 1, dead: 2, discarded: 1))],
            spool: SpoolReport(directory: "/spool", waiting: 2, refused: 1))
        let lines = text(status).split(separator: "\n").map(String.init)
        #expect(lines[1...3] == ["Needs a person:", "  • 2 measurements were refused.", "    → See ‘homing list --state failed’."])
        #expect(lines.contains("  entries  1 on hold, 2 failed, 1 discarded"))
        #expect(lines.last == "  2 files not accepted yet; 1 file refused, with its reason beside it")
    }

    @Test func showsEntriesOfOtherAccounts() {
        let others = [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 1)]
        let status = Sample.status(backends: [Sample.backend(queue: .init(pending: 1), others: others)])
        #expect(text(status).contains("  others   1 entry is waiting until bob@clinic.example signs in"))
    }

    @Test func showsNewDaemonWithoutEntriesOrAccount() {
        let status = Sample.status("Nothing has been captured yet.", backends: [Sample.backend(session: Sample.session("signedOut"))])
        #expect(
            text(status) == """
                Nothing has been captured yet.

                breathesafe  https://breathesafe.example
                  account  none signed in. To sign in, run: homing login
                  entries  none yet
                  sending  on
                """)
    }

    @Test func showsOnlyTheNamedBackend() throws {
        var two = Sample.backend("two")
        two.sentence = "Two is well."
        let status = Sample.status("One is not.", backends: [Sample.backend("one"), two])
        #expect(!text(status, backend: "two").contains("one.example"))
        #expect(text(status, backend: "two").hasPrefix("Two is well.\n"))
        #expect(text(status).hasPrefix("One is not.\n"))
        try status.requireBackend("two")
        let expected = Problem.invalid(
            "There is no backend ‘three’; configured: one and two.", next: "Name one of these with --backend.")
        #expect(throws: expected) {
            try status.requireBackend("three")
        }
    }

    @Test func longSentencesAreWrapped() {
        let long = Array(repeating: "measurement", count: 30).joined(separator: " ")
        let lines = text(Sample.status(attention: [Attention(code: "dead", text: long, next: long)], backends: [])).split(separator: "\n")
        #expect(lines.count > 6 && lines.allSatisfy { $0.count <= 100 })
    }

    @Test func sentenceIsGreenWithoutAttention() {
        let coloured = StatusText(style: TextStyle(isColoured: true), times: Sample.times)
        #expect(coloured.lines(Sample.status(backends: [])) == "\u{1B}[32mAll is well.\u{1B}[0m")
    }
}
