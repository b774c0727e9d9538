import Backends
import Foundation
import JSON
import SyncModel
import Testing

struct FieldTypeTests {
    private let document = Data(#"{"average_measurements":{}}"#.utf8)

    private func refusal(_ backend: Backend, _ route: String, _ fields: [String: JSONValue]) async -> String? {
        await failure { () throws(Failure) in try backend.check(route: route, fields: fields, payload: document) }?.message
    }

    @Test(arguments: [
        "1O", "5-anna", "5.0", "5 ", " 5", "-5", "0", "05", "+5", "5e1", "Anna Müller", "%2e%2e", "５", "true", "null", "", "..",
    ])
    func refusesInvalidUserNumber(text: String) async throws {
        let backend = try breathesafe()
        for route in ["measurement", "profile", "fit_test"] {
            let words = try #require(await refusal(backend, route, ["user_id": JSONValue(argument: text)]))
            #expect(words.hasPrefix("The user "), "\(words)")
            #expect(words.hasSuffix(" is not valid; expected a whole number above 0 without leading zeros, such as 5."), "\(words)")
        }
    }

    @Test func refusalQuotesValueShortened() async throws {
        let backend = try breathesafe()
        #expect(await refusal(backend, "measurement", ["user_id": "05"])?.contains("user \"05\" is not valid;") == true)
        #expect(await refusal(backend, "measurement", ["user_id": "5\n"])?.contains("user \"5\\n\" is not valid;") == true)
        let long = try #require(await refusal(backend, "measurement", ["user_id": .string(String(repeating: "x", count: 10_000))]))
        #expect(long.count < 300)
    }

    @Test func refusesIDOfMoreThan128Characters() async throws {
        let backend = try breathesafe()
        let digits = { (count: Int) in JSONValue.string(String(repeating: "7", count: count)) }
        #expect(await refusal(backend, "measurement", ["user_id": digits(128)]) == nil)
        let words = await refusal(backend, "measurement", ["user_id": digits(129)])
        #expect(words == "The user is too long: 129 characters; expected at most 128.")
    }

    @Test(arguments: ["5", "1", "10", "123456789012345678901"]) func acceptsUserNumber(text: String) async throws {
        #expect(await refusal(try breathesafe(), "measurement", ["user_id": JSONValue(argument: text)]) == nil)
    }

    @Test(arguments: ["", " ", "\u{200b}", "a ", "\ta", "a\u{0}b", "a\u{85}b"]) func refusesInvalidTextInUndeclaredField(text: String)
        async throws
    {
        let backend = try breathesafe("lane: users/{item.user_id}", "lane: users/{item.user_id}/{item.note}")
        let words = try #require(await refusal(backend, "measurement", ["user_id": 5, "note": .string(text)]))
        #expect(words.hasPrefix("The note ") && words.contains("non-empty text without control characters"), "\(words)")
    }

    /// They could disguise a lane in a list. `FieldType` refuses other control characters everywhere.
    @Test(arguments: ["a\u{2028}b", "a\u{202E}b", "a\u{200F}"]) func refusesTextThatDisguisesALane(text: String) async throws {
        for key in ["lane", "behind"] {
            let old = key == "lane" ? "lane: users/{item.user_id}" : "behind: fit_tests/{item.user_id}"
            let backend = try breathesafe(old, "\(old)/{item.note}")
            let words = try #require(await refusal(backend, "measurement", ["user_id": 5, "note": .string(text)]))
            #expect(words.hasPrefix("The field \"note\" is \"a\\u{"), "\(words)")
            #expect(words.hasSuffix("expects text on one line without control characters, because the field names a lane."), "\(words)")
            #expect(await refusal(backend, "measurement", ["user_id": 5, "note": "a b"]) == nil)
        }
        // Other fields only go to the server.
        let backend = try breathesafe()
        let other = await failure { () throws(Failure) in
            try backend.check(route: "manual_measurement", fields: ["user_id": 5, "source": .string(text)], payload: nil)
        }
        #expect(other == nil, "\(String(describing: other))")
    }

    @Test(arguments: ["a b", "ä", "05", "-"]) func acceptsAnyOtherText(text: String) async throws {
        let backend = try breathesafe("fields: {user_id: {type: integer, reference: managed_users}}", "fields: {user_id: text}")
        #expect(await refusal(backend, "measurement", ["user_id": .string(text)]) == nil)
    }

    /// A misspelt field would have no effect.
    @Test func refusesFieldThatTheRouteDoesNotUse() async throws {
        let words = try #require(await refusal(try breathesafe(), "measurement", ["user_id": 5, "usr_id": 5]))
        #expect(words.contains("has no field \"usr_id\"; it takes user_id."), "\(words)")
    }

    /// A transaction number can exceed 64 bits, and a list can be called 2026.
    @Test func convertsOnlyDeclaredNumbers() throws {
        let backend = try breathesafe("lane: users/{item.user_id}", "lane: users/{item.user_id}/{item.note}")
        let fields = backend.fields(["user_id": "5", "note": "2000000912345678"], route: "measurement")
        #expect(fields == ["user_id": 5, "note": "2000000912345678"])
        #expect(backend.fields(["user_id": "05", "note": "true"], route: "measurement") == ["user_id": "05", "note": "true"])
    }

    @Test func refusesDotsAndNullInPath() async throws {
        let backend = try breathesafe("    fields: {user_id: {type: integer, reference: managed_users}}\n", "")
        #expect(await refusal(backend, "measurement", ["user_id": ".."])?.contains("cannot take \"..\"") == true)
        for value in [JSONValue.null, .array([])] {
            #expect(await refusal(backend, "measurement", ["user_id": value])?.contains("needs text or a number as the field") == true)
        }
    }
}
