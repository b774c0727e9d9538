import Foundation
import JSON
import SyncModel
import Testing

@Suite struct JSONDocumentTests {
    private let document = JSONDocument(
        Data(#"{"a": {"b": [1, {"c": "x"}, null]}, "n": null, "rows": [{"id": 1, "m": {"k": "one"}}, {"id": "2"}, 3, {"m": null}]}"#.utf8))

    @Test(arguments: [
        ("/a/b/0", JSONDocument.Resolution.scalar(1)), ("/a/b/1/c", .scalar("x")), ("/a/b/1", .structure), ("/a/b", .structure),
        ("/a/b/2", .null), ("/n", .null), ("/n/further", .null), ("/a/b/3", .missing), ("/a/x", .missing), ("/a/b/0/x", .missing),
    ])
    func resolvesPointers(pointer: String, expected: JSONDocument.Resolution) throws {
        let document = try #require(document)
        #expect(document.resolve(try #require(JSONPointer(pointer))) == expected)
    }

    @Test func takesTheFirstPointerThatLeadsToAScalar() throws {
        let pointers = try ["/x", "/n", "/a/b/0", "/a/b/1/c"].map { try #require(JSONPointer($0)) }
        let document = try #require(document)
        #expect(document.at(pointers) == 1)
        #expect(document.firstString(at: pointers) == "x")
        #expect(document.member("n") == nil)
    }

    /// A parser that goes back takes longer than the limit.
    @Test(.timeLimit(.minutes(5))) func skipsStructuresInLinearTime() throws {
        let values = Array(repeating: "true", count: 1 << 16).joined(separator: ",")
        let deep = String(repeating: "[", count: 500) + values + String(repeating: "]", count: 500)
        let document = try #require(JSONDocument(Data(#"{"error":\#(deep),"rows":[{"id":\#(deep)}]}"#.utf8)))
        let (error, rows) = (try #require(JSONPointer("/error")), try #require(JSONPointer("/rows")))
        #expect(document.resolve(error) == .structure)
        #expect(document.has(error))
        #expect(document.firstString(at: [error]) == nil)
        #expect(document.rows(of: rows, [try #require(JSONPointer("/id"))]) == [[nil]])
    }

    @Test func readsRowsByColumn() throws {
        let columns = try ["/m/k", "/id"].map { try #require(JSONPointer($0)) }
        let document = try #require(document)
        let rows = document.rows(of: try #require(JSONPointer("/rows")), columns)
        #expect(rows == [["one", 1], [nil, "2"], [nil, nil], [nil, nil]])
        #expect(document.rows(of: try #require(JSONPointer("/a")), columns) == nil)
        #expect(document.rows(of: try #require(JSONPointer("/x")), columns) == nil)
    }

    /// Servers and programs may take the first of two members, and so another person's id.
    @Test func takesNoValueOfARowWithAnAmbiguousOne() throws {
        let columns = try ["/id", "/m/k"].map { try #require(JSONPointer($0)) }
        let text = #"""
            [{"id": 1, "id": 2, "m": {"k": 3}}, {"id": 1, "m": {"k": 3, "k": 3}}, {"id": 1, "m": {"k": 3}, "m": {"k": 4}},
             {"id": 1, "id": 1}, {"id": 1, "\u0069d": 2}, {"id": 1, "x": 2, "x": 3, "m": {"k": 4, "id": 5}}]
            """#
        let rows = try #require(JSONDocument(Data(text.utf8))).rows(of: JSONPointer(tokens: []), columns)
        let none: [JSONValue?] = [nil, nil]
        #expect(rows == Array(repeating: none, count: 5) + [[1, 4]])
    }

    @Test func readsArraysInArraysInPlace() throws {
        let text = #"[["é\n", 5, 1e3, true, null, {"a": []}, [1, 2], false], [], 7, {"a": [3]}, [ -0 , "x]" ], ["after"]]"#
        let list = try #require(JSONDocument(Data(text.utf8))).root
        var (found, places): ([[JSONValue]], [Int]) = ([], [])
        list.forEachRow(first: 2) { scalars, place in
            found.append(scalars)
            places.append(place)
            return scalars.last != "x]"
        }
        #expect(found == [["é\n", 5], [], [], [], [.number("-0"), "x]"]])
        let first: [JSONValue] = ["é\n", 5, .number("1e3"), true, .null, .null, .null, false]
        #expect(places.map { list.scalars(at: $0) } == [first, [], [], [], [.number("-0"), "x]"]])
        for text in ["{}", "7", "[]"] {
            try #require(JSONDocument(Data(text.utf8))).root.forEachRow(first: 1) { _, _ in
                Issue.record("\(text) has a row")
                return true
            }
        }
    }

    @Test(arguments: ["", "<html>", "{", #"{"a":"#, "{}x"]) func isNilForInvalidJSON(text: String) {
        #expect(JSONDocument(Data(text.utf8)) == nil)
    }

    @Test func keepsTheTextOfNumbers() throws {
        let document = try #require(
            JSONDocument(Data(#"{"a": 18446744073709551615, "b": 18446744073709551616, "c": 1e3, "d": 5.0, "e": -0, "f": 7}"#.utf8)))
        let texts = "abcdef".map { document.member(String($0))?.text }
        #expect(texts == ["18446744073709551615", "18446744073709551616", "1e3", "5.0", "-0", "7"])
        #expect(document.member("a") != document.member("b"))
    }

    @Test(arguments: [
        ("129", "129"), ("129.0", "129"), ("1.29e2", "129"), ("1290E-1", "129"), ("0.129e+3", "129"), ("-129.00", "-129"), ("-0", "0"),
        ("0.0e5", "0"), ("18446744073709551616.0", "18446744073709551616"), ("9007199254740993", "9007199254740993"), ("129.5", nil),
        ("1290e-2", nil), ("129.00000000000000000000001", nil), ("1e101", nil), ("1e99999999999999999999", nil), (#""129""#, nil),
        ("true", nil), ("null", nil),
    ])
    func wholeNumberHasOneSpelling(json: String, digits: String?) throws {
        let document = try #require(JSONDocument(Data(#"{"id": \#(json)}"#.utf8)))
        #expect(document.member("id")?.wholeDigits == digits)
        if let digits { #expect(document.member("id")?.identifier == digits) }
    }

    @Test(arguments: [
        ("false", nil), ("true", nil), ("null", nil), (#""""#, nil), ("[1]", nil), ("{}", nil), ("0", "0"), (#""x""#, "x"),
        (#""  ""#, nil), (#""\u00a0\u2003""#, nil), (#""\u0000""#, nil), (#""1\u0000x""#, nil), (#""1\n""#, nil), (#""1\u0085""#, nil),
        (#""a b""#, "a b"), (#""é😀""#, "é😀"),
    ])
    func acceptsOnlyNumbersAndTextsAsIdentifiers(json: String, identifier: String?) throws {
        let document = try #require(JSONDocument(Data(#"{"id": \#(json)}"#.utf8)))
        #expect(document.member("id")?.identifier == identifier)
    }

    @Test func readsTheLastOfMembersWithTheSameName() throws {
        let document = try #require(JSONDocument(Data(#"{"id": 1, "i\u0064": 2}"#.utf8)))
        #expect(document.member("id") == 2)
        #expect(document.root.members.map(\.name) == ["id", "id"])
    }

    @Test func returnsElementsAsOriginalBytes() throws {
        let text = #"{"m" : {"z": 1.50, "y":[ -0.0 ]} , "e":"\u00e9"}"#
        let members = Array(try #require(JSONDocument(Data(text.utf8))).root.members)
        #expect(members[0].value.bytes == Data(#"{"z": 1.50, "y":[ -0.0 ]}"#.utf8))
        #expect(members[1].value.scalar == "é")
    }

    @Test func skipsAByteOrderMark() { #expect(JSONDocument(Data([0xef, 0xbb, 0xbf] + #"{"a":1}"#.utf8))?.member("a") == 1) }
}
