import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct SessionTextTests {
    @Test func signOutPromptCountsWaitingEntries() {
        let busy = Sample.backend(
            queue: .init(pending: 4), others: [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 1)])
        #expect(
            SessionText.beforeSigningOut(busy) == """
                anna@clinic.example is signed in at breathesafe. 3 entries of this account are waiting.
                Signing out loses no data: waiting entries stay on this station until anna@clinic.example signs in again.
                """)
        #expect(SessionText.beforeSigningOut(Sample.backend()).hasSuffix("No entries of this account are waiting."))
        let ended = Sample.backend(session: Sample.session("signInRequired"))
        #expect(SessionText.beforeSigningOut(ended).hasPrefix("anna@clinic.example must sign in again at breathesafe."))
    }

    @Test(arguments: [
        ("ended", "The server has ended the session too."), ("alreadyGone", "The session had already ended on the server."),
        ("failed", "The session could not be ended on the server. It cannot be reached."),
    ])
    func signOutReportsServerResult(server: String, line: String) {
        let report = SignOutReport(
            backend: "breathesafe", local: "cleared", server: server, serverReason: server == "failed" ? "It cannot be reached." : nil,
            email: "anna@clinic.example", waiting: 1)
        let lines = SessionText.signedOut(report).split(separator: "\n").map(String.init)
        #expect(lines.first == "anna@clinic.example is signed out of breathesafe on this station.")
        #expect(lines[1] == line)
        #expect(lines.last == "1 entry of anna@clinic.example is waiting. To send it, run: homing login")
    }

    @Test func signOutPromptWarnsOfDiscardedEntries() {
        var doomed = Sample.backend(queue: .init(pending: 4))
        doomed.discardedBySigningOut = 3
        let told = SessionText.beforeSigningOut(doomed)
        #expect(told.contains("3 entries of this account are not delivered."))
        #expect(told.contains("Signing out discards them for good"))
        #expect(!told.contains("loses no data"))
        doomed.discardedBySigningOut = 0
        #expect(!SessionText.beforeSigningOut(doomed).contains("discard"))
    }

    @Test func signOutReportsDiscardedEntries() {
        let report = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 0, discarded: 1)
        #expect(SessionText.signedOut(report).hasSuffix("1 entry of a@b.c was discarded, as the profile of b requires."))
    }

    @Test func signOutSaysWhatBecameOfTheLists() {
        var report = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 0)
        let (people, lists) = (Sample.people, RosterSummary(resource: "l", title: RosterTitle(one: "list", many: "lists"), state: "unread"))
        #expect(
            SessionText.signedOut(report, lists: [people, lists]).hasSuffix("\nThe stored list of people was deleted from this station."))
        #expect(!SessionText.signedOut(report, lists: [lists]).contains("stored"))
        report.dataKept = true
        #expect(
            SessionText.signedOut(report, lists: [people]).hasSuffix(
                "\nThe stored list of people was kept. It is shown when a@b.c signs in again."))
        #expect(
            SessionText.signedOut(report, lists: [people, people]).hasSuffix(
                "\nThe stored lists of people and people were kept. They are shown when a@b.c signs in again."))
    }

    @Test func signOutNamesLoginCommandOfItsBackend() {
        let report = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 2)
        let text = SessionText.signedOut(report, login: "homing login --backend b")
        #expect(text.hasSuffix("2 entries of a@b.c are waiting. To send them, run: homing login --backend b"))
    }

    @Test(arguments: ["alreadyGone", "failed", "none"]) func explainsSigningOutOtherDevices(server: String) {
        let way = "Other devices were not signed out. To sign them out, run: homing login\nThen run: homing logout --all-devices"
        for email in ["a@b.c", nil] {
            let report = SignOutReport(backend: "b", local: "cleared", server: server, email: email, waiting: 0)
            #expect(SessionText.signedOut(report, allDevices: "homing logout --all-devices").hasSuffix(way))
            #expect(!SessionText.signedOut(report).contains("Other devices"))
        }
        let ended = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 0)
        #expect(!SessionText.signedOut(ended, allDevices: "homing logout --all-devices").contains("Other devices"))
    }

    @Test func signOutSaysUntilWhenTheServerIsTold() {
        var report = SignOutReport(backend: "b", local: "cleared", server: "failed", serverReason: "It is off.", email: "a@b.c", waiting: 0)
        #expect(SessionText.signedOut(report, times: Sample.times).hasSuffix("sign in on the website and sign out there."))
        report.owedUntil = Sample.now.addingTimeInterval(86_400)
        let owed = "\nHoming keeps trying to tell the server of the sign-out, until 12 Mar 14:15."
        #expect(SessionText.signedOut(report, times: Sample.times).hasSuffix(owed))
        let all = SessionText.signedOut(report, allDevices: "homing logout --all-devices", times: Sample.times)
        let others =
            "\nOther devices stay signed in, because the server could not be reached.\nTo sign them out once there is a network, "
            + "run: homing login\nThen run: homing logout --all-devices"
        #expect(all.hasSuffix(owed + others))
    }

    @Test func signInReportsUnusedNameAndWaitingEntries() {
        let session = Sample.session("signedIn")
        let plain = SessionText.signedIn(session, named: " Anna@clinic.example")
        #expect(plain.split(separator: "\n").count == 2)
        let others = [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 1)]
        let told = SessionText.signedIn(session, named: "desk", others: others).split(separator: "\n")
        #expect(told.count == 4)
        #expect(told[1] == "The account keeps the name that it already has here; the name desk was not used.")
        let moved = SessionText.signedIn(session, elsewhere: 12).split(separator: "\n")
        #expect(moved.last == "12 entries are waiting for the former address of breathesafe. To see the next step, run: homing status")
        #expect(told[3] == "1 entry is waiting for bob@clinic.example to sign in. Signing in as another account does not send it.")
    }

    @Test func signInSaysThatAPasswordIsNoLongerKept() {
        let (kept, plain) = (Sample.session(remembered: true), Sample.session())
        let note = SessionText.forgotten(plain, before: kept, backend: nil)
        #expect(
            note == "Homing no longer keeps the password of anna@clinic.example. "
                + "To keep it, run: homing login --email anna@clinic.example --remember")
        #expect(SessionText.forgotten(plain, before: Sample.session("signInRequired", remembered: true), backend: nil) == note)
        #expect(
            SessionText.forgotten(plain, before: kept, backend: "notes")?.hasSuffix(
                "run: homing login --backend notes --email anna@clinic.example --remember") == true)
        #expect(SessionText.signedIn(plain, forgotten: "It is gone.").split(separator: "\n")[1] == "It is gone.")
        var other = kept
        other.account = "9"
        for (after, before) in [(kept, kept), (plain, plain), (kept, plain), (plain, other), (plain, Sample.session("signedOut"))] {
            #expect(SessionText.forgotten(after, before: before, backend: nil) == nil)
        }
    }

    @Test func signOutReportsNoSignedInAccount() {
        let report = SignOutReport(backend: "breathesafe", local: "cleared", server: "none", waiting: 0)
        #expect(SessionText.signedOut(report) == "No account was signed in at breathesafe.")
    }

    @Test func theOnlyBackendNeedsNoName() throws {
        #expect(try Sample.status().backend(named: nil).name == "breathesafe")
        let two = Sample.status(backends: [Sample.backend("one"), Sample.backend("two")])
        #expect(try two.backend(named: "two").name == "two")
        #expect(throws: Problem.self) { try two.backend(named: nil) }
        #expect(throws: Problem.self) { try Sample.status(backends: []).backend(named: nil) }
    }
}
