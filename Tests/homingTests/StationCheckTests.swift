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

    private let dead = Attention(.dead, "1 capture of Anna was refused.", next: "See it.", backend: "breathesafe").stating { $0.count = 1 }
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
        #expect(well.line == "HOMING OK - Nothing is waiting. | waiting=0;;;0 oldest=0s;3600;86400;0 failed=0;;;0 held=0;;;0")
        #expect(well.state.rawValue == 0)
        let signedOut = check(Sample.status(attention: [signIn]))
        #expect(text(signedOut) == "HOMING WARNING - Not signed in at the backend." && signedOut.state.rawValue == 1)
        let refused = check(Sample.status(attention: [signIn, dead]))
        let words = "HOMING CRITICAL - 1 entry for breathesafe was refused or ran out of attempts. Not signed in at the backend."
        #expect(text(refused) == words && refused.state.rawValue == 2)
    }

    /// The refused entry waits too, and is not counted beside itself.
    @Test(arguments: [(0, ""), (1, ", and 1 other entry is waiting"), (2, ", and 2 other entries are waiting")])
    func refusedEntryIsNamedByItsKind(others: Int, more: String) {
        let item = Attention(.routeFailing, "Words of a server.", next: "See it.", backend: "breathesafe").stating {
            ($0.count, $0.title) = (others, RosterTitle(one: "capture", many: "captures"))
        }
        #expect(text(check(Sample.status(attention: [item]))) == "HOMING WARNING - breathesafe refused one capture\(more).")
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
            (4 * 3600, 86_400, "OK", "3 entries are waiting."),
            (
                3 * 3600, 86_400, "WARNING",
                "Entry 3f2a91c04b01 for breathesafe was accepted 3 hours ago (10:55) and is still waiting. Homing cannot deliver to breathesafe. |"
            ),
            (3600, 3 * 3600, "CRITICAL", "Entry 3f2a91c04b01 for breathesafe was accepted 3 hours ago (10:55)"),
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
        // The cause comes first.
        if word != "OK" { #expect(line.contains(" - Homing cannot deliver to breathesafe. 3 entries are waiting. | "), "\(line)") }
    }

    @Test func oldEntryOutranksSignIn() {
        var status = waiting
        status.attention = [signIn]
        let line = check(status, .init(warningAge: 60, criticalAge: 60)).line
        #expect(line.hasPrefix("HOMING CRITICAL - Entry "))
        #expect(line.contains(" Not signed in at the backend. Homing cannot deliver to breathesafe. | "))
    }

    @Test func reportsOnlyTheNamedBackend() {
        var (good, bad) = (Sample.backend("good"), Sample.backend("bad", queue: .init(pending: 7)))
        (good.sentence, bad.sentence) = ("Good is well.", "1 capture could not be delivered.")
        var item = dead
        item.backend = "bad"
        let status = Sample.status("1 capture could not be delivered.", attention: [item], backends: [bad, good])
        #expect(check(status, backend: "good").line.hasPrefix("HOMING OK - Nothing is waiting. | waiting=0;"))
        #expect(check(status, backend: "bad").state == .critical)
        #expect(check(status).state == .critical)
    }

    @Test func textNeitherEndsTheLineNorBeginsTheFigures() {
        let item = Attention(.diskFull, "two\nlines\u{1B}[31m | waiting=9", next: "")
        let line = check(Sample.status(attention: [item])).line
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
                == "HOMING CRITICAL - 1 entry for breathesafe was refused or ran out of attempts. Not signed in at the backend. Homing cannot deliver to away: it cannot be reached."
        )
    }

    /// Texts of the daemon, sentences and reasons may name people, their files, and what servers say.
    @Test(arguments: Attention.Code.allCases) func namesNobody(code: Attention.Code) {
        let harmless: [Attention.Code] = [
            .storeGone, .storeDamaged, .keyDeleted, .diskFull, .outboxFull, .noProfile, .diskLow, .unclaimedFiles, .refusedFiles,
        ]
        let item = Attention(code, harmless.contains(code) ? "It is so." : "Anna is here.", next: "Ask Anna.", backend: "b")
            .stating { ($0.count, $0.name, $0.account, $0.person, $0.words) = (2, "Anna", "anna@lab.test", "anna", "Anna said so") }
        var report = Sample.backend("b", gate: "cooling", reason: "Anna.", queue: .init(pending: 2), oldest: Sample.ago(minutes: 5000))
        report.sentence = "Anna must sign in."
        for status in [Sample.status("Anna.", attention: [item], backends: [report]), Sample.status("Anna.", attention: [item])] {
            let outcome = check(status)
            #expect(!outcome.line.lowercased().contains("anna") && outcome.state != .ok, "\(outcome.line)")
        }
    }

    @Test func pauseIsNamedBeforeTheWaitingEntries() {
        var report = Sample.backend(gate: "paused", queue: .init(pending: 9))
        report.pause = PauseReport(backend: "breathesafe", reason: "Anna", since: Sample.ago(minutes: 5), until: nil, by: "anna")
        let outcome = check(Sample.status(backends: [report]), .init(warningWaiting: 5))
        #expect(text(outcome) == "HOMING WARNING - Sending to breathesafe is paused. 9 entries are waiting.")
    }

    @Test func resultIsJSONToo() throws {
        let well = String(decoding: JSONCoding.encoded(check(waiting, .init(warningAge: 1e6, criticalAge: 1e6))), as: UTF8.self)
        #expect(well.contains(#""state":"ok""#) && well.contains(#""waiting":3"#), "\(well)")
        let silent = StationCheck.outcome(Problem(.timeout, status: 504, title: "", detail: "No answer."))
        #expect(!String(decoding: JSONCoding.encoded(silent), as: UTF8.self).contains("figures"))
    }
}
