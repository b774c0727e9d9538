import Foundation

/// What a capture's document says about a face.
struct CaptureDocument: Decodable {
    struct Point: Decodable, Equatable { var x, y, z: Double }
    struct Pair: Decodable, Equatable {
        var from, to: Int
        var key, description: String
    }
    struct Measurement: Decodable {
        var value: Double
        var description: String
    }
    struct Statistics: Decodable { var min, max, avg, count: Double }

    var timestamp: Double
    var averageMeasurements: [String: Measurement]
    var landmarkCoordinates: [String: Point]
    var statistics: [String: Statistics]
    var totalSamples: Double
    var measurementPairs: [Pair]
    var units: [String: String]

    init(_ bytes: some Sequence<UInt8>) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(bytes))
    }

    /// In millimetres, in the order of the pairs.
    var lengths: [Double] { measurementPairs.map { averageMeasurements[$0.key]?.value ?? .nan } }

    /// The largest difference in millimetres between a segment and the distance of its landmarks.
    var worstLength: Double {
        measurementPairs.map { pair in
            guard let from = point(pair.from), let to = point(pair.to), let length = averageMeasurements[pair.key]?.value else {
                return .infinity
            }
            return abs(hypot(hypot(from.x - to.x, from.y - to.y), from.z - to.z) - length)
        }.max() ?? .infinity
    }

    /// The largest difference in millimetres, in one direction, between a landmark on the left and the mirror image of the one on the right.
    var worstMirroring: Double {
        mirrorImages.map { left, right in
            guard let left = point(left), let right = point(right) else { return .infinity }
            return max(abs(left.x + right.x), abs(left.y - right.y), abs(left.z - right.z))
        }.max() ?? .infinity
    }

    /// The ends of segments that have the same name, apart from the side. At the root of the nose and before the ear, the sides differ.
    private var mirrorImages: [(left: Int, right: Int)] {
        let uneven = ["nose left 1", "nose left 2", "left strap 1", "left strap 2"]
        let pairs = Dictionary(measurementPairs.map { ($0.description, $0) }) { first, _ in first }
        return measurementPairs.filter { $0.description.contains("left") && !uneven.contains($0.description) }.flatMap { left in
            guard let right = pairs[left.description.replacing("left", with: "right")] else { return [(left.from, -1)] }
            return [(left.from, right.from), (left.to, right.to)]
        }
    }

    private func point(_ landmark: Int) -> Point? { landmarkCoordinates["\(landmark)"] }

    /// The size of the difference between the segments, in millimetres.
    func distance(to other: CaptureDocument) -> Double {
        zip(lengths, other.lengths).map { ($0 - $1) * ($0 - $1) }.reduce(0, +).squareRoot()
    }
}
