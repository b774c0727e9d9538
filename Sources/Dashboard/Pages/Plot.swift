/// The drawing area of a chart with bars, one slot for each day or hour. Lengths are in units of the drawing, which is 500 wide and 262 high.
struct Plot: Sendable {
    /// In the names of patterns, so that two charts of a page share none.
    var name: String
    var left: Int
    var slotWidth: Int
    var slots: Int
    /// The value of the highest line.
    var highest: Int

    static let (top, bottom) = (52, 212)
    private var right: Int { left + slotWidth * slots }

    /// Damaged numbers above it must not overflow.
    static let limit = 1 << 50

    /// The distance of two lines: 1, 2 or 5 times a power of ten, so that four lines above the lowest one suffice.
    static func step(upTo most: Int) -> Int {
        var power = 1
        while true {
            for factor in [1, 2, 5] where 4 * factor * power >= min(most, limit) { return factor * power }
            power *= 10
        }
    }

    /// The value of the highest line.
    static func highest(upTo most: Int, step: Int) -> Int { max(1, (min(most, limit) + step - 1) / step) * step }

    /// The whole chart.
    ///
    /// - Parameters:
    ///   - label: for a screen reader.
    ///   - heading: above the numbers on the left.
    ///   - axis: below the slots.
    func figure(label: String, heading: String, axis: String, _ parts: HTML) -> HTML {
        """
        <figure class="chart"><svg viewBox="0 0 500 262" role="img" aria-label="\(label)">\(parts)<text x="0" y="38">\(heading)</text>\
        <text text-anchor="middle" x="\((left + right) / 2)" y="254">\(axis)</text></svg></figure>
        """
    }

    /// From 0 to `highest`, with their labels.
    func lines(_ step: Int, label: (Int) -> String) -> [HTML] {
        stride(from: 0, through: highest, by: step).map { number in
            let y = Self.bottom - height(number)
            return """
                <line x1="\(left)" y1="\(y)" x2="\(right)" y2="\(y)"/>\
                <text text-anchor="end" x="\(left - 6)" y="\(y + 4)">\(label(number))</text>
                """
        }
    }

    /// The bars of one slot, with a title.
    func slot(_ index: Int, title: String, _ bars: [HTML]) -> HTML {
        // The empty rectangle is easier to point at.
        """
        <g><title>\(title)</title><rect class="reach" x="\(left + index * slotWidth)" y="\(Self.top)" width="\(slotWidth)" \
        height="\(Self.bottom - Self.top)"/>\(bars)</g>
        """
    }

    /// Nil for 0.
    ///
    /// - Parameters:
    ///   - look: the attributes of the bar.
    ///   - offset: from the left of the slot.
    func bar(_ look: HTML, _ number: Int, in index: Int, offset: Int, width: Int) -> HTML? {
        guard number > 0 else { return nil }
        // A day with one entry must be seen beside a day with thousands.
        let height = max(1, height(number))
        return """
            <rect \(look) x="\(left + index * slotWidth + offset)" y="\(Self.bottom - height)" width="\(width)" height="\(height)"/>
            """
    }

    /// Below a slot.
    func label(_ index: Int, _ text: String) -> HTML {
        "<text text-anchor=\"middle\" x=\"\(left + index * slotWidth + slotWidth / 2)\" y=\"230\">\(text)</text>"
    }

    private func height(_ number: Int) -> Int {
        Int((Double(Self.bottom - Self.top) * min(1, Double(number) / Double(highest))).rounded())
    }
}

/// Captured and delivered entries, which differ in colour and pattern.
extension Plot {
    /// Belongs into a chart once.
    var hatch: HTML {
        """
        <defs><pattern id="hatch-\(name)" width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect class="ground" width="3" height="3"/><rect class="stripe" width="1.2" height="3"/></pattern></defs>
        """
    }

    var hatched: HTML { "class=\"captured\" fill=\"url(#hatch-\(name))\"" }
    var solid: HTML { "class=\"delivered\"" }

    func legend(_ words: Catalogue) -> HTML {
        """
        <rect \(hatched) x="\(left)" y="6" width="12" height="12"/><text x="\(left + 18)" y="17">\(words["chart.captured"])</text>\
        <rect \(solid) x="\(left + 138)" y="6" width="12" height="12"/><text x="\(left + 156)" y="17">\(words["chart.delivered"])</text>
        """
    }
}
