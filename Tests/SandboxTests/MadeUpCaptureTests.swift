import Foundation
import Sandbox
import SyncModel
import Testing

@testable import Capture

/// The fixture has random landmarks and lengths, so the tests of faces must fail for it.
@Suite struct MadeUpCaptureTests {
    private static let seeds: [UInt64] = [0, 7, .max]

    private static func captures(people: Int = 20, each: Int = 3, seed: UInt64 = 7) -> [MadeUpCapture] {
        (1...people).flatMap { MadeUpCapture.captures(ofPerson: $0, count: each, seed: seed) }
    }

    private static func sample() throws -> CaptureDocument { try CaptureDocument(fixture("capture-01.json").utf8) }

    @Test func sameSeedGivesTheSameBytes() {
        let (once, again) = (Self.captures(), Self.captures())
        #expect(once.map(\.document.bytes) == again.map(\.document.bytes) && once.map(\.fileName) == again.map(\.fileName))
        #expect(Set(once.map(\.fileName)).count == 60 && Set(once.map(\.document.bytes)).count == 60)
        let others = Self.captures(seed: 8)
        #expect(Set(once.map(\.document.bytes)).isDisjoint(with: others.map(\.document.bytes)))
        // The first person of the next seed is not the second one of this seed.
        #expect(others[0].document["landmark_coordinates"] != once[3].document["landmark_coordinates"])
    }

    /// The bytes stay the same in other versions and on other systems.
    @Test func firstLandmarkIsKnown() throws {
        let first = try CaptureDocument(Self.captures(people: 1, each: 1)[0].document.bytes)
        #expect(first.landmarkCoordinates["14"] == .init(x: -0.3238665461540222, y: 29.54481315612793, z: 55.57658004760742))
    }

    @Test func moreCapturesLeaveTheOthersAsTheyAre() {
        let (few, many) = (Self.captures(people: 2, each: 2), Self.captures(people: 2, each: 5))
        #expect([0, 1, 5, 6].map { many[$0].document } == few.map(\.document))
    }

    @Test func documentHasTheFormOfTheApps() throws {
        let sample = try Self.sample()
        let text = try JSON(bytes: Array(fixture("capture-01.json").utf8))
        for capture in Self.captures(people: 2, each: 2) {
            let made = try CaptureDocument(capture.document.bytes)
            #expect(capture.document.members?.keys == text.members?.keys)
            #expect(made.measurementPairs == sample.measurementPairs && made.measurementPairs.count == 54)
            #expect(Set(made.landmarkCoordinates.keys) == Set(sample.landmarkCoordinates.keys))
            #expect(made.averageMeasurements.mapValues(\.description) == sample.averageMeasurements.mapValues(\.description))
            #expect(Set(made.statistics.keys) == Set(sample.statistics.keys))
            #expect(made.units == sample.units && made.totalSamples == sample.totalSamples)
            #expect(made.timestamp > sample.timestamp)
            #expect(abs(capture.document.bytes.count - text.bytes.count) < 500)
        }
    }

    @Test(arguments: seeds) func segmentsAreTheDistancesOfTheirLandmarks(seed: UInt64) throws {
        for capture in Self.captures(seed: seed) {
            let face = try CaptureDocument(capture.document.bytes)
            #expect(face.worstLength < 0.0001)
            #expect(face.lengths.allSatisfy { (1...30).contains($0) })
            for (key, statistics) in face.statistics {
                let metres = try #require(face.averageMeasurements[key]?.value) / 1000
                #expect(abs(statistics.avg - metres) < 1e-8 && statistics.min < metres && metres < statistics.max)
                #expect(statistics.max < 1.05 * statistics.min && statistics.count == face.totalSamples)
            }
        }
        #expect(try Self.sample().worstLength > 50)
    }

    /// Each landmark differs by 0.9 mm at most from the symmetric face.
    @Test(arguments: seeds) func sidesAreAlmostMirrorImages(seed: UInt64) throws {
        for capture in Self.captures(seed: seed) {
            let worst = try CaptureDocument(capture.document.bytes).worstMirroring
            #expect(worst < 1.801 && worst > 0.1)
        }
        #expect(try Self.sample().worstMirroring > 20)
    }

    @Test(arguments: seeds) func peopleDifferMoreThanTheirCaptures(seed: UInt64) throws {
        let faces = try Self.captures(seed: seed).map { try CaptureDocument($0.document.bytes) }
        var (same, other): ([Double], [Double]) = ([], [])
        for (place, face) in faces.enumerated() {
            for second in faces.indices.dropFirst(place + 1) {
                let distance = face.distance(to: faces[second])
                if second / 3 == place / 3 { same.append(distance) } else { other.append(distance) }
            }
        }
        #expect(try #require(same.max()) * 2 < #require(other.min()))
        #expect(try #require(same.min()) > 0.1)
        let sizes = faces.map { $0.lengths.reduce(0, +) }
        #expect(try #require(sizes.max()) - #require(sizes.min()) > 40)
    }

    @Test func breatheSafeAcceptsThemAsComplete() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            for capture in Self.captures(people: 3, each: 1) {
                let body = JSON.object(["arkit_data": capture.document]).description
                let answer = try await client.send("POST", Replay.arkit, body: .json(body))
                let measurement = try answer.json()["facial_measurement"]
                #expect(answer.status == 201 && measurement?["percent_complete"]?.number == 100)
                #expect(measurement?["arkit"] == capture.document)
                let sums = try #require(measurement?["aggregated"]?.members).values.compactMap(\.number)
                let total = try CaptureDocument(capture.document.bytes).lengths.reduce(0, +)
                #expect(sums.count == 5 && abs(sums.reduce(0, +) - total) < 0.001)
            }
        }
    }

    @Test func dropFolderAcceptsThem() throws {
        for capture in Self.captures(people: 3) {
            let content = Data(capture.document.bytes)
            let file = try CaptureFile(name: capture.fileName, folder: "5", content: content)
            #expect(file.payload == content && file.user == 5)
            let time = try CaptureDocument(content).timestamp
            #expect(file.capturedAt == Date(timeIntervalSince1970: time))
        }
    }
}
