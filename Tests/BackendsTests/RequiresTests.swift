import Foundation
import JSON
import SyncModel
import Testing

@testable import Backends

struct RequiresTests {
    @Test(arguments: [
        ("/a", #"{"a":{}}"#, true), ("/a", #"{"a":0}"#, true), ("/a", #"{"a":false}"#, true), ("/a", #"{"b":{"a":1}}"#, false),
        ("/a", #"{"a":null}"#, false), ("/a/b", #"{"a":{"b":[]}}"#, true), ("/a/b", #"{"a":null}"#, false), ("/a/b", #"{"a":"b"}"#, false),
        ("/a/0", #"{"a":[1]}"#, true), ("/a/2/b", #"{"a":[1,{"b":1},{"b":2}]}"#, true), ("/a/1", #"{"a":[1]}"#, false),
        ("/a/00", #"{"a":[1]}"#, false), ("/a/-1", #"{"a":[1]}"#, false), ("/a/0", #"{"a":{"0":1}}"#, true),
        ("/a~1b/~0", #"{"a/b":{"~":1}}"#, true),
        ("", "{}", true), ("", "null", false), ("/a", "[1]", false), ("/a", "1", false), ("/a", "{", false),
    ])
    func recognizesPresentValues(pointer: String, document: String, isPresent: Bool) throws {
        let pointer = try #require(JSONPointer(pointer))
        #expect((JSONDocument(Data(document.utf8))?.has(pointer) ?? false) == isPresent)
    }

    @Test(arguments: ["{}", #"{"a":1}"#, #"{"average_measurements":null}"#, #"{"x":{"average_measurements":{}}}"#])
    func refusesPayloadWithoutRequiredMember(document: String) async throws {
        let backend = try breathesafe()
        let refusal = await failure { () throws(Failure) in
            try backend.check(route: "measurement", fields: ["user_id": 5], payload: Data(document.utf8))
        }
        #expect(
            refusal?.message
                == "The payload lacks /average_measurements, which the route \"measurement\" requires. Submit the complete capture."
        )
    }

    @Test func requiresMemberOnlyOnDeclaredRoute() throws {
        let backend = try breathesafe()
        try backend.check(route: "measurement", fields: ["user_id": 5], payload: Data(#"{"average_measurements":{}}"#.utf8))
        try backend.check(route: "profile", fields: ["user_id": 5], payload: Data(#"{"last_name":"Lab"}"#.utf8))
    }
}
