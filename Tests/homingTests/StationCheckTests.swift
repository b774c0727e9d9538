import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct StationCheckTests {
    private func check(_ status: Status, _ limits: StationCheck.Limits = .init(), backend: String? = nil) -> StationCheck.Outcome {
        StationCheck(times: Sample.times, limits: limits).outcome(status.only(backend))
    }

    private func text(_ outcome: StationCheck.Outcome) -> String {
        outcome.line.components(separatedBy: " | ")[0]
    }

    private let dead = Attention(.dead, "1 capture was refused.", next: "See it.")
    private let signIn = Attention(.signInRequired, "Anna must sign in again.", next: "Run ‘homing login’.")

    private var waiting: Status {
        var report = Sample.backend(
            gate: "cooling", reason: "No answer.", queue: .init(pending: 2, inflight: 1, held: 5, dead: 4),
            oldest: Sample.ago(minutes: 200))
        report.oldestWaitingID = Sample.id(1)
        return Sample.status("3 captures wait.", backends: [report])
    }

    @Test func eachStateHasItsWordAndItsCode() {
        let well = check(Sample.status())
        #expect(well.line == "HOMING OK - All is well. | waiting=0;;;0 oldest=0s;3600;86400;0 failed=0;;;0 held=0;;;0")
        #expect(well.state.rawValue == 0)
        let signedOut = check(Sample.status(attention: [signIn]))
        #expect(text(signedOut) == "HOMING WARNING - Anna must sign in again." && signedOut.state.rawValue == 1)
        let refused = check(Sample.status(attention: [signIn, dead]))
        #expect(text(refused) == "HOMING CRITICAL - 1 capture was refused. Anna must sign in again." && refused.state.rawValue == 2)
    }

    @Test(arguments: [("daemon-not-running", 2), ("timeout", 3), ("not-permitted", 3), ("invalid-request", 3), ("busy", 3)])
    func problemsHaveNoFigures(code: String, exit: Int32) {
        let outcome = StationCheck.outcome(Problem(Problem.Code(code), status: 503, title: "", detail: "No daemon is listening at /s."))
        #expect(outcome.state.rawValue == exit)
        #expect(outcome.line == "HOMING \(exit == 2 ? "CRITICAL" : "UNKNOWN") - No daemon is listening at /s.")
    }

    @Test(arguments: Attention.Code.allCases) func everyNoticeIsAtLeastAWarning(code: Attention.Code) {
        #expect([.warning, .critical].contains(StationCheck.state(of: Attention(code, "", next: ""))))
    }

    @Test(
        arguments: [
            (4 * 3600, 86_400, "OK", "3 captures wait."),
            (
                3 * 3600, 86_400, "WARNING",
                "Entry \(Sample.id(1)) for breathesafe was accepted 3 hours ago (10:55) and is still waiting. No answer."
            ),
            (3600, 3 * 3600, "CRITICAL", "Entry \(Sample.id(1)) for breathesafe was accepted 3 hours ago (10:55)"),
        ] as [(TimeInterval, TimeInterval, String, String)])
    func ageOfTheOldestEntryHasTwoLimits(warning: TimeInterval, critical: TimeInterval, word: String, said: String) {
        let outcome = check(waiting, .init(warningAge: warning, criticalAge: critical))
        #expect(outcome.line.hasPrefix("HOMING \(word) - \(said)"), "\(outcome.line)")
        let figures = "waiting=3;;;0 oldest=12000s;\(Int(warning));\(Int(critical));0 failed=4;;;0 held=5;;;0"
        #expect(outcome.line.hasSuffix(" | \(figures)"), "\(outcome.line)")
    }

    @Test(arguments: [(3, 5, "OK"), (2, 5, "WARNING"), (1, 2, "CRITICAL")])
    func numberOfWaitingEntriesHasTwoLimits(warning: Int, critical: Int, word: String) {
        let limits = StationCheck.Limits(warningAge: 86_400, warningWaiting: warning, criticalWaiting: critical)
        let line = check(waiting, limits).line
        #expect(line.hasPrefix("HOMING \(word) - ") && line.contains(" | waiting=3;\(warning);\(critical);0 "), "\(line)")
        #expect(line.contains("3 entries are waiting. ") == (word != "OK"))
    }

    @Test func oldEntryOutranksSignIn() {
        var status = waiting
        status.attention = [signIn]
        let line = check(status, .init(warningAge: 60, criticalAge: 60)).line
        #expect(line.hasPrefix("HOMING CRITICAL - Entry "))
        #expect(line.contains(" Anna must sign in again. Homing cannot deliver to breathesafe: "))
    }

    @Test func reportsOnlyTheNamedBackend() {
        var (good, bad) = (Sample.backend("good"), Sample.backend("bad", queue: .init(pending: 7)))
        (good.sentence, bad.sentence) = ("Good is well.", "1 capture could not be delivered.")
        var item = dead
        item.backend = "bad"
        let status = Sample.status("1 capture could not be delivered.", attention: [item], backends: [bad, good])
        #expect(check(status, backend: "good").line.hasPrefix("HOMING OK - Good is well. | waiting=0;"))
        #expect(check(status, backend: "bad").state == .critical)
        #expect(check(status).state == .critical)
    }

    @Test func textNeitherEndsTheLineNorBeginsTheFigures() {
        let line = check(Sample.status("two\nlines\u{1B}[31m | waiting=9")).line
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(line.components(separatedBy: "|").count == 2)
    }

    @Test func namesEveryFault() {
        var away = Sample.backend("away", gate: "cooling", reason: "It does not answer.", queue: .init(pending: 2))
        away.gateCause = "offline"
        let idle = Sample.backend("idle", gate: "cooling", reason: "It does not answer either.")
        let outcome = check(Sample.status(attention: [dead, signIn], backends: [away, idle, Sample.backend("refusing")]))
        #expect(
            text(outcome)
                == "HOMING CRITICAL - 1 capture was refused. Anna must sign in again. Homing cannot deliver to away: It does not answer.")
    }
}
