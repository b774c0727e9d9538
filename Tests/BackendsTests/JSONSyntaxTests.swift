import Foundation
import SyncModel
import Testing

@testable import Backends

@Suite struct JSONSyntaxTests {
    @Test(arguments: [
        "{}", " [1 ,2]\n", "0", "-1.5e3", "1E-05", #""a""#, "null", "true", #"{"a":[1,"b",null,false,{"c":[[]]}]}"#, #"{"a":"\u00e9\n"}"#,
        #"["\ud83d\ude00", "é😀"]"#, #"["1e5", "\\ud800"]"#, #"{"a":1,"a":2}"#, "[" + String(repeating: "1.5,", count: 50_000) + "2]",
    ])
    func whatIsADocumentIsTaken(text: String) {
        #expect(JSONSyntax.isValid(text))
        #expect(WellFormedJSON(Data(text.utf8)) != nil)
    }

    /// Numbers past a double and halves of a pair are what SQLite takes and JSONDecoder does not, it stops at a NUL; the latter takes `[1,]`.
    @Test(arguments: [
        "", "{", "[1", "[1,]", "1.2.3", #"{"a":tru}"#, #"["\x"]"#, #"{"a" 1}"#, "{a:1}", "<html>", #"{"a":1}x"#, "NaN", "[NaN]",
        "[-Infinity]",
        "[01]", "[.5]", "[1.]", "['a']", "[1] // one", "[\"a\nb\"]", "\u{c}1", "[1e999]", #"["\ud800"]"#, "{}\0", "{}\0x", "\"a\0b\"",
        "[" + String(repeating: "1.5,", count: 50_000) + "2",
    ])
    func whatIsNoneIsNot(text: String) {
        #expect(!JSONSyntax.isValid(text))
    }
}
