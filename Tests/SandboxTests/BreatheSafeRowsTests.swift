import Sandbox
import Testing

@Suite struct BreatheSafeRowsTests {
    @Test func listsMeasurementsNewestFirst() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            for key in ["018f-aaaa", "018f-bbbb"] { try await client.upload(key: key) }
            let answer = try await client.send("GET", "/users/5/facial_measurements").json()
            #expect(
                answer.members.map { Set($0.keys) } == [
                    "facial_measurements", "recommender_measurements", "recommender_measurements_camel", "messages",
                ])
            let keys = answer["facial_measurements"]?.elements?.map { $0["arkit"]?["client_mutation_id"]?.text }
            #expect(keys == ["018f-bbbb", "018f-aaaa"])
        }
    }

    @Test func identicalRequestsMakeOneRowEach() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let jar = await client.jar
            try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask {
                        let answer = try await LabClient(sandbox.baseURL, jar: jar).upload(key: "same")
                        #expect(answer.status == 201)
                    }
                }
                try await group.waitForAll()
            }
            #expect(sandbox.ledger.duplicates["same"]?.count == 8)
            #expect(sandbox.ledger.entries.map(\.remoteID) == Array(1...8))
        }
    }

    @Test func aChunkedBodyIsRead() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            #expect(try await client.send("POST", Replay.arkit, body: .chunked(Replay.small)).status == 201)
        }
    }

    @Test func aPageHolds25AndAtMost100() async throws {
        let many = BreatheSafeConfiguration { $0.managedUsers = (5..<117).map { .init(user: $0) } }
        try await withSandbox(many) { _, client async throws in
            try await client.logIn()
            for (query, count, perPage) in [("", 25, 25), ("?per_page=100", 100, 100), ("?page=2&per_page=500", 12, 100)] {
                let page = try await client.send("GET", "/managed_users\(query)").json()
                #expect(page["managed_users"]?.elements?.count == count)
                #expect(page["per_page"]?.integer == perPage)
                #expect(page["total_count"] == 112)
            }
        }
    }

    @Test func htmlAnswerIsRefusedAfterCommit() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let answer = try await client.send("POST", Replay.arkit, accept: "text/html", body: .json(Replay.small))
            #expect(answer.status == 406)
            #expect(answer.setCookies == [])
            #expect(sandbox.ledger.entries.map(\.status) == [406])
        }
    }

    @Test func fitTestUsesNewestMeasurementOfItsUser() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            try await client.upload()
            try await client.upload()
            try await client.upload(to: 6)
            #expect(try await Replay.addFitTest()(client).json()["fit_test"]?["facial_measurement_id"] == 2)
        }
    }

    @Test(arguments: [("PUT", #"{"fit_test":{"mask_id":1}}"#), ("DELETE", "{}")])
    func anotherManagersFitTestIsUnauthorized(_ method: String, _ body: String) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            _ = try await Replay.addFitTest()(client)
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test")
            let answer = try await other.send(method, "/fit_tests/1", headers: other.csrfHeader(), body: .json(body))
            #expect(answer.status == 401)
            #expect(try answer.json()["messages"] == ["Unauthorized."])
        }
    }

    @Test func listShowsAChangedFitTestUntilItsDeletion() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            _ = try await Replay.addFitTest(#"{"mask_id":1,"notes":"first"}"#)(client)
            let token = try await client.csrfHeader()
            func notes() async throws -> [String?] {
                try await client.send("GET", "/fit_tests").json()["fit_tests"]?.elements?.map { $0["notes"]?.text } ?? []
            }
            func change(_ fitTest: String) async throws -> Int {
                try await client.send("PUT", "/fit_tests/1", headers: token, body: .json(#"{"fit_test":\#(fitTest)}"#)).status
            }
            #expect(try await change(#"{"mask_id":424242}"#) == 500)
            #expect(try await change("{}") == 400)
            #expect(try await notes() == ["first"])
            #expect(try await change(#"{"notes":"second"}"#) == 204)
            #expect(try await notes() == ["second"])
            #expect(try await client.send("DELETE", "/fit_tests/1", headers: token).status == 200)
            #expect(try await notes().isEmpty)
            #expect(try await client.send("DELETE", "/fit_tests/1", headers: token).status == 404)
        }
    }

    /// The trap for clients: the path names another user.
    @Test func manualMeasurementGoesToTheUserInTheBody() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let body = #"{"facial_measurement":{"user_id":6,"face_width":"140"}}"#
            #expect(try await client.send("POST", "/users/5/facial_measurements", body: .json(body)).status == 201)
            #expect(sandbox.ledger.entries.map(\.user) == [6])
        }
    }

    @Test func anAdminUploadsForAnyUser() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn("admin@lab.test")
            #expect(try await client.upload(to: 10).status == 201)
        }
    }

    @Test func aDeletedUsersMeasurementsAreGone() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            try await client.upload()
            _ = try await client.send("DELETE", "/managed_users/1", headers: client.csrfHeader())
            #expect(try await client.send("GET", "/users/5/facial_measurements").status == 404)
        }
    }

    @Test func managedUsersAreSeededForSeveralManagers() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let rows = try await client.send("GET", "/managed_users").json()["managed_users"]?.elements ?? []
            #expect(rows.map { $0["managed_id"]?.integer } == [5, 6, 7, 8, 9])
            #expect(rows.allSatisfy { $0["id"] != $0["managed_id"] })
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test")
            #expect(try await other.upload(to: 10).status == 201)
            #expect(try await other.upload(to: 5).status == 422)
        }
    }
}
