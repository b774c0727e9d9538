import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct BugReportTests {
    private func report(_ facts: DoctorFacts, kinds: [String] = []) -> BugReport {
        var events = EventCounts()
        for kind in kinds { events.add(kind) }
        let findings = Doctor(facts: facts, times: Sample.times).findings
        return BugReport(facts, findings: findings, events: events, kernel: "6.12.1", now: Sample.now)
    }

    private func facts(_ status: Status, _ report: DoctorReport) -> DoctorFacts {
        DoctorFacts(version: "0.1.0", status: .success(status), examination: .success(report), isClockSynchronised: true)
    }

    @Test func samplesFillEveryMember() throws {
        #expect(Canary.unset(in: Canary.status) == [] && Canary.unset(in: Canary.report) == [] && Canary.unset(in: Canary.problem) == [])
        // The negative control: the search finds a planted name.
        let texts = String(decoding: JSONCoding.encoded(try Canary.planted(in: Canary.status)), as: UTF8.self)
        #expect(texts.components(separatedBy: Canary.word).count > 40)
        for word in ["anna", "breathesafe", Sample.id(1), "/d"] {
            #expect(!texts.contains("\"\(word)\""), "\(word)")
        }
    }

    @Test func noTextOfTheSourcesGetsIntoTheReport() throws {
        var all = facts(try Canary.planted(in: Canary.status), try Canary.planted(in: Canary.report))
        all.version = Canary.word
        all.units = [Canary.word: Canary.word]
        all.configuration = SystemProgram.Outcome(code: 1, text: Canary.word)
        var refused = all
        refused.examination = .failure(try Canary.planted(in: Canary.problem))
        var gone = all
        (gone.status, gone.examination) = (.failure(try Canary.planted(in: Canary.problem)), nil)
        for facts in [all, refused, gone] {
            let findings = Doctor(facts: facts, times: Sample.times).findings
            let text = BugReport(
                facts, findings: findings, events: EventCounts(), kernel: Canary.word, now: Sample.now
            ).text
            #expect(!text.contains("canary") && !text.contains("host.example"), "\(text)")
            #expect(findings.contains { $0.finding.contains("canary") })
        }
        #expect(!report(all, kinds: [Canary.word]).text.contains("canary"))
    }

    /// As the daemon sends them, where the words are known ones.
    @Test func knownWordsAndNumbersAreReported() throws {
        let report = report(facts(Canary.status, Canary.report), kinds: ["captured", "captured", "delivered", "novel"])
        let text = report.text.filter { !" \n".contains($0) }
        for part in [
            #""homing":"0.1.0""#, #""homingd":"0.1.0""#, #""linux":"6.12.1""#, #""daemon":"answers""#, #""hoursSinceStart":10"#,
            #""attention":{"dead":1}"#, #""gate":"cooling""#, #""gateCause":"offline""#, #""session":"signedIn""#,
            #""signInBy":"password""#, #""pending":3"#, #""hoursOfOldestWaiting":2"#, #""lists":{"complete":1}"#,
            #""dropFolder":{"refused":1,"stuck":1,"unclaimed":1,"waiting":1}"#,
            #""events":{"kinds":{"captured":2,"delivered":1},"others":1}"#,
            #"{"backend":1,"check":"connection","state":"problem"}"#, #"{"check":"clock","state":"ok"}"#, #""inFlight":0"#,
        ] { #expect(text.contains(part), "\(part) is not in \(text)") }
        for name in ["anna", "breathesafe", "clinic", "example", Sample.id(1)] { #expect(!text.contains(name), "\(name)") }
    }

    @Test(arguments: [("daemon-not-running", "notRunning"), ("not-permitted", "notPermitted"), ("timeout", "timeout"), ("busy", "failed")])
    func reportSaysWhyTheDaemonDoesNotAnswer(code: String, word: String) {
        let problem = Problem(Problem.Code(code), status: 503, title: "", detail: "")
        let report = report(DoctorFacts(version: "0.1.0", status: .failure(problem)))
        #expect(report.daemon.word.rawValue == word && report.homingd == nil && report.settings == nil && report.backends == [])
    }

    @Test(arguments: ["", "1.2", "1.2.3.4", "1.2.x", "-1.2.3", "1.2.10000", "1..3", "anna"])
    func otherTextIsNoVersion(text: String) { #expect(VersionNumber(text) == nil) }
}
