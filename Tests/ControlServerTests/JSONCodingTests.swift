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
