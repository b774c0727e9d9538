import ControlAPI
import Foundation

extension FiguresPage {
    /// Two charts and a table of the last hours; nil without hours.
    func hours(_ desk: Desk) -> HTML? {
        guard !report.hours.isEmpty else { return nil }
        let words = desk.words
        let hours = report.hours.suffix(HourlyChart.most).filter(\.hasFigures)
        let heading: HTML = "<h2>\(words["figures.hours"])</h2>"
        guard !hours.isEmpty else { return "\(heading)<p>\(words["figures.hours.none"])</p>" }
        let chart = HourlyChart(hours: report.hours)
        let entries: HTML? = hours.contains { $0.captured > 0 || $0.delivered > 0 } ? chart.entries(desk) : nil
        let waits: HTML? = hours.contains { $0.longestWait != nil } ? chart.waits(desk) : nil
        return """
            \(heading)<p class="faint">\(words["figures.hours.wait"])</p>\(entries)\(waits)\
            <details><summary>\(words["figures.hours.table"])</summary><p>\(words["figures.hours.rest"])</p>\
            \(table(hours, desk))</details>
            """
    }

    private func table(_ hours: [HourStats], _ desk: Desk) -> HTML {
        let words = desk.words
        let columns = ["captured", "delivered", "wait"].map { words["fact.\($0)"] }
        let heads: [HTML] = ([words["column.hour"]] + columns).map { "<th scope=\"col\">\($0)</th>" }
        let rows: [HTML] = hours.reversed().map { hour in
            let values = [words.number(hour.captured), words.number(hour.delivered), hour.longestWait.map(words.length) ?? ""]
            let cells: [HTML] = zip(columns, values).map { name, value in "<td data-name=\"\(name)\">\(value)</td>" }
            return "<tr><th scope=\"row\">\(desk.time(hour.hour))</th>\(cells)</tr>"
        }
        return """
            <div class="chunk figures"><table><thead><tr>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}

extension HourStats {
    fileprivate var hasFigures: Bool { self != HourStats(hour: hour) }
}
