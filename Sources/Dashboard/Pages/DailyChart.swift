import ControlAPI

/// Bars of captured and of delivered entries for each day, as SVG.
struct DailyChart: Sendable {
    /// Oldest first, at most `FiguresPage.length`.
    var days: [FigureDay]

    private static let week = 7

    func figure(_ desk: Desk) -> HTML {
        let words = desk.words
        let most = days.map { max($0.stats.captured, $0.stats.delivered) }.max() ?? 0
        let step = Plot.step(upTo: most)
        let plot = Plot(
            name: "days", left: 52, slotWidth: 14, slots: FiguresPage.length, highest: Plot.highest(upTo: most, step: step))
        return plot.figure(
            label: words["chart.name"], heading: words["chart.entries"], axis: words["chart.days"],
            """
            \(plot.hatch)\(plot.legend(words))\(plot.lines(step, label: words.number))\(bars(plot, desk))\(labels(plot, desk))
            """)
    }

    private func bars(_ plot: Plot, _ desk: Desk) -> [HTML] {
        let words = desk.words
        return days.enumerated().map { index, day in
            let (captured, delivered) = (day.stats.captured, day.stats.delivered)
            let title = words[
                "chart.day",
                ["day": desk.day(day.begin), "captured": words.number(captured), "delivered": words.number(delivered)]]
            let bars = [
                plot.bar(plot.hatched, captured, in: index, offset: 2, width: 5),
                plot.bar(plot.solid, delivered, in: index, offset: 7, width: 5),
            ]
            return plot.slot(index, title: title, bars.compactMap(\.self))
        }
    }

    /// Labels for today and for each seventh day before.
    private func labels(_ plot: Plot, _ desk: Desk) -> [HTML] {
        days.enumerated().filter { (days.count - 1 - $0.offset) % Self.week == 0 }.map { plot.label($0.offset, desk.day($0.element.begin)) }
    }
}
