import Backends
import Foundation
import JSON
import SyncModel
import Testing

struct Unsendable: Sendable {
    let route: String
    let fields: [String: JSONValue]
    let payload: String?
    let words: String

    init(_ route: String, _ fields: [String: JSONValue], _ payload: String?, _ words: String) {
        (self.route, self.fields, self.payload, self.words) = (route, fields, payload, words)
    }
}

struct TemplateTests {
    let capture: Data

    init() throws {
        let url = try #require(Bundle.module.url(forResource: "capture-01", withExtension: "json", subdirectory: "Fixtures"))
        capture = try Data(contentsOf: url)
    }

    /// The profile changed while the entry waited.
    @Test func payloadWithoutPlaceholderIsAMisfit() throws {
        let entry = mutation("forget", fields: ["user_id": 5])
        let route = "\nroutes:\n  forget: {request: \"POST /things/{item.user_id}\""
        let fitting = try breathesafe("\nroutes:\n", "\(route), json: {all: \"{item.payload}\"}}\n")
        #expect(fitting.misfit(of: entry) == nil)
        for json in ["", ", json: {user: \"{item.user_id}\"}"] {
            let backend = try breathesafe("\nroutes:\n", "\(route)\(json)}\n")
            #expect(backend.misfit(of: entry)?.reason == .profile)
            #expect(throws: Failure.self) { try backend.request(for: entry) }
            #expect(backend.misfit(of: mutation("forget", payload: nil)) == nil)
        }
    }

    /// As above. Numbers fit a text field: they were accepted for it.
    @Test func fieldOfAnotherTypeIsAMisfit() throws {
        let route = "\nroutes:\n  forget: {request: \"POST /things/{item.thing}\", fields: {thing:"
        let texts = try breathesafe("\nroutes:\n", "\(route) text}}\n")
        let numbers = try breathesafe("\nroutes:\n", "\(route) integer}}\n")
        let (text, number) = (JSONValue.string("a-7"), JSONValue.int(7))
        for (backend, value, fits) in [(texts, text, true), (texts, number, true), (numbers, text, false), (numbers, number, true)] {
            let misfit = backend.misfit(of: mutation("forget", fields: ["thing": value], payload: nil))
            #expect((misfit == nil) == fits, "\(value)")
            #expect(misfit.map { $0.reason == .profile && $0.message.contains("The thing \"a-7\" is not valid") } ?? true)
        }
    }

    /// As above.
    @Test func formWithAnotherValueIsAMisfit() throws {
        let backend = try load(["breathesafe.yaml": shippedProfile])[0]
        func misfit(_ payload: String) -> Failure? { backend.misfit(of: mutation("profile", payload: Data(payload.utf8))) }
        #expect(misfit(#"{"first_name":"Anna"}"#) == nil)
        #expect(misfit(#"{"first_name":7}"#)?.message.contains("The first name is not valid; expected text") == true)
        #expect(misfit(#"{"nickname":"Anna"}"#)?.reason == .profile)
    }

    @Test func sendsMeasurementUnchangedWithIDAtTheEnd() throws {
        let request = try breathesafe().request(for: mutation(payload: capture))
        let close = try #require(capture.lastIndex(of: UInt8(ascii: "}")))
        let expected =
            Data(#"{"arkit_data":"#.utf8) + capture[..<close] + Data(#","client_mutation_id":"0198c0de-0000-7000-8000-000000000001""#.utf8)
            + capture[close...] + Data("}".utf8)
        #expect(request.body == expected)
        #expect(request.method == "POST")
        #expect(request.url == "https://www.breathesafe.xyz/users/5/facial_measurements_from_arkit")
        #expect(request.headers == [HeaderField("Accept", "application/json"), HeaderField("Content-Type", "application/json")])
        #expect(request.timeout == .seconds(60))
        #expect(JSONValue(parsing: expected)?["arkit_data"]?["client_mutation_id"] == "0198c0de-0000-7000-8000-000000000001")
    }

    @Test func sameMutationGivesSameRequest() throws {
        let backend = try breathesafe()
        #expect(try backend.request(for: mutation(payload: capture)) == backend.request(for: mutation(payload: capture)))
    }

    @Test(arguments: [
        ("{}", #"{"arkit_data":{"client_mutation_id":"ID"}}"#),
        (" { \n } \n", "{\"arkit_data\": { \n \"client_mutation_id\":\"ID\"} \n}"),
        (#"{"a":1.0}"#, #"{"arkit_data":{"a":1.0,"client_mutation_id":"ID"}}"#),
        (#"{"a":{}}"#, #"{"arkit_data":{"a":{},"client_mutation_id":"ID"}}"#),
        (#"{"a":"}"}"#, #"{"arkit_data":{"a":"}","client_mutation_id":"ID"}}"#),
        (#"{"n":12345678901234567890.10,"e":1E2}"#, #"{"arkit_data":{"n":12345678901234567890.10,"e":1E2,"client_mutation_id":"ID"}}"#),
    ])
    func addsMarkerAsLastMemberOnly(payload: String, body: String) throws {
        let request = try breathesafe().request(for: mutation(payload: Data(payload.utf8)))
        let expected = body.replacing("ID", with: "0198c0de-0000-7000-8000-000000000001")
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test func allowsMarkerOutsideThePayload() throws {
        let backend = try breathesafe("marker: /arkit_data/client_mutation_id", "marker: /key")
        let body = try backend.request(for: mutation(payload: Data("[1]".utf8))).body
        #expect(body == Data(#"{"arkit_data":[1],"key":"0198c0de-0000-7000-8000-000000000001"}"#.utf8))
    }

    @Test func keepsTypeOfSolePlaceholderOnly() throws {
        let json = "{n: '{item.n}', t: 'no {item.n}', o: '{item.o?}', l: ['{item.o?}', 1.5, null, yes]}"
        let typed = "  typed:\n    request: POST /typed\n    json: \(json)\n"
        let backend = try breathesafe("routes:\n", "routes:\n" + typed)
        let body = try backend.request(for: mutation("typed", fields: ["n": 7], payload: nil)).body
        #expect(body == Data(#"{"n":7,"t":"no 7","l":[1.5,null,"yes"]}"#.utf8))
        let withOptional = try backend.request(for: mutation("typed", fields: ["n": 7, "o": true], payload: nil)).body
        #expect(withOptional == Data(#"{"n":7,"t":"no 7","o":true,"l":[true,1.5,null,"yes"]}"#.utf8))
    }

    @Test func aFieldInAPathIsPercentEncoded() throws {
        let request = try breathesafe().request(for: mutation(fields: ["user_id": "a/b ?#ä.-_~"]))
        #expect(request.url == "https://www.breathesafe.xyz/users/a%2Fb%20%3F%23%C3%A4.-_~/facial_measurements_from_arkit")
    }

    @Test func sendsIdempotencyKeyAsDeclared() throws {
        let quoted = try breathesafe("schema: 1", "schema: 1\nidempotency: {header: Idempotency-Key, quoted: true, key_ttl: 60}")
        #expect(
            try quoted.request(for: mutation()).headers.last == HeaderField("Idempotency-Key", "\"0198c0de-0000-7000-8000-000000000001\""))
        #expect(quoted.keyLifetime == .seconds(60))
        let bare = try breathesafe("schema: 1", "schema: 1\nidempotency: {header: Idempotency-Key}")
        #expect(try bare.request(for: mutation()).headers.last == HeaderField("Idempotency-Key", "0198c0de-0000-7000-8000-000000000001"))
    }

    @Test func sendsNoCommonHeadersToAnotherOrigin() throws {
        let profile = edited("PUT /users/{item.user_id}/profile", "PUT https://elsewhere.org/{item.user_id}")
            .replacing("headers: {Accept: application/json}", with: "headers: {X-Lab: north}")
        let request = try load(["breathesafe.yaml": profile])[0].request(for: mutation("profile"))
        #expect(request.url == "https://elsewhere.org/5")
        #expect(request.headers.map(\.name) == ["Accept", "Content-Type"])
    }

    @Test func laneComesFromProfileOrRoute() throws {
        let backend = try breathesafe("    lane: managed_users/{item.id}\n", "")
        #expect(try backend.lane(route: "measurement", fields: ["user_id": "5"]) == Lane("users/5"))
        #expect(try backend.lane(route: "create_managed_user", fields: [:]) == Lane("create_managed_user"))
    }

    static let unsendable: [Unsendable] = [
        Unsendable("nowhere", [:], nil, "Its routes are: create_managed_user"),
        Unsendable("measurement", ["user_id": 5], nil, "needs a JSON document"),
        Unsendable("measurement", [:], "{}", "needs the field \"user_id\". Add ‘--user NAME’ to the command"),
        Unsendable("measurement", ["user_id": .null], "{}", "The user null is not valid; expected a whole number"),
        Unsendable("measurement", ["user_id": .array([])], "{}", "expected a whole number above 0"),
        Unsendable("measurement", ["user_id": 5], "[]", "must be a JSON object"),
        Unsendable("measurement", ["user_id": 5], "\"{}\"", "must be a JSON object"),
        Unsendable("measurement", ["user_id": 5], "", "not a JSON document"),
        Unsendable("measurement", ["user_id": 5], "{\"a\":NaN}", "not a JSON document"),
        Unsendable("measurement", ["user_id": 5], "{\"a\":1", "not a JSON document"),
        Unsendable("measurement", ["user_id": 5], "{\"a\":1} x", "not a JSON document"),
        Unsendable("measurement", ["user_id": 5], "\u{feff}{\"a\":1}", "not a JSON document in UTF-8: it starts with a byte order mark;"),
        Unsendable("measurement", ["user_id": 5], "{\0\"\0}\0", "it is in UTF-16 or UTF-32; expected UTF-8 without a byte order mark."),
        Unsendable(
            "measurement", ["user_id": 5], String(repeating: "[", count: 501), "The JSON is nested too deeply: more than 500 levels."),
        Unsendable("create_managed_user", [:], "{}", "takes no payload. Submit only the fields, with ‘--no-document’"),
    ]

    @Test(arguments: unsendable)
    func refusesEntryThatCanNeverBeSent(item: Unsendable) throws {
        let backend = try breathesafe()
        let failure = try #require(
            #expect(throws: Failure.self) {
                try backend.check(route: item.route, fields: item.fields, payload: item.payload.map { Data($0.utf8) })
            })
        #expect(failure.reason == .profile)
        #expect(failure.message.contains(item.words), "\(failure.message)")
    }

    @Test func acceptsEntryThatCanBeSent() throws {
        let backend = try breathesafe()
        try backend.check(route: "measurement", fields: ["user_id": 5], payload: capture)
        try backend.check(route: "profile", fields: ["user_id": "5"], payload: Data(#"{"first_name":"Anna"}"#.utf8))
        try backend.check(route: "create_managed_user", fields: [:], payload: nil)
    }

    @Test func aLineBreakInAHeaderIsRefused() throws {
        let backend = try breathesafe("    lane: managed_users/{item.id}", "    headers: {X-Note: '{item.note}'}")
        #expect(throws: Failure.self) {
            try backend.request(for: mutation("create_managed_user", fields: ["note": "a\r\nCookie: b"], payload: nil))
        }
        #expect(
            try backend.request(for: mutation("create_managed_user", fields: ["note": "ä b"], payload: nil)).headers.contains(
                HeaderField("X-Note", "ä b")))
    }

    @Test func descriptionOmitsTheQuery() {
        let request = OutboundRequest(method: "GET", url: "https://example.org/a?auth=secret", headers: [HeaderField("Cookie", "secret")])
        #expect("\(request)" == "GET https://example.org/a")
    }
}
