/// The side from which faces are drawn.
enum FaceView: String, CaseIterable, Sendable {
    case front, side

    /// The millimetres to the right and down.
    func project(_ point: Face.Point) -> FaceCanvas.Place {
        switch self {
        case .front: FaceCanvas.Place(x: point.x, y: -point.y)
        case .side: FaceCanvas.Place(x: -point.z, y: -point.y)
        }
    }

    func name(_ words: Catalogue) -> String { words["face.\(rawValue)"] }

    /// The drawing with its caption.
    func figure(_ drawing: HTML, _ words: Catalogue) -> HTML { "<figure>\(drawing)<figcaption>\(name(words))</figcaption></figure>" }
}

/// A square of 110 units for projected points, with a margin of 5.
struct FaceCanvas: Sendable {
    struct Place: Sendable {
        var x, y: Double
    }

    private let middle: Place
    private let scale: Double

    /// - Parameter points: all of them fit.
    init(_ points: [Place]) {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
        let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
        middle = Place(x: (left + right) / 2, y: (top + bottom) / 2)
        scale = 100 / max(right - left, bottom - top, 1)
    }

    /// The coordinates as SVG numbers.
    func place(_ point: Place) -> (x: String, y: String) {
        (Self.tenths((point.x - middle.x) * scale + 55), Self.tenths((point.y - middle.y) * scale + 55))
    }

    /// Finite, with a point in every language.
    private static func tenths(_ number: Double) -> String {
        let value = Int((number * 10).rounded())
        return "\(value < 0 ? "-" : "")\(value.magnitude / 10).\(value.magnitude % 10)"
    }
}

extension Catalogue {
    /// `17.3 mm` in English, `17,3 mm` in Vietnamese; nil for lengths that no face has.
    func millimetres(_ length: Double) -> String? {
        guard abs(length) < 1e6 else { return nil }
        let tenths = Int((length * 10).rounded())
        let text = "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10) mm"
        return isEnglish ? text : text.replacing(".", with: ",")
    }
}
