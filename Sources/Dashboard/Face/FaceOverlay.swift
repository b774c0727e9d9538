import ControlAPI

/// The captured faces of one person, placed over each other, and the measures of all of them.
struct FaceOverlay: Sendable {
    struct Capture: Sendable {
        var entry: EntrySummary
        var face: Face
    }

    /// Newest first.
    let captures: [Capture]

    /// How many are drawn at most.
    static let most = 12

    /// One segment, measured in several captures.
    struct Measure: Sendable, Equatable {
        var name: String
        /// In millimetres.
        var lengths: [Double]

        var mean: Double { lengths.reduce(0, +) / Double(max(lengths.count, 1)) }
        var smallest: Double { lengths.min() ?? 0 }
        var largest: Double { lengths.max() ?? 0 }
        var spread: Double { largest - smallest }
    }

    /// True if all captures are moved so that their nose roots coincide; otherwise each lies where its coordinates say.
    var isCentred: Bool { captures.allSatisfy { $0.face.noseRoot != nil } }

    /// The segments of each capture, at their places in the overlay.
    var segments: [[Face.Segment]] {
        let isCentred = isCentred
        return captures.map { capture in
            guard isCentred, let origin = capture.face.noseRoot else { return capture.face.segments }
            return capture.face.segments.map { segment in
                var segment = segment
                (segment.from, segment.to) = (segment.from.relative(to: origin), segment.to.relative(to: origin))
                return segment
            }
        }
    }

    /// How many are in the table at most. A face has 54.
    static let mostMeasures = 100

    /// The number of segments that are not drawn, of all captures.
    var omitted: Int { captures.map(\.face.omitted).reduce(0, +) }

    /// The largest spread first.
    var measures: [Measure] {
        var found: [String: Measure] = [:]
        for capture in captures {
            var seen: Set<String> = []
            for segment in capture.face.segments where seen.insert(segment.key).inserted {
                guard let length = segment.millimetres, abs(length) < 1e6 else { continue }
                found[segment.key, default: Measure(name: segment.name, lengths: [])].lengths.append(length)
            }
        }
        return found.values.sorted { ($1.spread, $0.name) < ($0.spread, $1.name) }
    }
}

extension Face.Point {
    fileprivate func relative(to origin: Face.Point) -> Face.Point { Face.Point(x: x - origin.x, y: y - origin.y, z: z - origin.z) }
}
