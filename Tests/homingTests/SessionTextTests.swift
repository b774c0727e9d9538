import ControlAPI
import Testing

@testable import homing

@Suite struct SessionTextTests {
    @Test func beforeSigningOutItIsToldWhatWaits() {
        let busy = Sample.backend(
            queue: .init(pending: 4), others: [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 1)])
        #expect(
            SessionText.beforeSigningOut(busy) == """
                anna@clinic.example is signed in at breathesafe. 3 entries wait to be sent for this account.
                Nothing is lost by signing out: what waits stays safe here until anna@clinic.example signs in again.
                """)
        #expect(SessionText.beforeSigningOut(Sample.backend()).hasSuffix("Nothing waits to be sent for this account."))
        let ended = Sample.backend(session: Sample.session("signInRequired"))
        #expect(SessionText.beforeSigningOut(ended).hasPrefix("anna@clinic.example must sign in again at breathesafe."))
    }

    @Test(arguments: [
        ("ended", "The server has ended the session too."), ("alreadyGone", "On the server the session had ended already."),
        ("failed", "The server could not be told. It cannot be reached."),
    ])
    func signingOutTellsWhatTheServerSaid(server: String, line: String) {
        let report = SignOutReport(
            backend: "breathesafe", local: "cleared", server: server, serverReason: server == "failed" ? "It cannot be reached." : nil,
            email: "anna@clinic.example", waiting: 1)
        let lines = SessionText.signedOut(report).split(separator: "\n").map(String.init)
        #expect(lines.first == "anna@clinic.example is signed out of breathesafe on this station.")
        #expect(lines[1] == line)
        #expect(lines.last == "1 entry waits for anna@clinic.example: sign in again with ‘homing login’ to send what waits.")
    }

    @Test func whoeverIsAboutToDestroyEntriesIsTold() {
        var doomed = Sample.backend(queue: .init(pending: 4))
        doomed.discardedBySigningOut = 3
        let told = SessionText.beforeSigningOut(doomed)
        #expect(told.contains("3 entries of this account have not gone up."))
        #expect(told.contains("Signing out destroys them for ever"))
        #expect(!told.contains("Nothing is lost"))
        doomed.discardedBySigningOut = 0
        #expect(!SessionText.beforeSigningOut(doomed).contains("destroy"))
    }

    @Test func whatWasDestroyedIsTold() {
        let report = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 0, discarded: 1)
        #expect(SessionText.signedOut(report).hasSuffix("1 entry of a@b.c was destroyed, as the profile of b wants it."))
    }

    @Test func ofSeveralBackendsTheWayBackNamesTheOne() {
        let report = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 2)
        let text = SessionText.signedOut(report, login: "homing login --backend b")
        #expect(text.hasSuffix("2 entries wait for a@b.c: sign in again with ‘homing login --backend b’ to send what waits."))
    }

    @Test(arguments: ["alreadyGone", "failed", "none"]) func whereOtherDevicesStaySignedInTheWayToSignThemOutIsTold(server: String) {
        let way = "Other devices were not signed out. To do that, sign in with ‘homing login’, then use ‘homing logout --all-devices’."
        for email in ["a@b.c", nil] {
            let report = SignOutReport(backend: "b", local: "cleared", server: server, email: email, waiting: 0)
            #expect(SessionText.signedOut(report, allDevices: "homing logout --all-devices").hasSuffix(way))
            #expect(!SessionText.signedOut(report).contains("Other devices"))
        }
        let ended = SignOutReport(backend: "b", local: "cleared", server: "ended", email: "a@b.c", waiting: 0)
        #expect(!SessionText.signedOut(ended, allDevices: "homing logout --all-devices").contains("Other devices"))
    }

    @Test func signingInTellsOfANameThatWasNotTakenAndOfWhatWaitsForOthers() {
        let session = Sample.session("signedIn")
        let plain = SessionText.signedIn(session, named: " Anna@clinic.example")
        #expect(plain.split(separator: "\n").count == 2)
        let others = [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 1)]
        let told = SessionText.signedIn(session, named: "desk", others: others).split(separator: "\n")
        #expect(told.count == 4)
        #expect(told[1] == "The account is known by that name here, and keeps it: not desk.")
        let moved = SessionText.signedIn(session, elsewhere: 12).split(separator: "\n")
        #expect(moved.last == "12 entries wait for the address that breathesafe had before: ‘homing status’ says what to do.")
        #expect(told[3] == "1 entry waits for bob@clinic.example: nobody else’s sign-in sends it.")
    }

    @Test func signingOutNobodySaysSo() {
        let report = SignOutReport(backend: "breathesafe", local: "cleared", server: "none", waiting: 0)
        #expect(SessionText.signedOut(report) == "Nobody was signed in at breathesafe.")
    }

    @Test func theOnlyBackendNeedsNoName() throws {
        #expect(try Sample.status().backend(toSignOutOf: nil).name == "breathesafe")
        let two = Sample.status(backends: [Sample.backend("one"), Sample.backend("two")])
        #expect(try two.backend(toSignOutOf: "two").name == "two")
        #expect(throws: Problem.self) { try two.backend(toSignOutOf: nil) }
        #expect(throws: Problem.self) { try Sample.status(backends: []).backend(toSignOutOf: nil) }
    }
}
