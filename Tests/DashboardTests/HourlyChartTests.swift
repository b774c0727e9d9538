import ControlAPI
import Foundation
import Testing

@testable import Dashboard

@Suite struct HourlyChartTests {
    private func source(
        _ words: Catalogue = .english, in zone: TimeZone = .gmt, _ change: (inout StatsReport) -> Void = { _ in }
    ) -> String {
        var figures = Sample(text: "breathesafe").figures
        change(&figures.report)
        let desk = Desk(words: words, keys: Sample.keys, now: Sample.now, timeZone: zone)
        return figures.hours(desk)?.source ?? ""
    }

    private func heights(of kind: String, _ source: String) -> [Int] {
        let bars = source.components(separatedBy: "<g>").dropFirst().joined()
        return bars.matches(of: /<rect class="(\w+)"[^>]* height="(\d+)"/).filter { $0.output.1 == kind }.compactMap { Int($0.output.2) }
    }

    @Test func barsAreInProportion() {
        let page = source()
        // The highest lines are those of 20 entries and of 2 hours, at 160 units.
        #expect(heights(of: "captured", page) == [160] && heights(of: "delivered", page) == [80])
        #expect(heights(of: "waiting", page) == [120, 1])
        #expect(page.components(separatedBy: "<g>").count - 1 == 96)
    }

    @Test func chartsHaveNamesAndHours() {
        let page = source()
        for part in [
            "aria-label=\"Captured and delivered entries per hour", "aria-label=\"The longest wait in each hour",
            "<title>14:00: 20 captured, 10 delivered</title>", "<title>13:00: the oldest entry had waited 1 h 30 min</title>",
            "<title>12:00: nothing waited</title>", ">Hour (time of this computer)</text>", ">2 h</text>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        for label in ["10 Mar", "12:00", "11 Mar"] { #expect(page.contains(" y=\"230\">\(label)</text>"), "\(label)") }
    }

    @Test func hoursAreInTheTimeOfTheComputer() throws {
        let page = source(in: try #require(TimeZone(secondsFromGMT: 7 * 3600)))
        #expect(page.contains("<title>21:00: 20 captured, 10 delivered</title>"))
    }

    @Test func tableHasTheHoursWithFigures() {
        let page = source()
        let rows = page.components(separatedBy: "<tr>").filter { $0.hasPrefix("<th scope=\"row\">") }
        let cells = rows.map { $0.matches(of: /<td data-name="[^"]+">([^<]*)</).map { String($0.output.1) } }
        #expect(cells == [["20", "10", "1 min"], ["0", "0", "1 h 30 min"]])
        #expect(rows.first?.contains("14:00</time>") == true && page.contains("<summary>By hour, newest first</summary>"))
    }

    @Test func chartsWithoutBarsAreLeftOut() {
        let entriesAlone = source { report in
            for index in report.hours.indices { report.hours[index].longestWait = nil }
        }
        #expect(entriesAlone.components(separatedBy: "<svg").count == 2 && !entriesAlone.contains("class=\"waiting\""))
        let waitsAlone = source { report in (report.hours[47].captured, report.hours[47].delivered) = (0, 0) }
        #expect(waitsAlone.components(separatedBy: "<svg").count == 2 && waitsAlone.contains("class=\"waiting\""))
        let none = source { report in report.hours = report.hours.map { HourStats(hour: $0.hour) } }
        #expect(none.contains("Nothing was captured or delivered, and nothing waited.") && !none.contains("<svg"))
        #expect(source { $0.hours = [] }.isEmpty)
    }

    @Test func damagedNumbersAreDrawn() {
        let page = source { report in
            (report.hours[0].captured, report.hours[0].delivered, report.hours[0].longestWait) = (.max, -3, .max)
            report.hours[1].longestWait = -5
        }
        #expect(heights(of: "captured", page) == [160, 1] && heights(of: "waiting", page) == [160, 1, 1])
    }

    @Test func moreThanTwoDaysAreCut() {
        let page = source { $0.hours = $0.hours + $0.hours }
        #expect(page.components(separatedBy: "<g>").count - 1 == 96)
    }

    @Test(
        arguments: [
            (0, "s", 1), (4000, "s", 1), (4001, "s", 2), (60_000, "s", 15), (60_001, "min", 1), (3_600_000, "min", 15), (3_600_001, "h", 1),
            (86_400_000, "h", 6), (86_400_001, "d", 1), (40 * 86_400_000, "d", 10),
        ] as [(Int, String, Int)]) func fourLinesReachTheLongestWait(most: Int, unit: String, step: Int)
    {
        let scale = WaitScale(upTo: most)
        #expect(scale.unit == unit && scale.step == step)
    }

    @Test func patternsHaveDifferentNames() {
        let page = Sample(text: "breathesafe").figures.page(Sample.desk()).body.source
        let names = page.matches(of: /<pattern id="([^"]+)"/).map { String($0.output.1) }
        #expect(names == ["hatch-days", "hatch-hours"])
    }

    @Test func speaksVietnamese() {
        let page = source(.vietnamese)
        for part in [
            "<title>14:00: đã đo 20, đã gửi 10</title>", "<title>13:00: mục lâu nhất đã chờ 1 giờ 30 phút</title>", ">11/03</text>",
            "48 giờ gần đây",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }
}
