import Foundation

/// The landmarks of a captured face and the measured segments between them, from a payload.
struct Face: Sendable, Equatable {
    struct Point: Sendable, Equatable, Decodable {
        var x, y, z: Double
    }

    struct Segment: Sendable, Equatable {
        var from, to: Point
        /// The numbers of its two landmarks, such as `967-464`.
        var key: String
        var name: String
        /// Nil if the payload does not say.
        var millimetres: Double?
    }

    var landmarks: [Point]
    /// At most `mostSegments`.
    var segments: [Segment]
    /// The number of further segments of the payload.
    var omitted: Int
    /// The landmark between the eyes; nil if the payload lacks it.
    var noseRoot: Point?

    /// Nil if the payload has no landmarks, or no segments between them.
    init?(payload: String) {
        let data = Data(payload.utf8)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        // `try?`: a payload of another form has no face.
        if let capture = try? decoder.decode(Capture.self, from: data) {
            self.init(capture)
        } else if let wrapped = try? decoder.decode([String: Inner].self, from: data),
            let inner = wrapped.values.lazy.compactMap(\.capture).first
        {
            self.init(inner)
        } else {
            return nil
        }
    }

    private init?(_ capture: Capture) {
        let points = capture.landmarkCoordinates.filter { [$0.value.x, $0.value.y, $0.value.z].allSatisfy { abs($0) < 1e6 } }
        landmarks = points.sorted { $0.key < $1.key }.prefix(Self.mostLandmarks).map(\.value)
        noseRoot = points[Self.noseRootNumber]
        let pairs = capture.measurementPairs.filter { points[String($0.from)] != nil && points[String($0.to)] != nil }
        segments = pairs.prefix(Self.mostSegments).compactMap { pair in
            guard let from = points[String(pair.from)], let to = points[String(pair.to)] else { return nil }
            let key = pair.key ?? "\(pair.from)-\(pair.to)"
            let measured = capture.averageMeasurements?[key]
            let name = pair.description ?? measured?.description ?? key
            return Segment(from: from, to: to, key: Self.cut(key), name: Self.cut(name), millimetres: measured?.value)
        }
        omitted = pairs.count - segments.count
        if segments.isEmpty { return nil }
    }

    /// By scalars: one character can have any number of them.
    private static func cut(_ name: String) -> String { String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName))) }

    // A face has 54 segments, 54 landmarks, and names of up to 17 letters. With these limits every page of faces stays below 150 KB.
    static let mostSegments = 100
    private static let mostLandmarks = 120
    private static let longestName = 32
    /// In ARKit's mesh.
    private static let noseRootNumber = "14"

    private struct Capture: Decodable {
        var landmarkCoordinates: [String: Point]
        var measurementPairs: [Pair]
        var averageMeasurements: [String: Measurement]?
    }

    private struct Pair: Decodable {
        var from, to: Int
        var description, key: String?
    }

    private struct Measurement: Decodable {
        var value: Double?
        var description: String?
    }

    /// A member that may be a capture.
    private struct Inner: Decodable {
        var capture: Capture?
        // `try?`: the other members are of any form.
        init(from decoder: any Decoder) { capture = try? Capture(from: decoder) }
    }
}
