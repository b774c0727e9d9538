import Foundation
import Sandbox
import Testing

@Suite struct LedgerTests {
    @Test func everyCommittedRowIsAnEntryInOrder() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            try await client.upload(to: 6, key: "018f-a")
            _ = try await client.send("POST", Replay.arkit, body: .json("{}"))
            _ = try await client.send("PUT", "/users/5/profile", body: .json(#"{"profile":{"first_name":"Ann"}}"#))
            let token = try await client.csrfHeader()
            _ = try await client.send("POST", "/managed_users", headers: token)
            _ = try await client.send("DELETE", "/managed_users/1", headers: token)
            let entries = sandbox.ledger.entries
            #expect(entries.map(\.sequence) == [1, 2, 3, 4])
            #expect(entries.map(\.resource) == ["facial_measurement", "profile", "managed_user", "managed_user"])
            #expect(entries.map(\.user) == [6, 5, 11, 5])
            #expect(entries.map(\.account) == [1, 1, 1, 1])
            #expect(entries.map(\.status) == [201, 200, 201, 200])
            #expect(entries.map(\.clientMutationID) == ["018f-a", nil, nil, nil])
            #expect(entries.allSatisfy { $0.answered && $0.digest.count == 64 })
        }
    }

    @Test func equalPayloadsHaveEqualDigests() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            for key in ["a", "a", "b"] { try await client.upload(key: key) }
            let digests = sandbox.ledger.entries.map(\.digest)
            #expect(digests[0] == digests[1])
            #expect(digests[0] != digests[2])
            #expect(sandbox.ledger.duplicates.keys.sorted() == ["a"])
        }
    }

    @Test func requestsRecordAccountOfTheirCredentials() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn(remember: true)
            try await client.upload()
            await client.set("_breathesafe_session", to: nil)
            try await client.upload()
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test")
            try await other.upload(to: 10)
            let requests = sandbox.ledger.requests
            #expect(requests.map(\.account) == [nil, 1, nil, nil, 2])
            #expect(requests.map(\.rememberedAccount) == [nil, 1, 1, nil, nil])
            #expect(requests.map(\.signingIn) == ["manager@lab.test", nil, nil, "other@lab.test", nil])
            #expect(requests.map(\.status) == [201, 201, 201, 201, 201])
        }
    }

    @Test func findsMisattributedEffectsAndMixedCredentials() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            try await client.upload(key: "a")
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test", remember: true)
            try await other.upload(to: 10, key: "b")
            #expect(sandbox.ledger.misattributed(owners: ["a": 1, "b": 2]) == [])
            #expect(sandbox.ledger.misattributed(owners: ["a": 1, "b": 1]).map(\.clientMutationID) == ["b"])
            #expect(sandbox.ledger.mixed.isEmpty)
            await client.set("remember_user_token", to: await other.jar["remember_user_token"])
            try await client.upload(key: "c")
            #expect(sandbox.ledger.mixed.map(\.account) == [1])
        }
    }

    @Test func requestsAreCountedByPathAndStatus() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn(password: "wrong")
            try await client.logIn()
            try await client.upload()
            try await client.upload(to: 10)
            #expect(sandbox.ledger.logInCount == 2)
            #expect(sandbox.ledger.requestCount("POST", path: "from_arkit") == 2)
            #expect(sandbox.ledger.requestCount(path: "from_arkit", status: 422) == 1)
            #expect(sandbox.ledger.counters["POST /users/log_in"] == ["401": 1, "201": 1])
        }
    }

    @Test func anUnfinishedBodyHasNoEffect() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await #expect(throws: (any Error).self) {
                try await client.send("POST", Replay.arkit, body: .unfinished(Replay.small))
            }
            #expect(try await client.send("GET", "/users/5/facial_measurements").json()["facial_measurements"] == [])
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func theFileHoldsOneLineForEachEntry() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID()).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }  // `try?`: a leftover does no harm
        let entries = try await withSandbox(ledgerFile: path) { sandbox, client async throws in
            try await client.logIn()
            try await client.upload(key: "a")
            await sandbox.apply(Fault(.commitThenCut, count: 1))
            await #expect(throws: (any Error).self) { try await client.upload(key: "b") }
            return sandbox.ledger.entries
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { try JSON(bytes: Array($0.utf8)) }
        #expect(lines.map { $0["clientMutationID"]?.text } == ["a", "b"])
        #expect(lines.map { $0["answered"] } == [true, false])
        #expect(lines.map { $0["digest"]?.text } == entries.map(\.digest))
    }

    @Test func sandboxesInOneProcessAreIndependent() async throws {
        try await withSandbox { first, client async throws in
            try await withSandbox { second, other async throws in
                try await client.logIn()
                let stolen = LabClient(second.baseURL, jar: await client.jar)
                #expect(try await stolen.upload().status == 401)
                #expect(first.ledger.logInCount == 1)
                #expect(second.ledger.logInCount == 0)
                #expect(try await other.logIn().status == 201)
            }
        }
    }
}
