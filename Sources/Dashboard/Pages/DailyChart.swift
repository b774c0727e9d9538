import ControlAPI

/// Bars of captured and of delivered entries for each day, as SVG. They differ in colour and pattern. Lengths are in units of the drawing.
struct DailyChart: Sendable {
    /// Oldest first, at most `FiguresPage.length`.
    var days: [FigureDay]

    private static let (left, right) = (52, 472)
    private static let (top, bottom) = (52, 212)
    /// The width of a day.
    private static let slot = (right - left) / FiguresPage.length
    private static let week = 7

    func figure(_ desk: Desk) -> HTML {
        let words = desk.words
        let most = days.map { max($0.stats.captured, $0.stats.delivered) }.max() ?? 0
        let step = Self.step(upTo: most)
        let highest = max(1, (min(most, Self.limit) + step - 1) / step) * step
        return """
            <figure class="chart"><svg viewBox="0 0 500 262" role="img" aria-label="\(words["chart.name"])">\(Self.hatch)\(legend(words))\
            <text x="0" y="38">\(words["chart.entries"])</text>\(lines(step, upTo: highest, words))\(bars(upTo: highest, desk))\
            \(labels(desk))<text text-anchor="middle" x="262" y="254">\(words["chart.days"])</text></svg></figure>
            """
    }

    /// Damaged numbers above it must not overflow.
    private static let limit = 1 << 50

    /// The distance of two lines: 1, 2 or 5 times a power of ten, so that four lines above the lowest one suffice.
    static func step(upTo most: Int) -> Int {
        var power = 1
        while true {
            for factor in [1, 2, 5] where 4 * factor * power >= min(most, limit) { return factor * power }
            power *= 10
        }
    }

    private static func length(_ number: Int, upTo highest: Int) -> Int {
        Int((Double(bottom - top) * min(1, Double(number) / Double(highest))).rounded())
    }

    private static let hatch: HTML = """
        <defs><pattern id="hatch" width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect class="ground" width="3" height="3"/><rect class="stripe" width="1.2" height="3"/></pattern></defs>
        """

    private static let hatched: HTML = "class=\"captured\" fill=\"url(#hatch)\""
    private static let solid: HTML = "class=\"delivered\""

    private func legend(_ words: Catalogue) -> HTML {
        """
        <rect \(Self.hatched) x="52" y="6" width="12" height="12"/><text x="70" y="17">\(words["chart.captured"])</text>\
        <rect \(Self.solid) x="190" y="6" width="12" height="12"/><text x="208" y="17">\(words["chart.delivered"])</text>
        """
    }

    private func lines(_ step: Int, upTo highest: Int, _ words: Catalogue) -> [HTML] {
        stride(from: 0, through: highest, by: step).map { number in
            let y = Self.bottom - Self.length(number, upTo: highest)
            return """
                <line x1="\(Self.left)" y1="\(y)" x2="\(Self.right)" y2="\(y)"/>\
                <text text-anchor="end" x="\(Self.left - 6)" y="\(y + 4)">\(words.number(number))</text>
                """
        }
    }

    private func bars(upTo highest: Int, _ desk: Desk) -> [HTML] {
        let words = desk.words
        return days.enumerated().map { index, day in
            let (captured, delivered) = (day.stats.captured, day.stats.delivered)
            let x = Self.left + index * Self.slot
            let values: KeyValuePairs<String, String> = [
                "day": desk.day(day.begin), "captured": words.number(captured), "delivered": words.number(delivered),
            ]
            // The empty rectangle is easier to point at.
            return """
                <g><title>\(words["chart.day", values])</title>\
                <rect class="reach" x="\(x)" y="\(Self.top)" width="\(Self.slot)" height="\(Self.bottom - Self.top)"/>\
                \(bar(Self.hatched, captured, x: x + 2, upTo: highest))\(bar(Self.solid, delivered, x: x + 7, upTo: highest))</g>
                """
        }
    }

    private func bar(_ look: HTML, _ number: Int, x: Int, upTo highest: Int) -> HTML? {
        guard number > 0 else { return nil }
        // A day with one entry must be seen beside a day with thousands.
        let height = max(1, Self.length(number, upTo: highest))
        return "<rect \(look) x=\"\(x)\" y=\"\(Self.bottom - height)\" width=\"5\" height=\"\(height)\"/>"
    }

    /// Of today, and of each seventh day before.
    private func labels(_ desk: Desk) -> [HTML] {
        days.enumerated().filter { (days.count - 1 - $0.offset) % Self.week == 0 }.map { index, day in
            let x = Self.left + index * Self.slot + Self.slot / 2
            return "<text text-anchor=\"middle\" x=\"\(x)\" y=\"230\">\(desk.day(day.begin))</text>"
        }
    }
}
