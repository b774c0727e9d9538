import ControlAPI

/// All captured faces of one person that are not delivered, over each other, with the spread of each measure.
struct FacesPage: Sendable {
    /// The person's name, or the id.
    var person: String
    /// The entries of the person.
    var back: EntryQuery
    var overlay: FaceOverlay
    /// The captures that were not drawn, because newer ones were or because they belong to another account.
    var left: Int
    /// The number of the person's older entries that Homing did not look at.
    var unread = 0
    /// True if `unread` is only the least number.
    var unreadIsLeast = false

    func page(_ desk: Desk) -> Page {
        let words = desk.words
        let title = words["faces.title", ["name": person]]
        let entries = desk.link("queue", query: ["state": "", "backend": back.backend ?? "", "user": back.user ?? ""])
        let omitted: HTML? = left > 0 ? "<p>\(words.count("faces.left", left))</p>" : nil
        let skipped: HTML? = unread > 0 ? "<p>\(words.count(unreadIsLeast ? "faces.unread.least" : "faces.unread", unread))</p>" : nil
        let head: HTML = """
            <h1 dir="auto">\(title)</h1><p>\(desk.go(words["faces.entries"], entries, .quiet))</p>\
            <p>\(words["faces.which"]) \(words["face.recorded"])</p>\(omitted)\(skipped)
            """
        guard !overlay.captures.isEmpty else { return Page(title, tab: .people, isLive: false, "\(head)<p>\(words["faces.none"])</p>") }
        let segments = overlay.segments
        let more: HTML? = overlay.omitted > 0 ? "<p>\(words.count("face.more", overlay.omitted))</p>" : nil
        return Page(
            title, tab: .people, isLive: false,
            """
            \(head)
            <p>\(words[overlay.isCentred ? "faces.centred" : "faces.placed"])</p>
            <div class="face traces" data-face>\
            \(FaceView.allCases.map { $0.figure(drawing(segments, $0, desk), words) })\
            </div>
            <p class="readout" data-readout aria-hidden="true">\(words["faces.hint"])</p>
            \(more)<h2>\(words["faces.legend"])</h2>\(legend(desk))
            <h2>\(words["faces.measures"])</h2>\(table(words))
            """)
    }

    /// `A`, `B` and so on.
    private func letter(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % 26))) }

    private func drawing(_ captures: [[Face.Segment]], _ view: FaceView, _ desk: Desk) -> HTML {
        let places = captures.map { $0.map { (from: view.project($0.from), to: view.project($0.to)) } }
        let canvas = FaceCanvas(places.joined().flatMap { [$0.from, $0.to] })
        let traces: [HTML] = places.enumerated().map { index, segments in
            var (path, end) = ("", "")
            for segment in segments {
                let (from, to) = (canvas.place(segment.from), canvas.place(segment.to))
                // A line that goes on where the last one ended keeps its pattern.
                if end != "\(from.x) \(from.y)" { path += "M\(from.x) \(from.y)" }
                end = "\(to.x) \(to.y)"
                path += "L\(end)"
            }
            let name = "\(letter(index)) · \(desk.clock(overlay.captures[index].entry.capturedAt))"
            return "<g data-segment=\"\(index)\"><title>\(name)</title><path class=\"trace-\(index)\" d=\"\(path)\"/></g>"
        }
        let name = "\(view.name(desk.words)): \(desk.words.count("faces.captures", captures.count))"
        return "<svg viewBox=\"0 0 110 110\" role=\"img\" aria-label=\"\(name)\">\(traces)</svg>"
    }

    private func legend(_ desk: Desk) -> HTML {
        let items: [HTML] = overlay.captures.enumerated().map { index, capture in
            """
            <li data-segment="\(index)"><svg class="sample" viewBox="0 0 24 4" aria-hidden="true"><path class="trace-\(index)" d="M1 2H23"/></svg>\
            <a href="\(desk.link("entry", capture.entry.id))">\(letter(index)) · \(desk.time(capture.entry.capturedAt))</a> \(desk.badge(capture.entry))</li>
            """
        }
        return "<ul class=\"legend\">\(items)</ul>"
    }

    private func table(_ words: Catalogue) -> HTML {
        let names = ["captures", "mean", "smallest", "largest", "spread"].map { words["column.\($0)"] }
        let measures = overlay.measures
        let rest = measures.count - FaceOverlay.mostMeasures
        let more: HTML? = rest > 0 ? "<p>\(words.count("faces.measures.more", rest))</p>" : nil
        let rows: [HTML] = measures.prefix(FaceOverlay.mostMeasures).map { measure in
            let lengths = [measure.mean, measure.smallest, measure.largest, measure.spread].map { words.millimetres($0) ?? "" }
            let cells: [HTML] = zip(names, [words.number(measure.lengths.count)] + lengths).map { name, value in
                "<td data-name=\"\(name)\">\(value)</td>"
            }
            return "<tr><th scope=\"row\">\(HTML.outside(measure.name))</th>\(cells)</tr>"
        }
        let heads: [HTML] = ([words["column.segment"]] + names).map { "<th scope=\"col\">\($0)</th>" }
        return """
            <div class="chunk"><table><caption>\(words["faces.spread"])</caption><thead><tr>\(heads)</tr></thead>\
            <tbody>\(rows)</tbody></table></div>\(more)
            """
    }
}
