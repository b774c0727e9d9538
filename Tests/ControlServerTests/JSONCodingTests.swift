import ControlAPI
import Foundation
import Testing

@Suite struct JSONCodingTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_765_000_000_123, "2025-12-06T05:46:40.123Z"),
            (1_765_000_000_999, "2025-12-06T05:46:40.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_000, "9999-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func aTimeIsUTCWithMilliseconds(milliseconds: Int64, text: String) throws {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        #expect(String(decoding: JSONCoding.encoded([date]), as: UTF8.self) == #"["\#(text)"]"#)
        #expect(try JSONCoding.decoder.decode([Date].self, from: Data(#"["\#(text)"]"#.utf8)) == [date])
    }

    /// Disk damage can produce any time.
    @Test(arguments: [Int64.min, -116_951_881_634_118, -62_135_596_800_001, 253_402_300_800_000, .max])
    func clampsTimesOutsideEncodableRange(milliseconds: Int64) throws {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let back = try JSONCoding.decoder.decode([Date].self, from: JSONCoding.encoded([date]))
        let nearest = milliseconds < 0 ? "1600-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.000Z"
        #expect(back.map(JSONCoding.text) == [nearest])
    }

    /// The outbox stores whole milliseconds.
    @Test func everyMillisecondRoundTrips() throws {
        for number in 0..<1000 {
            let date = Date(timeIntervalSince1970: Double(1_765_000_000_000 + number) / 1000)
            let back = try JSONCoding.decoder.decode([Date].self, from: JSONCoding.encoded([date]))
            #expect(back == [date], "\(number)")
        }
    }

    @Test(arguments: [
        "2026-11-27T10:00:00.000Z", "2026-11-27T10:00:00Z", "2026-11-27T10:00Z", "2026-11-27T17:00:00+07:00", "2026-11-27T17:00+07:00",
        "2026-11-27T05:00-05:00",
    ]) func secondsOfATimeMayBeLeftOut(text: String) {
        #expect(JSONCoding.date(text).map(JSONCoding.text) == "2026-11-27T10:00:00.000Z")
    }

    @Test(arguments: ["2026-11-27T17:00", "2026-11-27T17:00:00", "2026-11-27T17:00:00.000", "2026-11-27 17:00", "2026-11-27T10:00Z"])
    func timeWithoutAnOffsetIsLocal(text: String) throws {
        let vietnam = try #require(TimeZone(secondsFromGMT: 7 * 3600))
        #expect(JSONCoding.date(text, in: vietnam).map(JSONCoding.text) == "2026-11-27T10:00:00.000Z")
        let inUTC = text.hasSuffix("Z") ? 10 : 17
        #expect(JSONCoding.date(text, in: .gmt).map(JSONCoding.text) == "2026-11-27T\(inUTC):00:00.000Z")
    }

    /// A server's time could be of any zone.
    @Test func timeOfNoZoneHasNoOffset() { #expect(JSONCoding.date("2026-11-27T17:00") == nil) }

    @Test(arguments: [
        "2026-11-27", "10:00", "2026-02-30T10:00", "2026-11-27T24:00", "2026-11-27T10:60", "2026-11-27T10", "2026-11-27T1:00",
        "2026-11-27T10:00:", "2026-11-27T10:00:00.", "2026-11-27T10:00:60", "26-11-27T10:00", "2026-11-27T10:00 soon", "T", "T10:00Z", "",
    ]) func refusesOtherForms(text: String) { #expect(JSONCoding.date(text, in: .gmt) == nil) }

    @Test func localTimeKeepsItsFraction() {
        #expect(JSONCoding.date("2026-11-27T10:00:30.25", in: .gmt).map(JSONCoding.text) == "2026-11-27T10:00:30.250Z")
    }

    @Test(arguments: [#"["yesterday"]"#, #"[1765000000]"#, #"["2025-12-06"]"#, #"[""]"#])
    func refusesInvalidTimes(text: String) {
        #expect(throws: DecodingError.self) { try JSONCoding.decoder.decode([Date].self, from: Data(text.utf8)) }
    }

    @Test func encodesKeysInSortedOrder() {
        let problem = Problem(.notFound, status: 404, title: "Not found", detail: "a/b")
        #expect(
            String(decoding: JSONCoding.encoded(problem), as: UTF8.self)
                == #"{"code":"not-found","detail":"a/b","status":404,"title":"Not found","type":"urn:homing:problem:not-found"}"#)
    }
}
