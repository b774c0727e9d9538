import Foundation
import SyncModel

/// A capture of a made-up face, as BreatheSafe's capture app exports it.
package struct MadeUpCapture: Sendable {
    package let fileName: String
    package let document: JSON

    /// A person's captures, reproducible by seed; a higher count only adds captures. `person` counts from 1.
    package static func captures(ofPerson person: Int, count: Int, seed: UInt64) -> [MadeUpCapture] {
        // Mixed, so that two seeds share no people.
        var mixed = SplitMix64(seed: seed)
        var random = SplitMix64(seed: mixed.next() &+ UInt64(person))
        let face = MadeUpFace(using: &random)
        return (1...count).map { number in
            let captured = face.captured(using: &random)
            let time = 1_765_000_000.5 + Double(person * 6000 + number * 60)
            return MadeUpCapture(
                fileName: String(format: "person-%03d-%02d.json", person, number), document: captured.document(at: time, using: &random))
        }
    }
}

extension MadeUpFace {
    /// - Parameter time: Unix seconds.
    fileprivate func document(at time: Double, using random: inout SplitMix64) -> JSON {
        let segments = FaceLine.all.flatMap(\.segments)
        var (measurements, statistics): (JSONObject, JSONObject) = ([:], [:])
        for segment in segments {
            let millimetres = length(of: segment)
            measurements[segment.key] = ["value": .double(millimetres), "description": .string(segment.description)]
            statistics[segment.key] = Self.statistics(ofMetres: millimetres / 1000, using: &random)
        }
        let pairs = segments.map { segment -> JSON in
            [
                "from": .int(segment.from), "to": .int(segment.to), "key": .string(segment.key),
                "description": .string(segment.description),
            ]
        }
        let coordinates = points.map { number, point in
            ("\(number)", ["x": .double(point.x), "y": .double(point.y), "z": .double(point.z)] as JSON)
        }
        return [
            "timestamp": .double(time), "average_measurements": .object(measurements), "statistics": .object(statistics),
            "landmark_coordinates": .object(JSONObject(uniqueKeysWithValues: coordinates)), "measurement_pairs": .array(pairs),
            "total_samples": .int(samples), "units": ["primary": "millimeters"],
        ]
    }

    private static func statistics(ofMetres average: Double, using random: inout SplitMix64) -> JSON {
        let spread = 0.005 + 0.015 * random.unit()
        return [
            "avg": .double(average.single), "min": .double((average * (1 - spread)).single),
            "max": .double((average * (1 + spread)).single),
            "count": .int(samples),
        ]
    }
}

private let samples = 100
