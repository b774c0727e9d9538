import Foundation
import JSON
import Testing

@Suite struct JSONElementDifferenceTests {
    private static func root(_ text: String) throws -> JSONElement { try #require(JSONDocument(Data(text.utf8))).root }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":[1,{"b":null}]}"#, #"{ "a" : [ 1.0, {"b":null,"c":1} ] }"#),
        (#"{"a":"é"}"#, #"{"a":"\u00e9"}"#), ("1.50", "1.5"), ("12345678901234567890", "12345678901234567890"), ("{}", "{}"),
        (#"{"a":1,"b":[],"c":{}}"#, #"{"c":{},"b":[],"d":0,"a":1}"#), (#"{"a":1}"#, #"{"a":2,"a":1}"#), (#"{"a":1}"#, #"{"\u0061":1}"#),
        (#"{"a":1,"a":1}"#, #"{"a":1}"#), ("[[],[1]]", "[ [] , [ 1 ] ]"), ("-0", "0"), ("100", "1e2"),
    ])
    func findsNoDifferenceInCompleteEcho(sent: String, echo: String) throws {
        #expect(try Self.root(sent).firstDifference(in: Self.root(echo)) == nil)
    }

    @Test(arguments: [
        (#"{"a":[1,null,3]}"#, #"{"a":[1,3]}"#, "/a/1"), (#"{"a":1e300}"#, #"{"a":null}"#, "/a"), (#"{"a":1,"b":2}"#, #"{"a":1}"#, "/b"),
        (#"{"a":[1]}"#, #"{"a":[1,2]}"#, "/a"), (#"{"a/b":{"~":true}}"#, #"{"a/b":{"~":false}}"#, "/a~1b/~0"), ("{}", "[]", ""),
        (#"{"a":"1"}"#, #"{"a":1}"#, "/a"), (#"{"a":0.1}"#, #"{"a":0.10000001}"#, "/a"), (#"{"a":"é"}"#, #"{"a":"e"}"#, "/a"),
        (#"{"a":1}"#, #"{"a":1,"a":2}"#, "/a"), (#"{"b":1}"#, #"{"a":1,"c":1}"#, "/b"), ("[1,2]", "[1]", "/1"), ("[1]", "[]", "/0"),
        ("9007199254740993", "9007199254740992", ""), ("18446744073709551617", "18446744073709552000", ""), ("1", "-1", ""),
        (#"{"a":"\u00e9"}"#, #"{"a":"e\u0301"}"#, "/a"),
    ])
    func pointsAtTheFirstDifference(sent: String, echo: String, pointer: String) throws {
        #expect(try Self.root(sent).firstDifference(in: Self.root(echo))?.description == pointer)
    }
}
