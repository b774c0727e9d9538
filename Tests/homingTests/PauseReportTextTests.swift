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

    @Test func pausingSaysUntilWhenAndWhatIsStillSent() {
        #expect(
            text.paused(PauseList(pauses: [pause()], inflight: 2)) == """
                Sending to breathesafe is paused until 16:15. What is captured meanwhile is kept safe here.
                2 entries being sent at this moment will be finished.
                """)
        #expect(
            text.paused(PauseList(pauses: [pause("a", ends: false), pause("b", ends: false)], inflight: 0))
                == "Sending to a and b is paused until ‘homing resume’. What is captured meanwhile is kept safe here.")
    }

    @Test func resumingSaysWhatGoesOn() {
        func resumed(_ pauses: [PauseReport], _ backend: String? = nil, gate: String = "open") -> String {
            var report = Sample.backend(gate: gate)
            report.signInCommand = "homing login --token-stdin"
            return PauseReportText.resumed(
                PauseList(pauses: pauses, inflight: 0), backend: backend,
                Sample.status(backends: [report, Sample.backend("other")]).only(backend))
        }
        #expect(resumed([pause()]) == "Sending to breathesafe goes on.")
        #expect(resumed([]) == "Nothing was paused: sending goes on.")
        #expect(resumed([], "breathesafe") == "Nothing was paused at breathesafe: sending goes on.")
        #expect(
            resumed([pause()], gate: "signInRequired") == """
                Sending to breathesafe is no longer paused.
                At breathesafe nothing is sent until somebody signs in: ‘homing login --token-stdin’.
                """)
    }

    @Test func whoHandsSomethingInDuringAPauseIsTold() {
        var status = Sample.status(backends: [Sample.backend(gate: "paused", reason: "Paused by anna until 16:00.")])
        #expect(
            SubmissionText.pause(of: "breathesafe", status)
                == "It does not go up yet. Paused by anna until 16:00. ‘homing resume’ ends the pause.")
        #expect(SubmissionText.pause(of: "other", status) == nil)
        status.backends = [Sample.backend()]
        #expect(SubmissionText.pause(of: "breathesafe", status) == nil)
    }

    @Test func theStatusSaysItOnce() {
        let report = Sample.backend(gate: "paused", reason: "Paused by anna since 14:00 until 16:00.", queue: .init(pending: 1))
        #expect(StatusText.sending(report) == "Paused by anna since 14:00 until 16:00.")
    }

    @Test func waitingEndsWhereSendingIsPaused() {
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
        #expect(SyncText.outcome(progress).contains("Sending to breathesafe is paused: ‘homing resume’"))
    }
}
