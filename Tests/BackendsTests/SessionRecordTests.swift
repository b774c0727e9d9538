import Foundation
import JSON
import SyncModel
import Testing

@testable import Backends
@testable import Sessions

/// The stored form is durable: an earlier version's sessions must open.
@Suite struct SessionRecordTests {
    private static let full = """
        {
          "state": "signingOut",
          "account": {"id": "7", "label": "ann@lab.test"},
          "address": "https://api.example.org:443",
          "origins": ["https://api.example.org:443"],
          "since": 816955200,
          "reason": "over",
          "generation": 3,
          "credentials": {
            "cookies": {"cookies": [{
              "name": "_s", "value": "cookie-1", "domain": "api.example.org", "path": "/", "isHostOnly": true, "isSecure": false,
              "expires": 816955300, "isFromSignIn": true
            }]},
            "tokens": {"access": "access-1", "refresh": "refresh-1", "receivedAt": 816955201, "lifetime": 900},
            "kept": {"email": "ann@lab.test", "password": "right"}
          },
          "awaitsRefresh": true,
          "renewedByLoginAt": 816955202,
          "exchanged": {"given": "00ff", "refresh": "refresh-0", "origins": ["https://api.example.org:443"]},
          "ending": {
            "before": "signedIn", "account": {"id": "7", "label": "ann@lab.test"},
            "requester": {"uid": 1000, "pid": 42, "name": "anna"}, "discardsEntries": true, "keepsData": true,
            "begunAt": 816955206, "server": "unknown", "discarded": 2,
            "owed": {
              "account": {"id": "7", "label": "ann@lab.test"}, "shown": {"id": "7", "label": "ann@lab.test"},
              "until": 817041606, "address": "https://api.example.org:443", "origins": ["https://api.example.org:443"],
              "credentials": {
                "cookies": {"cookies": []},
                "tokens": {"access": "access-1", "refresh": "refresh-1", "receivedAt": 816955201, "lifetime": 900}
              },
              "refresh": "possible", "refreshWasLost": false
            }
          },
          "checkedAt": 816955203,
          "unverifiedSince": 816955204,
          "failingSince": 816955205
        }
        """
    private static let signedOut = """
        {"state": "signedOut", "address": "https://api.example.org:443", "origins": [], "generation": 0,
         "credentials": {"cookies": {"cookies": []}}, "awaitsRefresh": false}
        """

    @Test(arguments: [full, signedOut]) func readsAndWritesTheStoredForm(text: String) throws {
        let record = try JSONDecoder().decode(SessionRecord.self, from: Data(text.utf8))
        let expected = try #require(JSONValue(parsing: Data(text.utf8)))
        #expect(JSONValue(parsing: record.encoded) == expected)
        guard case .object(let members) = expected else { throw Failure(.profile, "not an object") }
        if text == Self.full {
            #expect(Set(members.keys) == Set(Mirror(reflecting: record).children.compactMap(\.label)), "a new field belongs here too")
        } else {
            #expect(record == SessionRecord(address: "https://api.example.org:443"))
        }
    }
}
