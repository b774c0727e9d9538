import ControlAPI
import Foundation
import Testing

@testable import Dashboard

@Suite struct FiguresPageTests {
    private func source(_ words: Catalogue = .english, _ change: (inout StatsReport) -> Void = { _ in }) -> String {
        var figures = Sample(text: "breathesafe").figures
        figures.report.hours = []
        change(&figures.report)
        return figures.page(Sample.desk(words)).body.source
    }

    private func heights(of kind: String, _ source: String) -> [Int] {
        // Without the legend.
        let bars = source.components(separatedBy: "<g>").dropFirst().joined()
        return bars.matches(of: /<rect class="(\w+)"[^>]* height="(\d+)"/).filter { $0.output.1 == kind }.compactMap { Int($0.output.2) }
    }

    @Test func barsAreInProportion() {
        // The highest line of 40 is that of 40, at 160 units.
        #expect(heights(of: "captured", source()) == [160, 4] && heights(of: "delivered", source()) == [80, 40])
        let thousands = source { $0.days[1].captured = 9_999 }
        // Not invisible.
        #expect(heights(of: "captured", thousands) == [160, 1])
    }

    @Test func chartHasThirtyDaysWithLabelsAndNames() {
        let page = source()
        #expect(page.components(separatedBy: "<g>").count - 1 == 30)
        for label in ["11 Mar", "4 Mar", "25 Feb", "18 Feb", "11 Feb"] { #expect(page.contains(" y=\"230\">\(label)</text>")) }
        #expect(page.contains("<title>11 Mar: 1 captured, 10 delivered</title>"))
        #expect(page.contains("<title>12 Feb: 0 captured, 0 delivered</title>"))
        #expect(page.contains("role=\"img\" aria-label=\"Captured and delivered entries per day"))
        #expect(page.contains(">Entries per day</text>") && page.contains(">Day (UTC)</text>"))
    }

    @Test(
        arguments: [
            (0, 1), (1, 1), (4, 1), (5, 2), (9, 5), (20, 5), (21, 10), (40, 10), (41, 20), (4000, 1000), (.max, 500_000_000_000_000),
        ] as [(Int, Int)]) func fourLinesReachTheHighestBar(most: Int, step: Int)
    { #expect(Plot.step(upTo: most) == step) }

    @Test func damagedNumbersAreDrawn() {
        let page = source { ($0.days[1].captured, $0.days[1].delivered) = (.max, -3) }
        #expect(heights(of: "captured", page) == [160, 1] && heights(of: "delivered", page).count == 1)
    }

    @Test func tableHasTheDaysWithFigures() {
        let page = source()
        let rows = page.components(separatedBy: "<tr>").filter { $0.hasPrefix("<th scope=\"row\">") }
        #expect(rows.count == 2 && rows[0].hasPrefix("<th scope=\"row\">11 Mar</th>") && rows[1].hasPrefix("<th scope=\"row\">10 Feb</th>"))
        let cells = rows[0].matches(of: /<td data-name="[^"]+">([^<]*)</).map { String($0.output.1) }
        #expect(cells == ["1", "10", "4", "0", "1", "3 h 20 min"])
        // Of days outside the period.
        #expect(!page.contains("7,777"))
    }

    @Test func accountsHaveTheirRefusalsAndDelays() {
        let page = source { $0.accounts[0].refused = ["forbidden": 1, "refused": 3, "other": 1] }
        #expect(page.contains("3 <bdi>by the server</bdi></span> <span class=\"count\">1 <bdi>not permitted</bdi>"))
        #expect(page.contains("1 <bdi>(other)</bdi>"))
        #expect(page.contains("<dd>1.4 s</dd>") && page.contains("<dd>2 h 5 min</dd>") && page.contains("<dd>1,204</dd>"))
        let silent = source { ($0.accounts[0].medianDelay, $0.accounts[0].p95Delay) = (nil, nil) }
        #expect(!silent.contains("median") && !silent.contains("95 of 100"))
        #expect(source { $0.accounts[0].refused = [:] }.contains("<dt><bdi>Refused</bdi></dt><dd>0</dd>"))
    }

    @Test func outagesHaveTheirLength() {
        let page = source()
        for part in ["2 outages", "unreachable for 3 h 20 min in all", "unreachable now, since <time", "1 failed sign-in<"] {
            #expect(page.contains(part), "\(part)")
        }
        let quiet = source { ($0.backends[0].outageSince, $0.backends[0].signInsFailed) = (nil, 0) }
        #expect(!quiet.contains("since <time") && !quiet.contains("failed sign-in"))
        #expect(source { $0.backends = [] }.contains("The servers could always be reached."))
    }

    @Test func withoutFiguresThePageSaysSo() {
        let empty = source { ($0.accounts, $0.backends, $0.days) = ([], [], []) }
        #expect(empty.contains("Nothing was captured or delivered in the last 30 days."))
        #expect(!empty.contains("<svg") && !empty.contains("<table"))
        let onlySignIns = source { $0.days = [DayStats(day: "2025-03-11", signIns: 1)] }
        #expect(onlySignIns.contains("Nothing was captured or delivered"))
        #expect(!onlySignIns.contains("<svg") && onlySignIns.contains("<table"))
    }

    @Test func speaksVietnamese() {
        let page = source(.vietnamese)
        for part in [
            "<title>11/03: đã đo 1, đã gửi 10</title>", "3 giờ 20 phút", "<dd>1,4 giây</dd>", "1 <bdi>không được phép</bdi>", "1.204",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }
}
