import Foundation
import SyncModel
import Testing

@testable import JSON

/// A checked document knows where its large values end.
@Suite struct JSONSpansTests {
    private static let large = String(repeating: #"{"k": "]}\"", "n": [1, [2]]}, "#, count: 100) + "0"
    private static let text = #"""
         { "a" : [ \#(large) ], "b" : { "c" : [ \#(large) , {"d": {"e" : [ [ \#(large) ] , 7 ] } } ] , "f" : 8 } , "b2": 9,
          "a" : { "x" : [\#n \#(large) ] , "y" : 10 } }
        """#

    /// Whole, behind a byte order mark, and as a part of other bytes.
    @Test(arguments: [Data(text.utf8), Data([0xef, 0xbb, 0xbf]) + Data(text.utf8), (Data("[0] ".utf8) + Data(text.utf8)).dropFirst(3)])
    func findsValuesBehindLargeOnes(bytes: Data) throws {
        let document = try #require(JSONDocument(bytes))
        // The control.
        #expect(document.root.spans.count >= 5)
        let plain = JSONDocument(checked: Data(Self.text.utf8))
        let values: [(String, Int64)] = [
            ("/a/y", 10), ("/a/x/100", 0), ("/b/c/101/d/e/1", 7), ("/b/c/101/d/e/0/99/n/1/0", 2), ("/b/f", 8), ("/b2", 9),
        ]
        for (pointer, value) in values {
            let pointer = try #require(JSONPointer(pointer))
            #expect(document.at(pointer) == .int(value))
            #expect(plain.at(pointer) == .int(value))
        }
        #expect(document.resolve(try #require(JSONPointer("/c"))) == .missing)
        #expect(document.root.value == plain.root.value)
        #expect(document.root.firstDifference(in: plain.root) == nil)
        #expect(plain.root.firstDifference(in: document.root) == nil)
    }

    @Test func readsRowsBehindLargeValues() throws {
        let rows = "[" + (0..<5).map { #"{"x": [\#(Self.large)], "id": \#($0)}"# }.joined(separator: " , ") + "]"
        let (list, id) = (try #require(JSONPointer("/list")), try #require(JSONPointer("/id")))
        let document = try #require(JSONDocument(Data(#"{"list": \#(rows)}"#.utf8)))
        let expected: [[JSONValue?]] = (0..<5).map { [JSONValue.int(Int64($0))] }
        #expect(document.rows(of: list, [id]) == expected)
    }

    @Test func keepsFewSpans() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try #require(JSONDocument(Data(deep.utf8))).root.spans.count == 4)
        let many = "[" + Array(repeating: #"{"k": [1, 2, 3]}"#, count: 10_000).joined(separator: ",") + "]"
        #expect(try #require(JSONDocument(Data(many.utf8))).root.spans.count == 1)
    }
}
