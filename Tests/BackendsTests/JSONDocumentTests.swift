import Foundation
import SyncModel
import Testing

@testable import Backends

@Suite struct JSONDocumentTests {
    private let document = JSONDocument(
        Data(#"{"a": {"b": [1, {"c": "x"}, null]}, "n": null, "rows": [{"id": 1, "m": {"k": "one"}}, {"id": "2"}, 3, {"m": null}]}"#.utf8))

    @Test(arguments: [
        ("/a/b/0", JSONDocument.Resolution.scalar(1)), ("/a/b/1/c", .scalar("x")), ("/a/b/1", .structure), ("/a/b", .structure),
        ("/a/b/2", .null), ("/n", .null), ("/n/further", .null), ("/a/b/3", .missing), ("/a/x", .missing), ("/a/b/0/x", .missing),
    ])
    func aPointerLeadsToWhatStandsThere(pointer: String, expected: JSONDocument.Resolution) throws {
        let document = try #require(document)
        #expect(document.resolve(try #require(JSONPointer(pointer))) == expected)
    }

    @Test func theFirstThatLeadsToSomethingCounts() throws {
        let pointers = try ["/x", "/n", "/a/b/0", "/a/b/1/c"].map { try #require(JSONPointer($0)) }
        let document = try #require(document)
        #expect(document.at(pointers) == 1)
        #expect(document.firstString(at: pointers) == "x")
        #expect(document.member("n") == nil)
    }

    /// What an answer holds where a scalar was expected is not read, however much it is.
    @Test(.timeLimit(.minutes(2))) func whatIsNoScalarIsNotRead() throws {
        let values = Array(repeating: "true", count: 1 << 16).joined(separator: ",")
        let deep = String(repeating: "[", count: 500) + values + String(repeating: "]", count: 500)
        let document = try #require(JSONDocument(Data(#"{"error":\#(deep),"rows":[{"id":\#(deep)}]}"#.utf8)))
        let (error, rows) = (try #require(JSONPointer("/error")), try #require(JSONPointer("/rows")))
        #expect(document.resolve(error) == .structure)
        #expect(document.has(error))
        #expect(document.firstString(at: [error]) == nil)
        #expect(document.rows(of: rows, [try #require(JSONPointer("/id"))]) == [[nil]])
    }

    @Test func rowsAreReadByColumn() throws {
        let columns = try ["/m/k", "/id"].map { try #require(JSONPointer($0)) }
        let document = try #require(document)
        let rows = document.rows(of: try #require(JSONPointer("/rows")), columns)
        #expect(rows == [["one", 1], [nil, "2"], [nil, nil], [nil, nil]])
        #expect(document.rows(of: try #require(JSONPointer("/a")), columns) == nil)
        #expect(document.rows(of: try #require(JSONPointer("/x")), columns) == nil)
    }

    @Test(arguments: ["", "<html>", "{", #"{"a":"#, "{}x"]) func whatIsNoJSONIsNone(text: String) {
        #expect(JSONDocument(Data(text.utf8)) == nil)
    }
}
