import JSON
import Sandbox
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        (
            #"{"b":1.50,"a":[true,false,null,-0.1e+7],"t":"q\" \\ \n ü 😀 a/b"}"#,
            #"{"a":[true,false,null,-1000000],"b":1.5,"t":"q\" \\ \n ü 😀 a/b"}"#
        ),
        ("[]", "[]"), ("{}", "{}"), (#""""#, #""""#), ("0", "0"), ("[ 1 , 0 ]", "[1,0]"), ("9007199254740993", "9007199254740993"),
        ("0.1", "0.1"), (#"[",]\",}"]"#, #"[",]\",}"]"#),
    ])
    func writesValuesAsRead(_ text: String, _ written: String) throws {
        #expect(try JSON(bytes: Array(text.utf8)).description == written)
    }

    @Test func boolIsNotANumber() throws {
        #expect(try JSON(bytes: Array("[true,1,1.5,\"1\"]".utf8)) == [true, 1, .double(1.5), "1"])
    }

    @Test func infinityIsWrittenAsNull() {
        #expect(JSON.decimal(.infinity).description == "null")
    }

    @Test func escapesAreRead() throws {
        #expect(try JSON(bytes: Array(#""\u00fc\ud83d\ude00\/\t""#.utf8)) == "ü😀/\t")
        #expect(try JSON(bytes: Array(#""\ud83d\n\ude00""#.utf8)) == "\u{FFFD}\n\u{FFFD}")
    }

    @Test func lastDuplicateMemberWins() throws {
        #expect(try JSON(bytes: Array(#"{"a":1,"a":2}"#.utf8))["a"] == 2)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1 ,\n}", "[\"a\\\\\",]", "{\"a\"}", "NaN", "01", "1.", "1e", "tru", "\"\\x\"", "\"a\nb\"", "1 2", "[1 2]",
        "-", "\u{FEFF}[]",
    ])
    func refusesInvalidJSON(_ text: String) {
        #expect(throws: JSONFlaw.self) { try JSON(bytes: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("/* a */ [1, // b\n 2]", "[1,2]"), (#"["\q\x"]"#, #"["qx"]"#), ("[1]//", "[1]"), (#""/* a */""#, #""/* a */""#),
        ("[1e400,-1e400]", "[null,null]"),
    ])
    func readsJSONLikeRuby(_ text: String, _ written: String) throws {
        #expect(try JSON(ruby: Array(text.utf8)).description == written)
    }

    @Test(arguments: ["\u{FEFF}[]", "NaN", "[1,]", "/* a", "/ a", "[1] /", "\"a\nb\"", #""\u12""#, "01"])
    func refusesJSONLikeRuby(_ text: String) {
        #expect(throws: JSONFlaw.self) { try JSON(ruby: Array(text.utf8)) }
    }

    @Test func keepsWholeNumbersOfAnyLength() throws {
        let text = "[-9223372036854775809,9223372036854775807,9223372036854775808,9223372036854775809]"
        let value = try JSON(bytes: Array(text.utf8))
        #expect(value.description == text)
        #expect(value.elements?.last != value.elements?.dropLast().last)
    }

    @Test(arguments: [(100, true), (101, false)])
    func rubyGrammarAllows100Levels(_ depth: Int, _ isRead: Bool) {
        for (open, inside, close) in [("[", "", "]"), (#"{"a":"#, "1", "}")] {
            let text = String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
            let value = try? JSON(ruby: Array(text.utf8))  // `try?`: some arguments must fail
            #expect((value != nil) == isRead)
        }
    }
}
