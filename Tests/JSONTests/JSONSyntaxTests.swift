import Foundation
import JSON
import SyncModel
import Testing

@Suite struct JSONSyntaxTests {
    private static func nested(_ levels: Int, _ values: String) -> String {
        String(repeating: "[", count: levels) + values + String(repeating: "]", count: levels)
    }

    /// A parser that backtracks would take fifteen minutes.
    /// A parser that goes back takes longer than the limit.
    @Test(.timeLimit(.minutes(5))) func checksDeepValuesInLinearTime() {
        let values = Array(repeating: #"1e5,true,"\u00e9""#, count: 1 << 16).joined(separator: ",")
        #expect(throws: Never.self) { try JSONSyntax.check(Data(Self.nested(500, values).utf8)) }
        #expect(throws: JSONFlaw.hugeNumber) { try JSONSyntax.check(Data(Self.nested(500, values + ",1e999").utf8)) }
    }

    @Test(arguments: [
        "{}", " [1 ,2]\n", "0", "-1.5e3", "1E-05", #""a""#, "null", "true", #"{"a":[1,"b",null,false,{"c":[[]]}]}"#, #"{"a":"\u00e9\n"}"#,
        #"["\ud83d\ude00", "é😀"]"#, #"["1e5", "\\ud800"]"#, #"{"a":1,"a":2}"#, "[" + String(repeating: "1.5,", count: 50_000) + "2]",
        #"["[[[[{{{{\"[[[["]"#, #"["\ud83d\ude00\ud83d\ude00","\\ud800","\\\\ud800"]"#, "[1e308,0e999,1E-999]", nested(500, "1e5"),
        nines(308), "-" + nines(308) + ".9", "0." + nines(400),
    ])
    func acceptsJSON(text: String) {
        #expect(throws: Never.self) { try JSONSyntax.check(Data(text.utf8)) }
        #expect(JSONValue(parsing: Data(text.utf8)) != nil)
    }

    @Test(arguments: [
        "", "{", "[1", "[1,]", "1.2.3", #"{"a":tru}"#, #"["\x"]"#, #"{"a" 1}"#, "{a:1}", "<html>", #"{"a":1}x"#, "NaN", "[NaN]",
        "[-Infinity]", "[01]", "[.5]", "[1.]", "['a']", "[1] // one", "[\"a\nb\"]", "\u{c}1", "{}\0", "{}\0x", "\"a\0b\"",
        "[" + String(repeating: "1.5,", count: 50_000) + "2",
    ])
    func refusesInvalidJSON(text: String) {
        #expect(throws: JSONFlaw.notJSON) { try JSONSyntax.check(Data(text.utf8)) }
    }

    /// These are well-formed, but not readable by every parser.
    @Test(arguments: [
        (nested(501, "1"), JSONFlaw.tooDeep), (nested(100_000, "1"), .tooDeep), (nested(600, "1"), .tooDeep),
        ("[1e999]", .hugeNumber), ("[-1E+999]", .hugeNumber), ("1e400", .hugeNumber), (nines(309), .hugeNumber),
        ("[1e5, -\(nines(400)).5]", .hugeNumber), (#"["\ud800"]"#, .halfOfPair), (#"["\udc00"]"#, .halfOfPair),
        (#"["\ud800\u0041"]"#, .halfOfPair), (#"["\ud83d\ud83d\ude00"]"#, .halfOfPair), (#"["\ude00\ud83d"]"#, .halfOfPair),
        (#"["\\\ud800"]"#, .halfOfPair), (#"["\ud83d x \ude00"]"#, .halfOfPair),
    ])
    func refusesJSONThatOtherParsersReject(text: String, flaw: JSONFlaw) {
        #expect(throws: flaw) { try JSONSyntax.check(Data(text.utf8)) }
    }

    @Test(
        arguments: [
            [0xff], [0xc0, 0xaf], [0xc1, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
            [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82], [0xc3], [0xe2, 0x28, 0xa1], [0xf0, 0x9f, 0x98],
        ] as [[UInt8]])
    func refusesInvalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONFlaw.notJSON) { try JSONSyntax.check(Data([0x22] + bytes + [0x22])) }
    }

    @Test func acceptsEveryLengthOfUTF8() {
        #expect(throws: Never.self) {
            try JSONSyntax.check(Data("\"\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}\"".utf8))
        }
    }

    @Test func refusesLevelsBeyondTheGivenLimit() {
        #expect(throws: Never.self) { try JSONSyntax.check(Data(Self.nested(98, "1").utf8), .submitted(levels: 98)) }
        #expect(throws: JSONFlaw.tooDeep) { try JSONSyntax.check(Data(Self.nested(99, "1").utf8), .submitted(levels: 98)) }
    }

    @Test(arguments: [
        ("1", 0), ("[]", 1), (#"{"a":1}"#, 1), ("[[],[{}],1]", 3), (#"[{"a":[]},[1]]"#, 3), (#"["[[["]"#, 1), (nested(500, "1"), 500),
    ])
    func returnsDeepestLevel(text: String, levels: Int) throws {
        #expect(try JSONSyntax.check(Data(text.utf8)) == levels)
    }

    /// Exceeds the range of a double from 309 digits on.
    private static func nines(_ count: Int) -> String { String(repeating: "9", count: count) }
}
