import Foundation
import SyncModel
import Testing

@testable import Backends

@Suite struct JSONSyntaxTests {
    private static func nested(_ levels: Int, _ values: String) -> String {
        String(repeating: "[", count: levels) + values + String(repeating: "]", count: levels)
    }

    /// A reader that finds out by trying what a value is would take a quarter of an hour.
    @Test(.timeLimit(.minutes(2))) func howDeepAValueStandsCostsNothing() {
        let values = Array(repeating: #"1e5,true,"\u00e9""#, count: 1 << 16).joined(separator: ",")
        #expect(JSONSyntax.isValid(Self.nested(500, values)))
        #expect(!JSONSyntax.isValid(Self.nested(500, values + ",1e999")))
    }

    @Test(arguments: [
        "{}", " [1 ,2]\n", "0", "-1.5e3", "1E-05", #""a""#, "null", "true", #"{"a":[1,"b",null,false,{"c":[[]]}]}"#, #"{"a":"\u00e9\n"}"#,
        #"["\ud83d\ude00", "é😀"]"#, #"["1e5", "\\ud800"]"#, #"{"a":1,"a":2}"#, "[" + String(repeating: "1.5,", count: 50_000) + "2]",
        #"["[[[[{{{{\"[[[["]"#, #"["\ud83d\ude00\ud83d\ude00","\\ud800","\\\\ud800"]"#, "[1e308,0e999,1E-999]", nested(512, "1e5"),
    ])
    func whatIsADocumentIsTaken(text: String) {
        #expect(JSONSyntax.isValid(text))
        #expect(JSONDocument(Data(text.utf8)) != nil)
    }

    /// Numbers past a double, halves of a pair and more than 512 levels are what SQLite takes and JSONDecoder does not, it stops at a NUL; the
    /// latter takes `[1,]`.
    @Test(arguments: [
        "", "{", "[1", "[1,]", "1.2.3", #"{"a":tru}"#, #"["\x"]"#, #"{"a" 1}"#, "{a:1}", "<html>", #"{"a":1}x"#, "NaN", "[NaN]",
        "[-Infinity]",
        "[01]", "[.5]", "[1.]", "['a']", "[1] // one", "[\"a\nb\"]", "\u{c}1", "[1e999]", "[-1E+999]", #"["\ud800"]"#, #"["\udc00"]"#,
        #"["\ud800\u0041"]"#, #"["\ud83d\ud83d\ude00"]"#, #"["\ude00\ud83d"]"#, #"["\\\ud800"]"#, #"["\ud83d x \ude00"]"#,
        nested(513, "1"), nested(100_000, "1"), "{}\0", "{}\0x", "\"a\0b\"",
        "[" + String(repeating: "1.5,", count: 50_000) + "2",
    ])
    func whatIsNoneIsNot(text: String) {
        #expect(!JSONSyntax.isValid(text))
    }
}
