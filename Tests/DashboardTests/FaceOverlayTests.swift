import ControlAPI
import Foundation
import NIOCore
import Testing

@testable import Dashboard

@Suite struct FaceOverlayTests {
    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    private func captures(_ count: Int) throws -> [FaceOverlay.Capture] {
        try (1...count).map { number in
            let name = "Data/arkit/capture-\(number < 10 ? "0" : "")\(number).json"
            let payload = try String(contentsOf: Self.project.appending(path: name), encoding: .utf8)
            return .init(entry: Sample().entry("pending", id: "entry-\(number)"), face: try #require(Face(payload: payload)))
        }
    }

    /// One segment from landmark 14 to landmark 2.
    private func face(x: Double, length: String, withNose: Bool = true) throws -> FaceOverlay.Capture {
        let nose = withNose ? "14" : "1"
        let payload = """
            {"landmark_coordinates": {"\(nose)": {"x": \(x), "y": 1, "z": 2}, "2": {"x": \(x + 30), "y": 1, "z": 2}},
            "measurement_pairs": [{"from": \(nose), "to": 2, "key": "a", "description": "nose"}],
            "average_measurements": {"a": {"value": \(length)}}}
            """
        return .init(entry: Sample().entry("pending"), face: try #require(Face(payload: payload)))
    }

    @Test func movesNoseRootsToOnePlace() throws {
        let overlay = FaceOverlay(captures: [try face(x: 5, length: "30"), try face(x: -700, length: "31")])
        #expect(overlay.isCentred)
        #expect(overlay.segments[0].map(\.from) == overlay.segments[1].map(\.from))
        #expect(overlay.segments[1].map(\.to) == [Face.Point(x: 30, y: 0, z: 0)])
        #expect(Sample().faces(overlay).page(Sample.desk()).body.source.contains("top of the nose (landmark 14) is at the same place"))
    }

    @Test func keepsCoordinatesIfACaptureLacksItsNoseRoot() throws {
        let overlay = FaceOverlay(captures: [try face(x: 5, length: "30"), try face(x: 6, length: "31", withNose: false)])
        #expect(!overlay.isCentred && overlay.segments[0].map(\.from.x) == [5] && overlay.segments[1].map(\.from.x) == [6])
        #expect(Sample().faces(overlay).page(Sample.desk()).body.source.contains("at their own coordinates"))
    }

    @Test func computesTheSpreadOfEachMeasure() throws {
        let captures = try ["30", "33", "1e300", "31.5"].map { try face(x: 0, length: $0) }
        let measure = try #require(FaceOverlay(captures: captures).measures.first)
        #expect(measure.lengths == [30, 33, 31.5] && measure.mean == 31.5)
        #expect(measure.smallest == 30 && measure.largest == 33 && measure.spread == 3)
        let page = Sample().faces(FaceOverlay(captures: captures)).page(Sample.desk()).body.source
        #expect(page.contains("<td data-name=\"Captures\">3</td><td data-name=\"Mean\">31.5 mm</td>"))
        #expect(page.contains("<td data-name=\"Largest\">33.0 mm</td><td data-name=\"Spread\">3.0 mm</td>"))
    }

    @Test func listsTheLargestSpreadFirst() throws {
        let spreads = FaceOverlay(captures: try captures(5)).measures.map(\.spread)
        #expect(spreads.count == 54 && spreads == spreads.sorted(by: >))
    }

    @Test func drawsEachCaptureFromBothSidesWithAPatternOfItsOwn() throws {
        let overlay = FaceOverlay(captures: try captures(FaceOverlay.most))
        let source = Sample().faces(overlay).page(Sample.desk()).body.source
        let style = String(buffer: try #require(Asset.named(["style.css"])).body)
        for index in 0..<FaceOverlay.most {
            // Front, side and legend.
            #expect(source.components(separatedBy: "class=\"trace-\(index)\"").count == 4)
            #expect(source.contains("/entry/entry-\(index + 1)\">"))
            #expect(style.contains(".trace-\(index) { stroke: light-dark("))
        }
        let patterns = style.matches(of: /\.trace-\d+ \{[^}]*stroke-dasharray: ([^;]*);/).map { String($0.output.1) }
        #expect(patterns.count == FaceOverlay.most - 1 && Set(patterns).count == patterns.count)
        for match in source.matches(of: /[ML](-?[0-9.]+)\ (-?[0-9.]+)/) {
            for part in [match.output.1, match.output.2] {
                let place = try #require(Double(part))
                #expect((0...110).contains(place))
            }
        }
    }

    /// Twelve payloads with a thousand segments each, whose names are as long as can be when escaped.
    @Test(arguments: ["\"", "\u{1F637}", "e" + String(repeating: "\u{301}", count: 500)], Catalogue.all.map(\.language))
    func hostilePayloadsAreLight(letter: String, language: String) throws {
        let desk = Sample.desk(try #require(Catalogue.named(language)))
        let face = try FaceTests.hostile(letter)
        // Each with measures of its own.
        let captures = (0..<FaceOverlay.most).map { number in
            var face = face
            for index in face.segments.indices { face.segments[index].key = "\(number)-\(index)" }
            return FaceOverlay.Capture(entry: Sample().entry("pending", id: "entry-\(number)"), face: face)
        }
        let overlay = FaceOverlay(captures: captures)
        let weight = try ["style.css", "page.js", "icon.svg"].map { try #require(Asset.named([$0])).body.readableBytes }.reduce(0, +)
        for page in [Sample().faces(overlay).page(desk), FacePage(entry: captures[0].entry, face: captures[0].face).page(desk)] {
            let source = desk.document(page).source
            #expect(source.utf8.count + weight < 150_000, "\(source.utf8.count)")
            #expect(source.firstMatch(of: /(?:[ML]|[xy][12]?=")-?\d+\.\d\d/) == nil)
        }
        #expect(face.omitted == 900 && overlay.omitted == 10_800)
        let english = Sample().faces(overlay).page(Sample.desk()).body.source
        #expect(english.contains("And 10,800 more segments, which are not drawn."))
        #expect(english.contains("And 1,100 more measures with smaller spreads."))
    }

    @Test func twelveCapturesAreLight() throws {
        let page = Sample().faces(FaceOverlay(captures: try captures(FaceOverlay.most))).page(Sample.desk())
        let assets = try ["style.css", "page.js", "icon.svg"].map { try #require(Asset.named([$0])).body.readableBytes }
        #expect(Sample.desk().document(page).source.utf8.count + assets.reduce(0, +) < 150_000)
    }
}
