import ArgumentParser
import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct PauseReportTextTests {
    private func pause(_ backend: String = "breathesafe", ends: Bool = true) -> PauseReport {
        PauseReport(
            backend: backend, reason: "backup", since: Sample.now, until: ends ? Sample.now.addingTimeInterval(7200) : nil, by: "anna")
    }
    private let text = PauseReportText(times: Sample.times)

    @Test func pauseTextNamesEndAndEntriesBeingSent() {
        #expect(
            text.paused(PauseList(pauses: [pause()], inflight: 2)) == """
                Sending to breathesafe is paused until 16:15. Homing still accepts captures and keeps them safe.
                2 entries already being sent will be finished.
                """)
        #expect(
            text.paused(PauseList(pauses: [pause("a", ends: false), pause("b", ends: false)], inflight: 0))
                == "Sending to a and b is paused until you run ‘homing resume’. Homing still accepts captures and keeps them safe.")
    }

    @Test func resumeTextNamesBackendAndMissingSignIn() {
        func resumed(_ pauses: [PauseReport], _ backend: String? = nil, gate: String = "open") -> String {
            var report = Sample.backend(gate: gate)
            report.signInCommand = "homing login --token-stdin"
            return PauseReportText.resumed(
                PauseList(pauses: pauses, inflight: 0), backend: backend,
                Sample.status(backends: [report, Sample.backend("other")]).only(backend))
        }
        #expect(resumed([pause()]) == "Sending to breathesafe has resumed.")
        #expect(resumed([]) == "Sending was not paused; it continues.")
        #expect(resumed([], "breathesafe") == "Sending to breathesafe was not paused; it continues.")
        #expect(
            resumed([pause()], gate: "signInRequired") == """
                Sending to breathesafe is no longer paused.
                Nothing is sent to breathesafe until an account signs in. To sign in, run: homing login --token-stdin
                """)
    }

    @Test func submissionDuringPauseMentionsThePause() {
        var status = Sample.status(backends: [Sample.backend(gate: "paused", reason: "Paused by anna until 16:00.")])
        #expect(
            SubmissionText.pause(of: "breathesafe", status)
                == "It is not sent yet. Paused by anna until 16:00. To end the pause, run: homing resume")
        #expect(SubmissionText.pause(of: "other", status) == nil)
        status.backends = [Sample.backend()]
        #expect(SubmissionText.pause(of: "breathesafe", status) == nil)
    }

    @Test func signInAndClaimDuringPauseMentionThePause() throws {
        let paused = Sample.backend(gate: "paused", reason: "Paused by anna until 16:00.")
        let note = try #require(PauseReportText.present(at: "breathesafe", Sample.status(backends: [paused])))
        #expect(note == "Paused by anna until 16:00. To end the pause, run: homing resume")
        let two = Sample.status(backends: [paused, Sample.backend("other")])
        #expect(PauseReportText.present(at: "breathesafe", two)?.hasSuffix("run: homing resume --backend breathesafe") == true)
        #expect(PauseReportText.present(at: "other", two) == nil)

        let signedIn = SessionText.signedIn(Sample.session(), pause: note)
        #expect(signedIn.hasSuffix("\nHoming does not send the waiting entries of this account yet. " + note))
        #expect(!signedIn.contains("automatically") && SessionText.signedIn(Sample.session()).contains("automatically"))
        let claim = ClaimReport(files: 2, backend: "breathesafe", account: "5", email: "a@b.c")
        #expect(ClaimText.claimed(claim, pause: note) == "Claimed 2 files for a@b.c. Homing does not send them yet. " + note)
        #expect(
            ClaimText.claimed(claim)
                == "Claimed 2 files for a@b.c. Homing sends them automatically. To see the progress, run: homing status")
    }

    @Test func statusMentionsPauseOnce() {
        let report = Sample.backend(gate: "paused", reason: "Paused by anna since 14:00 until 16:00.", queue: .init(pending: 1))
        #expect(StatusText.sending(report) == "Paused by anna since 14:00 until 16:00.")
    }

    @Test func waitEndsAtPauseWithoutEnd() {
        func station(_ pause: PauseReport, inflight: Int = 0) -> Status {
            var report = Sample.backend(gate: "paused", reason: "Paused.", queue: .init(pending: 2, inflight: inflight))
            report.pause = pause
            return Sample.status(backends: [report])
        }
        for goesOn in [station(pause()), station(pause(ends: false), inflight: 1)] {
            #expect(!SyncProgress(before: goesOn, now: goesOn, backend: nil).isOver)
        }
        let paused = station(pause(ends: false))
        let progress = SyncProgress(before: paused, now: paused, backend: nil)
        #expect(progress.isOver && progress.paused == ["breathesafe"] && ExitCode(for: progress) == .attentionNeeded)
        #expect(SyncText.outcome(progress).contains("Sending to breathesafe is paused. To resume, run: homing resume\n"))
    }
}
