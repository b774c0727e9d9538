/// A landmark of an average adult, with its mirror image.
struct FaceLandmark: Sendable {
    let left: Int
    /// Nil on the midline.
    let right: Int?
    /// The place of the left landmark.
    let place: FacePoint

    private init(_ left: Int, _ right: Int?, _ x: Double, _ y: Double, _ z: Double) {
        (self.left, self.right, place) = (left, right, FacePoint(x: x, y: y, z: z))
    }

    /// Vertex numbers of ARKit's mesh; mirror images lie in corresponding places.
    static let all = [
        // The nose, from its root, and the upper cheek to the side.
        FaceLandmark(14, nil, 0, 30, 60), FaceLandmark(387, 818, 3.5, 27, 59), FaceLandmark(367, 798, 7.5, 21.5, 55.5),
        FaceLandmark(371, 802, 11.5, 15.5, 51.5), FaceLandmark(160, 609, 16, 10, 48), FaceLandmark(133, 582, 23, 7.5, 46.3),
        FaceLandmark(145, 594, 30, 5.6, 44), FaceLandmark(318, 753, 36.8, 4.4, 41), FaceLandmark(434, 862, 43.2, 3.8, 37.2),
        FaceLandmark(321, 756, 49.2, 3.6, 32.6), FaceLandmark(151, 600, 54.6, 3.8, 27.2), FaceLandmark(451, 879, 59.2, 4.2, 21),
        // The strap, to the ear.
        FaceLandmark(455, 883, 63.2, 4, 13.2), FaceLandmark(456, 884, 66.6, 3.4, 4.4), FaceLandmark(464, 1027, 69.2, 2.4, -5.2),
        FaceLandmark(967, 999, 71, 1, -15.4),
        // The cheek downwards, and the jaw to the chin.
        FaceLandmark(452, 880, 59.6, -5.5, 21.6), FaceLandmark(453, 881, 59, -15, 22.2), FaceLandmark(479, 894, 57.4, -24.5, 22.6),
        FaceLandmark(478, 893, 54.8, -33.8, 23), FaceLandmark(60, 509, 51, -42.8, 23.8), FaceLandmark(989, 1053, 46, -51, 26),
        FaceLandmark(988, 1052, 40, -58.4, 29.2), FaceLandmark(987, 1051, 33, -64.6, 33), FaceLandmark(986, 1050, 25.2, -69.4, 36.8),
        FaceLandmark(985, 982, 17, -72.8, 40), FaceLandmark(984, 983, 8.6, -74.8, 42.2), FaceLandmark(1049, nil, 0, -75.5, 43),
    ]
}

/// In millimetres from a point in the head: to the person's left, up, and forwards.
struct FacePoint: Sendable {
    var x, y, z: Double

    var mirrored: FacePoint { FacePoint(x: -x, y: y, z: z) }

    /// The point in single precision, which the app writes.
    var rounded: FacePoint { FacePoint(x: x.single, y: y.single, z: z.single) }

    func distance(to other: FacePoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }
}

extension Double {
    var single: Double { Double(Float(self)) }
}
