import Foundation
import SyncModel
import Testing

@testable import Backends

@Suite struct JSONDocumentTests {
    private let document = JSONDocument(
        Data(#"{"a": {"b": [1, {"c": "x"}, null]}, "n": null, "rows": [{"id": 1, "m": {"k": "one"}}, {"id": "2"}, 3, {"m": null}]}"#.utf8))

    @Test(arguments: [
        ("/a/b/0", JSONDocument.Resolution.found(1)), ("/a/b/1/c", .found("x")), ("/a/b/1", .found(.object(["c": "x"]))),
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
