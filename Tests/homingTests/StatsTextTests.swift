import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct StatsTextTests {
    private func report(_ change: (inout StatsReport) -> Void = { _ in }) -> StatsReport {
        var account = AccountStats(backend: "breathesafe", account: "5", email: "anna@clinic.example")
        (account.captured, account.delivered, account.refused) = (1204, 1198, ["refused": 3, "forbidden": 1])
        (account.medianDelay, account.p95Delay) = (1400, 7_500_000)
        (account.signIns, account.signOuts) = (2, 1)
        var backend = BackendStats(backend: "breathesafe")
        (backend.outages, backend.outageTime) = (2, 12_000_000)
        var report = StatsReport(
            since: Date(timeIntervalSince1970: 1_739_059_200), until: Sample.now, accounts: [account], backends: [backend], days: [])
        change(&report)
        return report
    }

    private func text(_ report: StatsReport, width: Int = Table.width) -> String {
        StatsText(style: .plain, times: Sample.times, width: width).text(report)
    }

    @Test func showsFiguresOfEachAccountAndOutages() {
        let lines = text(report()).split(separator: "\n").map(String.init)
        #expect(lines.first == "Whole days in UTC, 2025-02-09 to 2025-03-11")
        #expect(lines[1].split(separator: " ").first == "ACCOUNT")
        for cell in ["anna@clinic.example", "1,204", "1,198", "4", "1.4 s", "2 h 5 min"] { #expect(lines[2].contains(cell), "\(cell)") }
        #expect(lines[3] == "Refused for anna@clinic.example: 3 by the server, 1 not permitted.")
        #expect(lines[4] == "breathesafe: 2 outages, in total 3 h 20 min.")
    }

    @Test(arguments: [40, 60, 80, 120]) func fitsTheTerminal(width: Int) {
        let lines = text(report(), width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines.contains { $0.contains("DELIVERED") && $0.contains("REFUSED") })
    }

    @Test func explainsOnlyTheColumnsThatFit() {
        func flat(_ width: Int) -> String { text(report(), width: width).replacing("\n", with: " ") }
        let (wide, narrow) = (flat(120), flat(40))
        for word in ["MEDIAN: half of the entries", "and 95 % within the next", "DISCARDED: an entry counts once"] {
            #expect(wide.contains(word), "\(word)")
        }
        #expect(!wide.contains("wider terminal"))
        for word in ["MEDIAN", "95 %", "DISCARDED"] { #expect(!narrow.contains(word), "\(word)") }
        #expect(narrow.hasSuffix("A wider terminal shows more columns."))
        // The column of the median is the first of both to fit.
        let middle = (41...90).map(flat).first { $0.contains("MEDIAN") }
        #expect(middle?.contains("within this time. It is exact to 5 %.") == true && middle?.contains("95 %") == false)
    }

    @Test func saysThatThePeriodIsLimited() {
        let limit = "Homing keeps figures for 400 days before today, so the period begins later than you asked."
        func text(since: TimeInterval, _ report: StatsReport) -> String {
            StatsText(style: .plain, times: Sample.times).text(report, since: report.since.addingTimeInterval(since))
        }
        #expect(text(since: -1, report()).split(separator: "\n").dropFirst().first.map(String.init) == limit)
        #expect(!text(since: 3600, report()).contains(limit) && !self.text(report()).contains(limit))
        #expect(text(since: -1, report { ($0.accounts, $0.backends) = ([], []) }).hasSuffix("\n\(limit)"))
    }

    @Test func saysThatAnOutageGoesOn() {
        let text = text(report { $0.backends[0].outageSince = Sample.ago(minutes: 3) })
        #expect(text.replacing("\n", with: " ").contains("Not reachable now; the outage began 3 minutes ago (14:12)."))
    }

    @Test func saysThatThereAreNoFigures() {
        let empty = report { ($0.accounts, $0.backends) = ([], []) }
        #expect(text(empty) == "No figures for 2025-02-09 to 2025-03-11: nothing was captured or delivered.")
    }

    @Test(
        arguments: [
            (0, "0.0 s"), (1449, "1.4 s"), (59_999, "59 s"), (60_000, "1 min"), (3_600_000, "1 h"), (12_000_000, "3 h 20 min"),
            (97_200_000, "1 d 3 h"),
        ] as [(Int64, String)]) func lengthsHaveTwoUnits(ms: Int64, words: String)
    {
        #expect(Words.length(ms) == words)
    }
}
