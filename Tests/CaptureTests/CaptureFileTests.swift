import Foundation
import JSON
import SyncModel
import Testing

@testable import Capture

@Suite struct CaptureFileTests {
    private static func read(_ content: String, name: String = "a.json", folder: String? = nil) throws -> CaptureFile {
        try CaptureFile(name: name, folder: folder, content: Data(content.utf8))
    }

    private static func refusal(_ content: String, name: String = "a.json", folder: String? = nil) -> String? {
        do {
            _ = try CaptureFile(name: name, folder: folder, content: Data(content.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("{", true), (#"{"average_measurements":{}"#, true), (#"{"a":"}"#, true), (#"{"a":"\"}"#, true), (#"{"a":NaN}"#, false),
        ("{}}", false), ("{}{", true), ("a{", false), ("[{", false), (" ", false),
    ])
    func saysThatAFileMayBeCutOff(content: String, mayBe: Bool) {
        let reason = Self.refusal(content)
        #expect(reason?.hasPrefix("The file is not a JSON object. ") == true)
        #expect(reason?.contains("may be cut off") == mayBe)
    }

    /// All numbers of a payload, as strtod(3) parses them.
    private static func numbers(in text: String) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for (place, match) in text.matches(of: /[\[:,]\s*(-?[0-9][0-9.eE+\-]*)/).enumerated() {
            numbers["\(place)"] = String(match.1).withCString { strtod($0, nil) }
        }
        return numbers
    }

    private static func flattened(_ value: JSONValue, _ path: String = "") -> [String: Double] {
        switch value {
        case .int(let whole): [path: Double(whole)]
        case .number(let text): [path: Double(text) ?? .nan]
        case .array(let items):
            items.enumerated().reduce(into: [:]) { all, item in
                all.merge(flattened(item.element, "\(path)/\(item.offset)")) { $1 }
            }
        case .object(let members):
            members.reduce(into: [:]) { all, member in all.merge(flattened(member.value, "\(path)/\(member.key)")) { $1 } }
        case .null, .bool, .string: [:]
        }
    }

    @Test(arguments: Captures.plain)
    func keepsPlainCaptureByteForByte(name: String) throws {
        let content = try Captures.content(of: name)
        let file = try CaptureFile(name: name, folder: "5", content: content)
        #expect(file.payload == content)
        #expect(file.user == 5)
    }

    @Test(arguments: Captures.pending)
    func extractsMeasurementsFromAppFileWithExactNumbers(name: String) throws {
        let content = try Captures.content(of: name)
        let file = try CaptureFile(name: name, folder: nil, content: content)
        #expect(file.user == 5)
        let payload = try #require(JSONValue(parsing: file.payload))
        #expect(payload == JSONValue(parsing: content)?["measurements"])
        #expect(payload["average_measurements"] != nil)
        #expect(payload["userId"] == nil)
        // Another parser finds the same numbers, apart from the app's own members.
        var before = Self.numbers(in: String(decoding: content, as: UTF8.self)).values.sorted()
        let stated = try #require(JSONValue(parsing: content))
        let own = ["userId", "retryCount", "timestamp"].compactMap { stated[$0] }.flatMap { Self.flattened($0).values }
        #expect(own.count == 3)
        for extra in own { before.remove(at: try #require(before.firstIndex(of: extra))) }
        let isSame = Self.numbers(in: String(decoding: file.payload, as: UTF8.self)).values.sorted() == before
        #expect(isSame)
        #expect(before.count > 100)
        let isRead = Self.flattened(payload).values.sorted() == before
        #expect(isRead)
    }

    @Test func extractsMeasurementsByteForByte() throws {
        let file = try Self.read(
            #"{"userId": 5.0, "measurements": {"z": 1.50, "average_measurements": {"b" : -0.0, "a": 1E+2, "a": "\u00e9 x"}}}"#)
        #expect(file.user == 5)
        #expect(
            String(decoding: file.payload, as: UTF8.self)
                == #"{"z": 1.50, "average_measurements": {"b" : -0.0, "a": 1E+2, "a": "\u00e9 x"}}"#)
    }

    /// A parser that backtracks would take fifteen minutes.
    /// A parser that goes back takes longer than the limit.
    @Test(.timeLimit(.minutes(5))) func readsDeepValuesInLinearTime() throws {
        let deep =
            String(repeating: "[", count: 400) + Array(repeating: "true", count: 1 << 16).joined(separator: ",")
            + String(repeating: "]", count: 400)
        let plain = #"{"average_measurements":{},"a":\#(deep)}"#
        #expect(try Self.read(plain, folder: "5").payload == Data(plain.utf8))
        let measurements = try Self.read(#"{"measurements":\#(plain),"userId":5}"#).payload
        #expect(measurements == Data(plain.utf8))
    }

    @Test func theSameFileGivesTheSameBytes() throws {
        let content = try Captures.content(of: Captures.pending[0])
        let payloads = try (0..<20).map { _ in try CaptureFile(name: "x", folder: nil, content: content).payload }
        #expect(Set(payloads).count == 1)
    }

    @Test(arguments: [
        ("7", JSONValue.int(7)), ("ann", "ann"), ("5e1", "5e1"), ("123456789012345678901", "123456789012345678901"),
    ])
    func takesUserOfPlainCaptureFromItsFolder(folder: String, user: JSONValue) throws {
        let file = try Self.read(#"{"average_measurements":{}}"#, folder: folder)
        #expect(file.user == user)
        #expect(file.user.text == folder)
    }

    @Test(arguments: [
        ("", "The file is empty."),
        (" ", "is not a JSON object"), ("capture", "is not a JSON object"), ("{", "is not a JSON object"),
        (#"[{"average_measurements":{}}]"#, "is not a JSON object"), ("null", "is not a JSON object"), ("5", "is not a JSON object"),
        (#"{"average_measurements":{"a":NaN}}"#, "is not a JSON object"),
        (#"{"average_measurements":"# + String(repeating: "[", count: 100_000), "is not a JSON object"),
        (#"{}"#, "neither “average_measurements” (a capture) nor “measurements” and “userId”"),
        (#"{"measurements":{"average_measurements":{}}}"#, "neither “average_measurements”"),
        (#"{"average_measurements":[1]}"#, "“average_measurements” must be a JSON object"),
        (#"{"measurements":{},"userId":5}"#, "“measurements” must contain the JSON object “average_measurements”."),
        (#"{"measurements":null,"userId":5}"#, "“measurements” must contain the JSON object “average_measurements”."),
        (#"{"measurements":{"average_measurements":{}},"userId":"5"}"#, "“userId” must be a whole number above 0."),
        (#"{"measurements":{"average_measurements":{}},"userId":0}"#, "“userId” must be a whole number above 0."),
        (#"{"measurements":{"average_measurements":{}},"userId":-5}"#, "“userId” must be a whole number above 0."),
        (#"{"measurements":{"average_measurements":{}},"userId":5.5}"#, "“userId” must be a whole number above 0."),
        (#"{"measurements":{"average_measurements":{}},"userId":true}"#, "“userId” must be a whole number above 0."),
        (#"{"userId":6,"measurements":{"average_measurements":{}},"userId":5}"#, "“userId” twice"),
        (#"{"userId":6,"measurements":{"average_measurements":{}},"\u0075serId":5}"#, "“userId” twice"),
        (
            #"{"measurements":{"average_measurements":{}},"userId":5,"measurements":{"average_measurements":{"a":1}}}"#,
            "“measurements” twice"
        ),
        (#"{"measurements":{"average_measurements":{},"average_measurements":{"a":1}},"userId":5}"#, "“average_measurements” twice"),
        (#"{"average_measurements":{},"a":{"b":[1,"x"]}, "average_measurements" : {}}"#, "“average_measurements” twice"),
        ("{\0\"average_measurements\":{}}", "is not a JSON object"),
    ])
    func refusalNamesTheExpectedFormat(content: String, words: String) throws {
        let reason = try #require(Self.refusal(content, folder: "5"))
        #expect(reason.contains(words), "\(reason)")
        #expect(reason.hasSuffix("."))
    }

    @Test(arguments: [
        #"{"average_measurements":{"average_measurements":{}},"a":[{"average_measurements":1}]}"#,
        #"{"average_measurements":{},"a":"average_measurements","b":"\"average_measurements\":"}"#,
        #"{"average_measurements":{},"note":"measurements","note":"userId"}"#,
    ]) func ignoresMemberNamesInOtherPlaces(content: String) { #expect(Self.refusal(content, folder: "5") == nil) }

    @Test func aFileInUTF16IsRefused() {
        let text = #"{"measurements":{"average_measurements":{}},"userId":5}"#
        let wide = Data(text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
        for content in [wide, Data([0xff, 0xfe]) + wide] {
            let error = #expect(throws: CaptureFile.NotUnderstood.self) { try CaptureFile(name: "a.json", folder: "5", content: content) }
            let reason = "The file is not a JSON object: it is in UTF-16 or UTF-32; expected UTF-8 without a byte order mark."
            #expect(error?.reason == reason)
        }
    }

    @Test func refusalOfCaptureWithoutUserExplainsUserFolders() throws {
        let reason = try #require(Self.refusal(#"{"average_measurements":{}}"#))
        let end = "Drop it into the folder of that user: new/users/ID/, where ID is the user’s number."
        #expect(reason == "The file does not say which user it is about. \(end)")
    }

    @Test(arguments: ["05", "0", "00", "5 ", " 5", "\u{a0}5", "5\n", "5\u{7}", "5\u{85}6", " "])
    func refusesMalformedUserFolderName(folder: String) throws {
        let reason = try #require(Self.refusal(#"{"average_measurements":{}}"#, folder: folder))
        #expect(reason.hasSuffix(", such as 5."), "\(reason)")
    }

    private static let ofFive = #"{"measurements":{"average_measurements":{}},"userId":5}"#

    @Test(
        arguments: [
            ("measurements_6_1765000001.json", nil, "The file name says user 6, but the content says user 5."),
            ("measurements_6_1765000001.json", "5", "The file name says user 6, but the content says user 5."),
            ("measurements_5_1765000001.json", "6", "The folder name says user 6, but the content says user 5."),
            ("a.json", "05", "The folder name says user 05, but the content says user 5."),
        ] as [(String, String?, String)])
    func refusesContradictingUsers(name: String, folder: String?, reason: String) {
        #expect(Self.refusal(Self.ofFive, name: name, folder: folder) == reason)
    }

    @Test(arguments: [("measurements_5_1765000001.json", "5"), ("measurements_5_1765000001.json", nil), ("6.json", nil), ("a.json", "5")])
    func acceptsConsistentUser(name: String, folder: String?) throws {
        #expect(try Self.read(Self.ofFive, name: name, folder: folder).user == 5)
    }
}
