import Foundation
import JSONText
import SyncModel
import Testing

@Suite struct JSONSyntaxTests {
    private static func nested(_ levels: Int, _ values: String) -> String {
        String(repeating: "[", count: levels) + values + String(repeating: "]", count: levels)
    }

    /// A reader that finds out by trying what a value is would take a quarter of an hour.
    @Test(.timeLimit(.minutes(2))) func howDeepAValueStandsCostsNothing() {
        let values = Array(repeating: #"1e5,true,"\u00e9""#, count: 1 << 16).joined(separator: ",")
        #expect(throws: Never.self) { try JSONSyntax.check(Self.nested(500, values)) }
        #expect(throws: JSONSyntax.Flaw.hugeNumber) { try JSONSyntax.check(Self.nested(500, values + ",1e999")) }
    }

    @Test(arguments: [
        "{}", " [1 ,2]\n", "0", "-1.5e3", "1E-05", #""a""#, "null", "true", #"{"a":[1,"b",null,false,{"c":[[]]}]}"#, #"{"a":"\u00e9\n"}"#,
        #"["\ud83d\ude00", "é😀"]"#, #"["1e5", "\\ud800"]"#, #"{"a":1,"a":2}"#, "[" + String(repeating: "1.5,", count: 50_000) + "2]",
        #"["[[[[{{{{\"[[[["]"#, #"["\ud83d\ude00\ud83d\ude00","\\ud800","\\\\ud800"]"#, "[1e308,0e999,1E-999]", nested(500, "1e5"),
        nines(308), "-" + nines(308) + ".9", "0." + nines(400),
    ])
    func whatIsADocumentIsTaken(text: String) {
        #expect(throws: Never.self) { try JSONSyntax.check(text) }
        #expect(JSONValue(parsing: Data(text.utf8)) != nil)
    }

    @Test(arguments: [
        "", "{", "[1", "[1,]", "1.2.3", #"{"a":tru}"#, #"["\x"]"#, #"{"a" 1}"#, "{a:1}", "<html>", #"{"a":1}x"#, "NaN", "[NaN]",
        "[-Infinity]", "[01]", "[.5]", "[1.]", "['a']", "[1] // one", "[\"a\nb\"]", "\u{c}1", "{}\0", "{}\0x", "\"a\0b\"",
        nested(100_000, "1"), "[" + String(repeating: "1.5,", count: 50_000) + "2",
    ])
    func whatIsNoneIsNot(text: String) {
        #expect(throws: JSONSyntax.Flaw.notJSON) { try JSONSyntax.check(text) }
    }

    /// What SQLite takes and JSONDecoder does not.
    @Test(arguments: [
        (nested(501, "1"), JSONSyntax.Flaw.tooDeep), (nested(600, "1"), .tooDeep),
        ("[1e999]", .hugeNumber), ("[-1E+999]", .hugeNumber), ("1e400", .hugeNumber), (nines(309), .hugeNumber),
        ("[1e5, -\(nines(400)).5]", .hugeNumber), (#"["\ud800"]"#, .halfOfPair), (#"["\udc00"]"#, .halfOfPair),
        (#"["\ud800\u0041"]"#, .halfOfPair), (#"["\ud83d\ud83d\ude00"]"#, .halfOfPair), (#"["\ude00\ud83d"]"#, .halfOfPair),
        (#"["\\\ud800"]"#, .halfOfPair), (#"["\ud83d x \ude00"]"#, .halfOfPair),
    ])
    func whatNotEveryReaderTakesIsNotTaken(text: String, flaw: JSONSyntax.Flaw) {
        #expect(throws: flaw) { try JSONSyntax.check(text) }
    }

    /// So many digits are past a double from 309 on.
    private static func nines(_ count: Int) -> String { String(repeating: "9", count: count) }
}
