import ControlAPI
import Foundation
import Testing

@testable import Dashboard

@Suite struct FaceTests {
    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private func payload(_ name: String) throws -> String {
        try String(contentsOf: Self.project.appending(path: "Data/arkit/\(name)"), encoding: .utf8)
    }

    /// A thousand segments between a thousand landmarks, with names of more than a hundred scalars.
    static func hostile(_ letter: String) throws -> Face {
        let points = (0..<1000).map { "\"\($0)\": {\"x\": \($0).123456, \"y\": -\($0 * 7 % 1000).98765, \"z\": \($0 * 31 % 777).5}" }
        let text = String(repeating: letter, count: max(1, 200 / letter.unicodeScalars.count))
        let name = String(decoding: JSONCoding.encoded(text), as: UTF8.self)
        let pairs = (0..<1000).map { "{\"from\": \($0), \"to\": \(($0 + 500) % 1000), \"key\": \"\($0)\", \"description\": \(name)}" }
        let lengths = (0..<1000).map { "\"\($0)\": {\"value\": 99999.\($0)}" }
        let payload = """
            {"landmark_coordinates": {\(points.joined(separator: ","))}, "measurement_pairs": [\(pairs.joined(separator: ","))],
            "average_measurements": {\(lengths.joined(separator: ","))}}
            """
        return try #require(Face(payload: payload))
    }

    @Test func saysThatSegmentsAreMissing() throws {
        let face = try Self.hostile("x")
        #expect(face.segments.count == Face.mostSegments && face.omitted == 900)
        let source = FacePage(entry: Sample().entry(), face: face).page(Sample.desk()).body.source
        #expect(source.contains("100 measured segments") && source.contains("And 900 more segments, which are not drawn."))
    }

    @Test func readsLandmarksAndSegments() throws {
        let face = try #require(Face(payload: try payload("capture-01.json")))
        #expect(face.landmarks.count == 54 && face.segments.count == 54)
        let first = face.segments[0]
        #expect(first.name == "left strap 4" && first.millimetres == 4.418556213378906)
        let wrapped = try Face(payload: "{\"timestamp\": 1, \"measurements\": \(payload("capture-01.json"))}")
        #expect(wrapped == face)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", "{\"a\": 1}", "{\"landmark_coordinates\": {}, \"measurement_pairs\": []}",
        "{\"landmark_coordinates\": {\"1\": {\"x\": 1}}, \"measurement_pairs\": [{\"from\": 1, \"to\": 2}]}",
        "{\"landmark_coordinates\": {\"1\": {\"x\": 1e300, \"y\": 0, \"z\": 0}}, \"measurement_pairs\": [{\"from\": 1, \"to\": 1}]}",
    ])
    func otherPayloadsHaveNoFace(payload: String) { #expect(Face(payload: payload) == nil) }

    @Test func drawsEachSegmentFromBothSides() throws {
        let face = try #require(Face(payload: try payload("capture-01.json")))
        let source = FacePage(entry: Sample().entry("pending"), face: face).page(Sample.desk()).body.source
        #expect(source.matches(of: /<g data-segment="/).count == 108 && source.matches(of: /<circle\ /).count == 108)
        #expect(
            source.contains("<title>left strap 4 4.4 mm</title>")
                && source.contains("<th scope=\"row\"><bdi>left strap 4</bdi></th><td>4.4 mm</td>"))
        for match in source.matches(of: /(?:x1|y1|x2|y2|cx|cy)="([^"]*)"/) {
            let place = try #require(Double(match.output.1))
            #expect((0...110).contains(place))
        }
    }

    @Test func writesLengthsAsTheLanguageDoes() throws {
        let face = try #require(Sample().face)
        #expect(FacePage(entry: Sample().entry(), face: face).page(Sample.desk(.vietnamese)).body.source.contains("17,3 mm"))
    }
}
