import Sandbox
import Testing

@Suite struct JSONReaderTests {
    @Test(arguments: [
        #"{"b":1.50,"a":[true,false,null,-0.1e+7],"t":"q\" \\ \n ü 😀"}"#, "[]", "{}", #""""#, "0",
    ])
    func whatIsReadIsWrittenAsItCame(_ text: String) throws {
        #expect(try JSONReader.read(Array(text.utf8)).description == text)
    }

    @Test func escapesAreRead() throws {
        #expect(try JSONReader.read(Array(#""\u00fc\ud83d\ude00\/\t""#.utf8)) == "ü😀/\t")
    }

    @Test func theLastOfTwoMembersWins() throws {
        #expect(try JSONReader.read(Array(#"{"a":1,"a":2}"#.utf8))["a"] == 2)
    }

    @Test(arguments: ["", "{", "[1,]", "{\"a\"}", "NaN", "01", "1.", "1e", "tru", "\"\\x\"", "\"a\nb\"", "1 2", "[1 2]", "-"])
    func whatIsNotJSONIsRefused(_ text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test(arguments: [(100, true), (101, false)])
    func nestingEndsAt100(_ depth: Int, _ isRead: Bool) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let value = try? JSONReader.read(Array(text.utf8))  // the error is what some arguments are for
        #expect((value != nil) == isRead)
    }
}
