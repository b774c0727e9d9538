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
            return Page(title, tab: .queue, isLive: false, "<h1 dir=\"auto\">\(title)</h1><p>\(words["face.none"])</p><p>\(back)</p>")
        }
        let rows: [HTML] = face.segments.enumerated().map { index, segment in
            "<tr data-segment=\"\(index)\"><th scope=\"row\">\(HTML.outside(segment.name))</th><td>\(length(segment, words))</td></tr>"
        }
        return Page(
            title, tab: .queue, isLive: false,
            """
            <h1 dir="auto">\(title)</h1><p>\(back)</p>
            <div class="face" data-face>\
            <figure>\(drawing(face, words["face.front"], words) { ($0.x, -$0.y) })<figcaption>\(words["face.front"])</figcaption></figure>\
            <figure>\(drawing(face, words["face.side"], words) { (-$0.z, -$0.y) })<figcaption>\(words["face.side"])</figcaption></figure>\
            </div>
            <p class="readout" data-readout aria-hidden="true">\(words["face.hint"])</p>
            <table><caption>\(words.count("face.segments", face.segments.count))</caption><thead><tr><th scope="col">\(words["column.segment"])</th>\
            <th scope="col">\(words["column.length"])</th></tr></thead><tbody>\(rows)</tbody></table>
            """)
    }

    private func length(_ segment: Face.Segment, _ words: Catalogue) -> String {
        guard let length = segment.millimetres, abs(length) < 1e6 else { return "" }
        let tenths = Int((length * 10).rounded())
        let text = "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10) mm"
        return words.isEnglish ? text : text.replacing(".", with: ",")
    }

    /// - Parameter project: the millimetres to the right and down.
    private func drawing(_ face: Face, _ name: String, _ words: Catalogue, _ project: (Face.Point) -> (x: Double, y: Double)) -> HTML {
        let ends = face.segments.map { (project($0.from), project($0.to)) }
        let all = face.landmarks.map(project) + ends.flatMap { [$0.0, $0.1] }
        let (xs, ys) = (all.map(\.x), all.map(\.y))
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        let (width, height) = ((xs.max() ?? 0) - left, (ys.max() ?? 0) - top)
        let scale = 100 / max(width, height, 1)
        func place(_ point: (x: Double, y: Double)) -> (x: String, y: String) {
            (hundredths((point.x - left - width / 2) * scale + 55), hundredths((point.y - top - height / 2) * scale + 55))
        }
        let dots: [HTML] = face.landmarks.map { landmark in
            let at = place(project(landmark))
            return "<circle cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"0.8\"/>"
        }
        let lines: [HTML] = zip(face.segments, ends).enumerated().map { index, pair in
            let (from, to) = (place(pair.1.0), place(pair.1.1))
            let position: HTML = "x1=\"\(from.x)\" y1=\"\(from.y)\" x2=\"\(to.x)\" y2=\"\(to.y)\""
            // The wide line is easier to point at.
            return """
                <g data-segment="\(index)"><title>\(pair.0.name) \(length(pair.0, words))</title><line class="reach" \(position)/><line \(position)/></g>
                """
        }
        return "<svg viewBox=\"0 0 110 110\" role=\"img\" aria-label=\"\(name)\">\(lines)\(dots)</svg>"
    }

    /// Finite, with a point in every language.
    private func hundredths(_ number: Double) -> String {
        let value = Int((number * 100).rounded())
        return "\(value < 0 ? "-" : "")\(value.magnitude / 100).\(String("0\(value.magnitude % 100)".suffix(2)))"
    }
}
