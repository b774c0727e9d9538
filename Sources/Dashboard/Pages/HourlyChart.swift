import ControlAPI
import Foundation

/// Two charts of the last hours, as SVG: captured and delivered entries, and the longest wait.
struct HourlyChart: Sendable {
    /// Oldest first, at most `most`.
    let hours: [HourStats]

    static let most = 48

    init(hours: [HourStats]) { self.hours = Array(hours.suffix(Self.most)) }

    func entries(_ desk: Desk) -> HTML {
        let words = desk.words
        let most = hours.map { max($0.captured, $0.delivered) }.max() ?? 0
        let step = Plot.step(upTo: most)
        let plot = plot("hours", highest: Plot.highest(upTo: most, step: step))
        let bars: [HTML] = hours.enumerated().map { index, hour in
            let pair = [
                plot.bar(plot.hatched, hour.captured, in: index, offset: 1, width: 3),
                plot.bar(plot.solid, hour.delivered, in: index, offset: 4, width: 3),
            ]
            let values: KeyValuePairs<String, String> = [
                "day": desk.clock(hour.hour), "captured": words.number(hour.captured), "delivered": words.number(hour.delivered),
            ]
            return plot.slot(index, title: words["chart.day", values], pair.compactMap(\.self))
        }
        return plot.figure(
            label: words["chart.hours.name"], heading: words["chart.hours.entries"], axis: words["chart.hours.axis"],
            """
            \(plot.hatch)\(plot.legend(words))\(plot.lines(step, label: words.number))\(bars)\(labels(plot, desk))
            """)
    }

    func waits(_ desk: Desk) -> HTML {
        let words = desk.words
        let most = Int(clamping: hours.compactMap(\.longestWait).max() ?? 0)
        let scale = WaitScale(upTo: most)
        let plot = plot("waits", highest: Plot.highest(upTo: most, step: scale.step * scale.unitLength))
        let bars: [HTML] = hours.enumerated().map { index, hour in
            let clock = desk.clock(hour.hour)
            let title = hour.longestWait.map { words["chart.wait.hour", ["hour": clock, "length": words.length($0)]] }
            let bar = plot.bar("class=\"waiting\"", Int(clamping: hour.longestWait ?? 0), in: index, offset: 1, width: 6)
            return plot.slot(index, title: title ?? words["chart.wait.none", ["hour": clock]], [bar].compactMap(\.self))
        }
        let lines = plot.lines(scale.step * scale.unitLength) { words.span($0 / scale.unitLength, of: scale.unit) }
        return plot.figure(
            label: words["chart.wait.name"], heading: words["chart.wait.length"], axis: words["chart.hours.axis"],
            "\(lines)\(bars)\(labels(plot, desk))")
    }

    /// Both have the same slots, one below the other.
    private func plot(_ name: String, highest: Int) -> Plot {
        Plot(name: name, left: 76, slotWidth: 8, slots: Self.most, highest: highest)
    }

    /// The day at midnight, and noon.
    private func labels(_ plot: Plot, _ desk: Desk) -> [HTML] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = desk.moment.timeZone
        return hours.enumerated().compactMap { index, hour -> HTML? in
            switch calendar.component(.hour, from: hour.hour) {
            case 0: plot.label(index, desk.day(hour.hour, in: desk.moment.timeZone))
            case 12: plot.label(index, "12:00")
            default: nil
            }
        }
    }
}

/// The lines of a chart of waits: at most four above the lowest one, in one unit.
struct WaitScale: Equatable {
    /// A unit of `Words.length`.
    var unit: String
    /// In milliseconds.
    var unitLength: Int
    /// The distance of two lines, in units.
    var step: Int

    /// - Parameter most: in milliseconds.
    init(upTo most: Int) {
        let most = min(most, Plot.limit)
        let units: [(name: String, length: Int, steps: [Int])] = [
            ("s", 1000, [1, 2, 5, 10, 15]), ("min", 60_000, [1, 2, 5, 10, 15]), ("h", 3_600_000, [1, 2, 3, 6]),
        ]
        for unit in units {
            if let step = unit.steps.first(where: { 4 * $0 * unit.length >= most }) {
                (self.unit, unitLength, self.step) = (unit.name, unit.length, step)
                return
            }
        }
        let day = 86_400_000
        (unit, unitLength, step) = ("d", day, Plot.step(upTo: (most + day - 1) / day))
    }
}
