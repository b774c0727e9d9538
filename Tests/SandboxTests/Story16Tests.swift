import Sandbox
import Testing

@Suite struct Story16Tests {
    @Test func storesMessageAtGivenPathAndReturnsIt() async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            let answer = try await client.story16Put(tokens, id: "m-1", #"{ "text": "hello" }"#)
            #expect(answer.status == 200)
            #expect(answer.text == #"{ "text": "hello" }"#)
            let path = "/messages/room%201"
            #expect(try await client.send("GET", "\(path)/m-1.json?auth=\(tokens.access)").json() == ["text": "hello"])
            #expect(try await client.send("GET", "\(path).json?auth=\(tokens.access)").json() == ["m-1": ["text": "hello"]])
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["m-1"])
            #expect(sandbox.ledger.entries.map(\.account) == [1])
        }
    }

    @Test func repeatedMessageChangesNothing() async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            for _ in 1...2 { #expect(try await client.story16Put(tokens, id: "m-1").status == 200) }
            #expect(sandbox.ledger.entries.count == 1)
            try await client.story16Put(tokens, id: "m-1", #"{"text":"changed"}"#)
            #expect(sandbox.ledger.entries.count == 2)
        }
    }

    @Test func invalidTokenIsRefusedWithErrorText() async throws {
        try await withSandbox(of: .story16(FirebaseConfiguration { $0.idTokenLifetime = 60 })) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            sandbox.clock.advance(by: .seconds(60))
            let answers = [
                try await client.send("PUT", "/messages/room/a.json", headers: tokens.bearer, body: .json("{}")),
                try await client.story16Put(LabTokens(access: "x", refresh: ""), id: "a"), try await client.story16Put(tokens, id: "a"),
            ]
            #expect(answers.map(\.status) == [401, 401, 401])
            let texts = try answers.map { try $0.json()["error"]?.text }
            #expect(texts == ["Permission denied", "Could not parse auth token.", "Auth token is expired"])
            #expect(sandbox.ledger.requests.map(\.account) == [nil, nil, nil, 1])
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func refusesInvalidJSONAndOtherPaths() async throws {
        try await withSandbox(of: .story16()) { _, client async throws in
            let tokens = try await client.firebaseTokens()
            #expect(try await client.story16Put(tokens, id: "a", "{").status == 400)
            #expect(try await client.send("PUT", "/messages/room/a?auth=\(tokens.access)", body: .json("{}")).status == 404)
            #expect(try await client.send("PUT", "/other/room/a.json?auth=\(tokens.access)", body: .json("{}")).status == 404)
        }
    }
}
