/// A line of measured segments over the face, as BreatheSafe and its capture app name it.
struct FaceLine: Sendable {
    /// The app adds the number of the segment.
    let name: String
    /// BreatheSafe's sum that the line belongs to.
    let sum: String
    let landmarks: [Int]

    private init(_ name: String, of sum: String, _ landmarks: [Int]) { (self.name, self.sum, self.landmarks) = (name, sum, landmarks) }

    var segments: [FaceSegment] {
        zip(landmarks, landmarks.dropFirst()).enumerated().map { place, ends in
            FaceSegment(from: ends.0, to: ends.1, description: "\(name) \(landmarks.count - 1 - place)")
        }
    }

    /// In the order of the app.
    static let all = [
        FaceLine("left strap", of: "strap_mm", [967, 464, 456, 451, 455]),
        FaceLine("right strap", of: "strap_mm", [999, 1027, 884, 883, 879]),
        FaceLine("chin right", of: "chin_mm", [1049, 983, 982, 1050, 1051, 1052, 1053, 509]),
        FaceLine("mid right cheek", of: "mid_cheek_mm", [509, 893, 894, 881, 880, 879]),
        FaceLine("top right cheek", of: "top_cheek_mm", [879, 600, 756, 862, 753, 594, 582, 609]),
        FaceLine("nose right", of: "nose_mm", [609, 802, 798, 14, 818]),
        FaceLine("chin left", of: "chin_mm", [1049, 984, 985, 986, 987, 988, 989, 60]),
        FaceLine("mid left cheek", of: "mid_cheek_mm", [60, 478, 479, 453, 452, 451]),
        FaceLine("top left cheek", of: "top_cheek_mm", [451, 151, 321, 434, 318, 145, 133, 160]),
        FaceLine("nose left", of: "nose_mm", [160, 371, 367, 387, 14]),
    ]
}

/// A measured distance between two landmarks.
struct FaceSegment: Sendable {
    let from: Int
    let to: Int
    let description: String

    var key: String { "\(from)-\(to)" }
}
