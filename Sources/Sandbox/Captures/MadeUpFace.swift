import SyncModel

/// The landmarks of a person who does not exist.
struct MadeUpFace: Sendable {
    /// By number.
    private(set) var points: [Int: FacePoint] = [:]

    init(using random: inout SplitMix64) {
        let size = random.bell()
        func scale() -> Double { 1 + 0.04 * size + 0.03 * random.bell() }
        let (width, height, depth) = (scale(), scale(), scale())
        let (jaw, nose) = (0.05 * random.bell(), 1.5 * random.bell())
        for landmark in FaceLandmark.all {
            var place = landmark.place.moved(by: 0.4, using: &random)
            if landmark.right == nil { place.x = 0 }
            // The jaw varies in width towards the chin, the nose in height at its root.
            place.x *= width * (1 - jaw * min(place.y, 0) / 80)
            place.y *= height
            place.z = place.z * depth + nose * max(0, 1 - place.x / 16) * max(0, place.y / 30)
            points[landmark.left] = place.moved(by: 0.2, using: &random)
            if let right = landmark.right { points[right] = place.mirrored.moved(by: 0.2, using: &random) }
        }
    }

    /// The face as captured once: each capture differs a little.
    func captured(using random: inout SplitMix64) -> MadeUpFace {
        var face = self
        for number in points.keys.sorted() { face.points[number] = points[number]?.moved(by: 0.1, using: &random).rounded }
        return face
    }

    /// In millimetres.
    func length(of segment: FaceSegment) -> Double {
        guard let from = points[segment.from], let to = points[segment.to] else { preconditionFailure("a line has an unknown landmark") }
        return from.distance(to: to).single
    }
}

extension FacePoint {
    fileprivate func moved(by deviation: Double, using random: inout SplitMix64) -> FacePoint {
        FacePoint(x: x + deviation * random.bell(), y: y + deviation * random.bell(), z: z + deviation * random.bell())
    }
}

extension SplitMix64 {
    /// A number from 0 to 1; the same with every compiler, unlike the standard library's.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A roughly normal number, deviation 1, between -3 and 3. Without logarithms, whose last digits differ between systems.
    mutating func bell() -> Double { 2 * (unit() + unit() + unit()) - 3 }
}
