import ArgumentParser
import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct StatusCheckTests {
    private func check(_ status: Status, maxAge: TimeInterval? = nil, backend: String? = nil) -> StatusCheck.Outcome {
        StatusCheck(times: Sample.times, maxAge: maxAge).outcome(status.only(backend))
    }

    private let dead = Attention(code: "dead", text: "1 capture was refused.", next: "See it.")
    private let signIn = Attention(code: "sign-in-required", text: "Anna must sign in again.", next: "Run ‘homing login’.")

    private var waiting: Status {
        var report = Sample.backend(gate: "cooling", reason: "No answer.", queue: .init(pending: 1), oldest: Sample.ago(minutes: 200))
        report.oldestWaitingID = Sample.id(1)
        return Sample.status("1 capture waits.", backends: [report])
    }

    @Test func eachStateHasItsWordAndItsCode() {
        #expect(check(Sample.status()) == .init(line: "HOMING OK - All is well.", code: .success))
        #expect(
            check(Sample.status(attention: [dead, signIn]))
                == .init(line: "HOMING ATTENTION - 1 capture was refused. Anna must sign in again.", code: .attentionNeeded))
        #expect(
            check(Sample.status(attention: [signIn])) == .init(line: "HOMING SIGN-IN - Anna must sign in again.", code: .signInRequired))
        let gone = Problem(.daemonNotRunning, status: 503, title: "", detail: "No daemon is listening at /s.")
        let outcome = StatusCheck(times: Sample.times, maxAge: nil).outcome(gone)
        #expect(outcome == .init(line: "HOMING NOT RUNNING - No daemon is listening at /s.", code: .daemonNotRunning))
    }

    @Test func namesCaptureWaitingTooLong() {
        #expect(check(waiting, maxAge: 4 * 3600) == .init(line: "HOMING OK - 1 capture waits.", code: .success))
        let old = check(waiting, maxAge: 3 * 3600)
        #expect(old.code == .attentionNeeded)
        #expect(
            old.line
                == "HOMING ATTENTION - Entry \(Sample.id(1)) for breathesafe was accepted 3 hours ago (10:55) and is still waiting. "
                + "No answer."
        )
        #expect(check(waiting, maxAge: 60, backend: "other").code == .success)
    }

    @Test func oldCaptureOutranksMissingSignIn() {
        var status = waiting
        status.attention = [signIn]
        #expect(check(status, maxAge: 60).code == .attentionNeeded)
        #expect(check(status).code == .signInRequired)
    }

    @Test func reportsOnlyTheNamedBackend() {
        var (good, bad) = (Sample.backend("good"), Sample.backend("bad"))
        (good.sentence, bad.sentence) = ("Good is well.", "1 capture could not be delivered.")
        var item = dead
        item.backend = "bad"
        let status = Sample.status("1 capture could not be delivered.", attention: [item], backends: [bad, good])
        #expect(check(status, backend: "good") == .init(line: "HOMING OK - Good is well.", code: .success))
        #expect(check(status, backend: "bad").code == .attentionNeeded)
        #expect(check(status).code == .attentionNeeded)
    }

    @Test func lineHasNoControlCharacters() {
        #expect(!check(Sample.status("two\nlines\u{1B}[31m")).line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func namesEveryFault() {
        var away = Sample.backend("away", gate: "cooling", reason: "It does not answer.", queue: .init(pending: 2))
        away.gateCause = "offline"
        let idle = Sample.backend("idle", gate: "cooling", reason: "It does not answer either.")
        #expect(
            check(Sample.status(attention: [dead, signIn], backends: [away, idle, Sample.backend("refusing")]))
                == .init(
                    line:
                        "HOMING ATTENTION - 1 capture was refused. Anna must sign in again. "
                        + "Homing cannot deliver to away: It does not answer.",
                    code: .attentionNeeded))
        #expect(
            check(Sample.status(attention: [signIn], backends: [away])).line.hasSuffix(
                "Homing cannot deliver to away: It does not answer."))
    }
}
