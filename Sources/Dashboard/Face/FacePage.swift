import ControlAPI
import Foundation

/// A captured face from the front and from the side, with the table of its segments.
struct FacePage: Sendable {
    var entry: EntrySummary
    /// Nil if the payload has no landmarks.
    var face: Face?

    func page(_ desk: Desk) -> Page {
        let words = desk.words
        let title = words["face.title", ["entry": words.name(entry)]]
        let back = desk.go(words["back.entry"], desk.link("entry", entry.id), .quiet)
        guard let face else {
            return Page(title, tab: .queue, isLive: false, "\(desk.heading("face.title", entry))<p>\(words["face.none"])</p><p>\(back)</p>")
        }
        let rows: [HTML] = face.segments.enumerated().map { index, segment in
            "<tr data-segment=\"\(index)\"><th scope=\"row\">\(HTML.outside(segment.name))</th><td>\(length(segment, words))</td></tr>"
        }
        let more: HTML? = face.omitted > 0 ? "<p>\(words.count("face.more", face.omitted))</p>" : nil
        return Page(
            title, tab: .queue, isLive: false,
            """
            \(desk.heading("face.title", entry))<p>\(back)</p>
            <div class="face" data-face>\
            \(FaceView.allCases.map { $0.figure(drawing(face, $0, words), words) })\
            </div>
            <p class="readout" data-readout aria-hidden="true">\(words["face.hint"])</p>
            <table><caption>\(words.count("face.segments", face.segments.count))</caption><thead><tr><th scope="col">\(words["column.segment"])</th>\
            <th scope="col">\(words["column.length"])</th></tr></thead><tbody>\(rows)</tbody></table>\(more)
            """)
    }

    private func length(_ segment: Face.Segment, _ words: Catalogue) -> String {
        segment.millimetres.flatMap(words.millimetres) ?? ""
    }

    private func drawing(_ face: Face, _ view: FaceView, _ words: Catalogue) -> HTML {
        let ends = face.segments.map { (view.project($0.from), view.project($0.to)) }
        let canvas = FaceCanvas(face.landmarks.map(view.project) + ends.flatMap { [$0.0, $0.1] })
        let dots: [HTML] = face.landmarks.map { landmark in
            let at = canvas.place(view.project(landmark))
            return "<circle cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"0.8\"/>"
        }
        let lines: [HTML] = zip(face.segments, ends).enumerated().map { index, pair in
            let (from, to) = (canvas.place(pair.1.0), canvas.place(pair.1.1))
            let position: HTML = "x1=\"\(from.x)\" y1=\"\(from.y)\" x2=\"\(to.x)\" y2=\"\(to.y)\""
            // The wide line is easier to point at.
            return """
                <g data-segment="\(index)"><title>\(pair.0.name) \(length(pair.0, words))</title><line class="reach" \(position)/><line \(position)/></g>
                """
        }
        return "<svg viewBox=\"0 0 110 110\" role=\"img\" aria-label=\"\(view.name(words))\">\(lines)\(dots)</svg>"
    }
}
