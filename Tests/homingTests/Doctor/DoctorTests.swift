import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct DoctorTests {
    private func findings(_ facts: DoctorFacts) -> [Finding] { Doctor(facts: facts, times: Sample.times).findings }

    private func facts(_ status: Status = Sample.status(), _ change: (inout DoctorFacts) -> Void = { _ in }) -> DoctorFacts {
        var facts = DoctorFacts(version: "0.1.0", status: .success(status))
        change(&facts)
        return facts
    }

    /// `check state` of each result.
    private func words(_ facts: DoctorFacts) -> [String] { findings(facts).map { "\($0.check) \($0.state)" } }

    private let gone = Problem(
        .daemonNotRunning, status: 503, title: "The daemon is not running", detail: "No daemon is listening at /s.", next: "Start it.")

    @Test func wellStationHasOneLinePerCheck() {
        let report = DoctorReport(findings: [Finding(.key, .ok, "k"), Finding(.name, .ok, "n", backend: "breathesafe")])
        let facts = facts(Sample.status(spool: SpoolReport(directory: "/d", waiting: 0, refused: 0))) {
            ($0.examination, $0.units, $0.isClockSynchronised) = (.success(report), ["homingd.service": "enabled"], true)
        }
        let expected = [
            "daemon", "versions", "units", "clock", "name", "store", "key", "drop-folder", "sessions", "backlog", "entries",
        ]
        #expect(words(facts) == expected.map { "\($0) ok" })
        #expect(findings(facts).allSatisfy { $0.remedy == nil })
    }

    @Test func withoutADaemonTheOtherChecksRun() {
        let facts = facts {
            $0.status = .failure(gone)
            ($0.units, $0.isClockSynchronised) = (["homingd.service": "disabled", "homingd.socket": "masked"], false)
            $0.configuration = SystemProgram.Outcome(code: 1, text: "1 mistake.")
        }
        #expect(words(facts) == ["daemon problem", "units problem", "configuration problem", "clock warning"])
        let found = findings(facts)
        #expect(found[0].finding == "No daemon is listening at /s." && found[0].remedy == "Start it.")
        #expect(found[1].finding.hasSuffix(": homingd.service is disabled and homingd.socket is masked."))
        #expect(found.allSatisfy { $0.remedy != nil })
    }

    @Test func uncheckedConfigurationIsANote() throws {
        let found = findings(facts { ($0.status, $0.command) = (.failure(gone), "homingd check --config FILE") })
        let note = try #require(found.first { $0.knownCheck == .configuration })
        #expect(note.knownState == .note && note.isOK && note.remedy == "To check it, run: homingd check --config FILE")
    }

    @Test func checkWithoutAFileSaysThatTheDefaultsApply() throws {
        let found = findings(
            facts {
                $0.status = .failure(gone)
                $0.configuration = SystemProgram.Outcome(code: 0, text: "There is no homing.yaml, so the defaults apply.\nstate: /s")
            })
        let finding = try #require(found.first { $0.knownCheck == .configuration })
        #expect(finding.finding == "‘homingd check’ found no mistakes. There is no homing.yaml, so the defaults apply.")
    }

    @Test func otherVersionOfTheDaemonIsAWarning() throws {
        let found = findings(facts { $0.version = "0.2.0" })
        let versions = try #require(found.first { $0.knownCheck == .versions })
        #expect(versions.knownState == .warning && versions.finding == "homing has the version 0.2.0, and homingd 0.1.0.")
        #expect(versions.remedy?.contains("systemctl restart homingd") == true)
    }

    @Test func failedExaminationIsAProblem() throws {
        let problem = Problem(.timeout, status: 504, title: "", detail: "The daemon did not answer in time.", next: "See its log.")
        let found = findings(facts { $0.examination = .failure(problem) })
        let daemon = found.filter { $0.knownCheck == .daemon }
        #expect(daemon.map(\.knownState) == [.problem] && daemon.first?.remedy == "See its log.")
    }

    @Test(arguments: Attention.Code.allCases) func everyNoticeIsAFindingThatIsNotOK(code: Attention.Code) throws {
        let item = Attention(code, "It is so.", next: "Do that.", backend: "breathesafe")
        let found = findings(facts(Sample.status(attention: [item])))
        let finding = try #require(found.first { $0.finding == "It is so." })
        #expect(!finding.isOK && finding.remedy == "Do that." && finding.knownCheck != .unknown)
        #expect(!found.contains { $0.knownCheck == finding.knownCheck && $0.isOK })
    }

    @Test(arguments: [(30.0, "ok"), (90, "warning"), (3000, "problem")])
    func oldestEntryDecidesTheBacklog(minutes: Double, state: String) throws {
        var report = Sample.backend(gate: "cooling", reason: "No answer.", queue: .init(pending: 2), oldest: Sample.ago(minutes: minutes))
        report.oldestWaitingID = Sample.id(1)
        let backlog = try #require(findings(facts(Sample.status(backends: [report]))).first { $0.knownCheck == .backlog })
        #expect(backlog.state == state && backlog.finding.hasPrefix("2 entries are waiting for breathesafe. The oldest was accepted "))
        #expect(backlog.remedy == (state == "ok" ? nil : "To see why, run: homing why \(EntryText.shortID(Sample.id(1)))"))
        #expect(backlog.finding.hasSuffix("No answer.") == (state != "ok"))
    }

    @Test func examinationReplacesTheStatusWhereItFoundSomething() {
        let stale = Attention(.noSecureConnection, "stale", next: "n", backend: "a")
        let only = Attention(.networkSignIn, "only", next: "n", backend: "a")
        let report = DoctorReport(findings: [
            Finding(.connection, .problem, "fresh", remedy: "r", backend: "a"), Finding(.answer, .ok, "good", backend: "a"),
            Finding(.connection, .ok, "other", backend: "b"),
        ])
        let found = findings(facts(Sample.status(attention: [stale, only])) { $0.examination = .success(report) }).map(\.finding)
        #expect(found.contains("fresh") && !found.contains("stale"))
        #expect(found.contains("only") && !found.contains("good"))
        #expect(found.contains("other"))
    }
}
