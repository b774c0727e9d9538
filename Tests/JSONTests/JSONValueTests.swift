import Foundation
import JSON
import SyncModel
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", JSONValue.null), ("true", true), ("false", false), ("0", 0), ("1", 1), ("-7", -7), ("1.5", .number("1.5")),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("9223372036854775808", .number("9223372036854775808")), ("1e3", .number("1e3")), ("-0", .number("-0")),
        (#""1""#, "1"), (#""true""#, "true"), ("[]", .array([])), ("[1,true,null]", .array([1, true, .null])),
        (#"{"a":{"b":[0.25,"x"]}}"#, .object(["a": .object(["b": .array([.number("0.25"), "x"])])])),
    ])
    func readsDocuments(text: String, value: JSONValue) { #expect(JSONValue(parsing: Data(text.utf8)) == value) }

    @Test(arguments: [
        "", " ", "{", "nul", "NaN", "Infinity", "1e999", #"{"a":NaN}"#, "{'a':1}", "1 2", "01", "1.", ".5", "-", "+1",
        "1e", "tru", "\"a", "\"\t\"",
        #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00x""#, #"{"a"}"#, "{1:2}", "[1 2]", "]", "[", "// one\n1",
    ])
    func isNilForInvalidJSON(text: String) { #expect(JSONValue(parsing: Data(text.utf8)) == nil) }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u00fc\ud83d\udE00z""#, "ü😀z"), ("\"ü😀\"", "ü😀"), (#""e\u0301""#, "é"),
    ])
    func readsEscapes(text: String, value: String) { #expect(JSONValue(parsing: Data(text.utf8))?.string == value) }

    @Test func refusesInvalidUTF8() {
        #expect(JSONValue(parsing: Data([0x22, 0xff, 0x22])) == nil)
        #expect(JSONValue(parsing: Data([0x22, 0xc0, 0xaf, 0x22])) == nil)
    }

    @Test func limitsNesting() {
        func nested(_ depth: Int) -> Data { Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8) }
        #expect(JSONValue(parsing: nested(512)) != nil)
        #expect(JSONValue(parsing: nested(513)) == nil)
        #expect(JSONValue(parsing: nested(1_000_000)) == nil)
    }

    @Test func distinguishesBooleansFromNumbers() throws {
        #expect(JSONValue(parsing: Data("true".utf8)) != JSONValue(parsing: Data("1".utf8)))
    }

    @Test(arguments: [
        ("5", JSONValue.int(5)), ("-5", -5), ("1.5", .number("1.5")), ("true", true), ("null", .null), (#""5""#, "5"), ("", ""),
        ("ann", "ann"), ("007", "007"), ("+5", "+5"), ("5 6", "5 6"), ("[1]", "[1]"), (#"{"a":1}"#, #"{"a":1}"#), ("True", "True"),
        // As numbers, these would become another id.
        ("5e1", "5e1"), ("12E3", "12E3"), ("18446744073709551615", "18446744073709551615"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ])
    func readsArguments(text: String, value: JSONValue) { #expect(JSONValue(argument: text) == value) }

    @Test(arguments: ["0", "5", "-5", "9223372036854775807", "9223372036854775808", "5e1", "1E9", "ann", "0x1f", "12345678901234567890123"])
    func keepsTheTextOfIdsInArguments(text: String) { #expect(JSONValue(argument: text).text == text) }

    @Test func writesTheSameBytesForTheSameValue() throws {
        let one = try #require(JSONValue(parsing: Data(#"{ "b": [1, 2.5, true], "a": "x/y", "c": null }"#.utf8)))
        let other = try #require(JSONValue(parsing: Data(#"{"c":null,"a":"x/y","b":[1,2.5,true]}"#.utf8)))
        #expect(String(decoding: one.serialized, as: UTF8.self) == #"{"a":"x/y","b":[1,2.5,true],"c":null}"#)
        #expect(one.serialized == other.serialized)
    }

    @Test func writesEveryControlCharacterAsAnEscape() {
        let text = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init) + ["\"", "\\", "é", "😀"]))
        #expect(JSONValue(parsing: JSONValue.string(text).serialized) == .string(text))
    }

    @Test func hasTextForScalarsAlone() {
        let texts: [(JSONValue, String?)] = [
            ("a/b", "a/b"), (5, "5"), (.number("2.50"), "2.50"), (true, "true"), (.null, nil), (.array([]), nil), (.object([:]), nil),
        ]
        for (value, text) in texts { #expect(value.text == text) }
    }

    @Test func findsMembersInObjectsAlone() {
        let value = JSONValue.object(["user": .object(["id": 5])])
        #expect(value["user"]?["id"] == 5)
        #expect(value["id"] == nil)
        #expect(JSONValue.array([value])["user"] == nil)
    }
}

@Suite struct JSONParsingTests {
    @Test(arguments: [
        "{}", "[]", "0", "-1.5e3", #""a""#, "null", "true", #"{"a":[1,"b",null,false,{"c":[[]]}]}"#, #"{"a":"\u00e9\n"}"#,
        "[" + String(repeating: "1.5,", count: 1000) + "2]",
    ])
    func readsWholeDocuments(text: String) {
        #expect(JSONValue(parsing: Data(text.utf8)) != nil)
    }

    @Test(arguments: [
        "", "{", "[1", "1.2.3", #"{"a":1.2.3}"#, #"{"a":tru}"#, #"["\x"]"#, #"{"a" 1}"#, "<html>", #"{"a":1}x"#, "NaN", "[1e999]",
        #"{"a":{"b":[01]}}"#,
    ])
    func refusesDocumentsThatAreBrokenAnywhere(text: String) {
        #expect(JSONValue(parsing: Data(text.utf8)) == nil)
    }
}
