import Sandbox
import Testing

/// Unexpected behaviour of the real server.
@Suite struct BreatheSafeOdditiesTests {
    private static let arkit = "/users/5/facial_measurements_from_arkit"

    private func signedIn(_ body: @Sendable (Sandbox, LabClient) async throws -> Void) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            try await body(sandbox, client)
        }
    }

    private static func document(levels: Int) -> String {
        let nested = String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
        return #"{"arkit_data":{"average_measurements":{},"n":\#(nested)}}"#
    }

    @Test(arguments: [(98, 201, 200), (99, 201, 500), (100, 400, 200)])
    func deepPayloadBreaksListOfItsUser(_ levels: Int, _ status: Int, _ listed: Int) async throws {
        try await signedIn { _, client async throws in
            #expect(try await client.send("POST", Self.arkit, body: .json(Self.document(levels: levels))).status == status)
            for _ in 1...2 { #expect(try await client.send("GET", "/users/5/facial_measurements").status == listed) }
            #expect(try await client.send("GET", "/users/6/facial_measurements").status == 200)
            #expect(try await client.upload().status == 201)
        }
    }

    @Test(arguments: [
        (#"{"marks":[1,null,3,[null,{"a":[null]}]]}"#, #"{"marks":[1,3,[{"a":[]}]]}"#), (#"{"n":1e400}"#, #"{"n":null}"#),
        (#"{"n":null}"#, #"{"n":null}"#), (#"{"n":123456789012345678901}"#, #"{"n":123456789012345678901}"#),
        (#"{"client_mutation_id":"a","client_mutation_id":"b"}"#, #"{"client_mutation_id":"b"}"#),
        (#"{/* mine */"a":"\q"}"#, #"{"a":"q"}"#),
    ])
    func storedValuesMayDifferFromSentOnes(_ sent: String, _ stored: String) async throws {
        try await signedIn { sandbox, client async throws in
            let body = #"{"arkit_data":{"average_measurements":{},"sent":\#(sent)}}"#
            let answer = try await client.send("POST", Self.arkit, body: .json(body))
            #expect(answer.status == 201)
            #expect(try answer.json()["facial_measurement"]?["arkit"]?["sent"]?.description == stored)
            let rows = try await client.send("GET", "/users/5/facial_measurements").json()["facial_measurements"]
            #expect(rows?.elements?.first?["arkit"]?["sent"]?.description == stored)
        }
    }

    @Test func aByteOrderMarkIsABadRequest() async throws {
        try await signedIn { sandbox, client async throws in
            let answer = try await client.send("POST", Self.arkit, body: .json("\u{FEFF}\(Replay.small)"))
            #expect(answer.status == 400)
            #expect(try answer.json() == ["status": 400, "error": "Bad Request"])
            #expect(sandbox.ledger.entries.isEmpty)
        }
    }

    @Test func refusesProfilesOfOthersAndInvalidProfiles() async throws {
        try await signedIn { sandbox, client async throws in
            func put(_ user: Int, _ profile: String) async throws -> LabAnswer {
                try await client.send("PUT", "/users/\(user)/profile", body: .json(#"{"profile":\#(profile)}"#))
            }
            let unmanaged = try await put(10, #"{"first_name":"A"}"#)
            #expect(unmanaged.status == 422)
            #expect(try unmanaged.json() == ["profile": .null, "messages": .null])
            #expect(try await put(5, #"{"user_id":6}"#).status == 422)
            #expect(try await put(5, #""text""#).status == 500)
            #expect(try await put(5, "{}").status == 400)
            #expect(try await put(99, #"{"first_name":"A"}"#).status == 404)
            #expect(sandbox.ledger.entries.isEmpty)
            let shown = try await client.send("GET", "/users/10/profile")
            #expect(shown.status == 422)
            #expect(try shown.json()["messages"] == ["Not authorized to view this profile"])
        }
    }

    @Test func fitTestKeepsPermittedFieldsAndFillsResults() async throws {
        try await signedIn { sandbox, client async throws in
            #expect(try await Replay.addFitTest(for: 99)(client).status == 404)
            let test = #"{"mask_id":1,"comfort":{"How was it?":"good"},"colour":"red","facial_hair":"none"}"#
            let answer = try await Replay.addFitTest(test)(client)
            #expect(answer.status == 201)
            let row = try answer.json()["fit_test"]
            #expect(row?["comfort"] == [:])
            #expect(row?["colour"] == nil)
            #expect(row?["facial_hair"] == .null)
            #expect(row?["results"]?["qualitative"]?["exercises"]?.elements?.count == 7)
            #expect(row?["results"]?["quantitative"]?["exercises"]?.elements?.count == 9)
        }
    }

    @Test func readsLeadingDigitsAsUserNumber() async throws {
        try await signedIn { sandbox, client async throws in
            let answer = try await client.send("POST", "/users/5-anna/facial_measurements_from_arkit", body: .json(Replay.small))
            #expect(answer.status == 201)
            #expect(sandbox.ledger.entries.map(\.user) == [5])
            #expect(try await client.send("GET", "/users/anna/facial_measurements").status == 404)
        }
    }

    @Test func signedOutUploadRevealsUnknownUser() async throws {
        try await withSandbox { _, client async throws in
            #expect(try await client.send("GET", "/users/99999/facial_measurements").status == 401)
            #expect(try await client.upload(to: 99999).status == 404)
        }
    }

    @Test(arguments: ["page=0", "per_page=0", "page=-1", "per_page=-1", "page=first"])
    func invalidPageIsEmpty(_ query: String) async throws {
        try await signedIn { _, client async throws in
            let page = try await client.send("GET", "/managed_users?\(query)")
            #expect(page.status == 200)
            #expect(try page.json()["managed_users"] == [])
            #expect(try page.json()["total_count"] == 5)
        }
    }

    @Test(arguments: [
        (#"{"user":{"email":5,"password":["x"]}}"#, "Invalid Email or password."),
        (#"{"user":{"email":"manager@lab.test","password":{}}}"#, "Invalid Email or password."),
        (#"{"user":{"email":"manager@lab.test"}}"#, "Invalid Email or password."),
        (#"{"user":{"password":"x"}}"#, "You need to sign in or sign up before continuing."),
        (#"{"user":"x"}"#, "You need to sign in or sign up before continuing."),
    ])
    func wronglyTypedLoginFieldsAreRefused(_ body: String, _ message: String) async throws {
        try await withSandbox { _, client async throws in
            let answer = try await client.send("POST", "/users/log_in", body: .json(body))
            #expect(answer.status == 401)
            #expect(try answer.json() == ["error": .string(message)])
        }
    }

    @Test(arguments: [
        (#"{"average_measurements":[1]}"#, [#"Arkit "average_measurements" must be a hash"#]),
        (
            #"{"average_measurements":{"3-4":5,"1-2":{"value":null,"description":7},"0-1":{"description":"d"},"8-9":{"value":-1.5}}}"#,
            [
                "Arkit value for key '3-4' in average_measurements must be a hash",
                "Arkit value for key '1-2' in average_measurements must be a positive float, got: nil",
                "Arkit description for key '1-2' in average_measurements must be a string, got: Integer",
                "Arkit hash for key '0-1' in average_measurements must have 'value' key",
                "Arkit value for key '8-9' in average_measurements must be a positive float, got: -1.5",
                "Arkit hash for key '8-9' in average_measurements must have 'description' key",
            ]
        ),
        (
            #"{"average_measurements":{"1-2":{"value":"3","description":null}}}"#,
            [
                #"Arkit value for key '1-2' in average_measurements must be a positive float, got: "3""#,
                "Arkit description for key '1-2' in average_measurements must be a string, got: NilClass",
            ]
        ),
    ])
    func errorMessagesFollowPayloadOrder(_ arkit: String, _ messages: [String]) async throws {
        try await signedIn { _, client async throws in
            let answer = try await client.send("POST", Self.arkit, body: .json(#"{"arkit_data":\#(arkit)}"#))
            #expect(answer.status == 422)
            #expect(try answer.json()["messages"]?.elements?.map(\.text) == messages)
        }
    }

    @Test func postCanOverrideItsMethod() async throws {
        try await signedIn { sandbox, client async throws in
            let token = try await client.csrfHeader()
            #expect(try await client.send("POST", "/managed_users/1", headers: token, body: .form("_method=delete")).status == 200)
            let override = token.merging(["x-http-method-override": "DELETE"]) { $1 }
            #expect(try await client.send("POST", "/managed_users/2", headers: override).status == 200)
            #expect(try await client.send("POST", "/managed_users/3", headers: token, body: .json(#"{"_method":"delete"}"#)).status == 404)
            #expect(sandbox.ledger.entries.map(\.user) == [5, 6])
        }
    }

    @Test func headAnswersLikeGetWithoutBody() async throws {
        try await signedIn { _, client async throws in
            let head = try await client.send("HEAD", "/users/get_current_user")
            #expect(head.status == 200 && head.body.isEmpty && head.header("etag") != nil)
            #expect(try await client.send("HEAD", "/nothing").status == 404)
            #expect(try await client.send("GET", "/", accept: "*/*").contentType?.hasPrefix("text/html") == true)
        }
    }

    @Test func clonedFitTestCannotBeDeleted() async throws {
        try await signedIn { _, client async throws in
            let original = try await Replay.addFitTest(#"{"mask_id":1}"#)(client).json()["fit_test"]?["id"]?.integer ?? 0
            let token = try await client.csrfHeader()
            #expect(try await client.send("POST", "/fit_tests/\(original)/clone").status == 422)
            let clone = try await client.send("POST", "/fit_tests/\(original)/clone", headers: token)
            #expect(clone.status == 201)
            #expect(try clone.json()["fit_test"]?["source_fit_test_id"]?.integer == original)
            #expect(try await client.send("DELETE", "/fit_tests/\(original)", headers: token).status == 500)
            #expect(try await client.send("DELETE", "/managed_users/1", headers: token).status == 500)
            #expect(try await client.send("GET", "/users/5/profile").status == 200)
            let copy = try clone.json()["fit_test"]?["id"]?.integer ?? 0
            #expect(try await client.send("DELETE", "/fit_tests/\(copy)", headers: token).status == 200)
            #expect(try await client.send("DELETE", "/managed_users/1", headers: token).status == 200)
        }
    }
}
