import AsyncHTTPClient
import Foundation
import NIOCore
import Sandbox
import Testing

@Suite struct FaultTests {
    @Test(arguments: [
        (FaultName.cut, 0), (.commitThenCut, 1), (.neverAnswer, 0), (.neverAnswerAfterCommit, 1),
    ])
    func lostAnswerCommitsAsItsFaultSays(_ name: FaultName, _ rows: Int) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(name, path: "from_arkit", count: 1))
            await withTaskGroup { group in
                group.addTask { await #expect(throws: (any Error).self) { try await client.upload(key: "k") } }
                await sandbox.ledger.waits { $0.requests.last?.fault != nil && $0.entries.count >= rows }
                group.cancelAll()
            }
            #expect(sandbox.ledger.entries(clientMutationID: "k").map(\.answered) == Array(repeating: false, count: rows))
            #expect(sandbox.ledger.requests.last?.status == nil)
            #expect(sandbox.ledger.requests.last?.fault == name.rawValue)
            #expect(try await client.upload(key: "k").status == 201)
            #expect(sandbox.ledger.entries(clientMutationID: "k").count == rows + 1)
        }
    }

    @Test func commitThenCutCommitsAndCutsConnection() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(.commitThenCut, path: "from_arkit", count: 1))
            let error = await #expect(throws: (any Error).self) { try await client.upload(key: "k") }
            #expect((error as? HTTPClientError) == .remoteConnectionClosed || (error as? IOError)?.errnoCode == ECONNRESET)
            let rows = try await client.send("GET", "/users/5/facial_measurements").json()["facial_measurements"]?.elements
            #expect(rows?.map { $0["arkit"]?["client_mutation_id"]?.text } == ["k"])
        }
    }

    @Test func theAnswerIsWithheldUntilTheSandboxStops() async throws {
        let sandbox = try Sandbox()
        try await sandbox.start()
        let client = LabClient(sandbox.baseURL)
        await sandbox.apply(Fault(.neverAnswer))
        await withTaskGroup { group in
            group.addTask {
                await #expect(throws: (any Error).self) { try await client.send("GET", "/csrf_token") }
            }
            await sandbox.ledger.waits { !$0.requests.isEmpty }
            await sandbox.stop()
        }
    }

    @Test(arguments: [(FaultName.internalError, 0), (.internalErrorAfterCommit, 1)])
    func internalErrorLooksLikeRails(_ name: FaultName, _ rows: Int) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(name, method: "POST", count: 2))
            for _ in 1...2 {
                let answer = try await client.upload(key: "k")
                #expect(answer.status == 500)
                #expect(try answer.json() == ["status": 500, "error": "Internal Server Error"])
                #expect(answer.setCookies == [])
            }
            #expect(sandbox.ledger.entries.map(\.status) == Array(repeating: 500, count: rows * 2))
            #expect(try await client.upload().status == 201)
        }
    }

    @Test func retryAfterIsSecondsOrADate() async throws {
        try await withSandbox { sandbox, client async throws in
            await sandbox.apply(.unavailable(retryAfter: 7, count: 1))
            await sandbox.apply(Fault(.tooManyRequests, count: 1) { ($0.retryAfter, $0.retryAfterForm) = (60, .date) })
            await sandbox.apply(Fault(.unavailable, count: 1))
            let now = sandbox.clock.now
            let answers = [try await client.upload(), try await client.upload(), try await client.upload()]
            #expect(answers.map(\.status) == [503, 429, 503])
            #expect(answers[0].header("retry-after") == "7")
            #expect(answers[2].header("retry-after") == nil)
            // Allows for the duration of the requests.
            let seconds = Int(sandbox.clock.now.timeIntervalSince(now)) + 61
            let dates = (60...seconds).map { now.addingTimeInterval(TimeInterval($0)).httpDate }
            #expect(dates.contains(answers[1].header("retry-after") ?? ""))
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func aLoginPageAndARedirectHaveNoEffect() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(.loginPage, count: 1))
            await sandbox.apply(Fault(.redirect, count: 1))
            let page = try await client.upload()
            #expect(page.status == 200)
            #expect(page.contentType == "text/html; charset=utf-8")
            let redirect = try await client.upload()
            #expect(redirect.status == 302)
            #expect(redirect.location == "https://login.example.org/sso")
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func loginPageAfterCommitHidesCommittedRow() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(.loginPageAfterCommit, path: "from_arkit", count: 1))
            let page = try await client.upload(key: "k")
            #expect(page.status == 200)
            #expect(page.contentType == "text/html; charset=utf-8")
            #expect(page.setCookies == [])
            #expect(sandbox.ledger.entries(clientMutationID: "k").map(\.status) == [200])
            #expect(try await client.upload().status == 201)
        }
    }

    @Test func denialLooksSignedOutButKeepsSession() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let nobody = try await LabClient(sandbox.baseURL).upload()
            await sandbox.apply(Fault(.unauthorized, path: "from_arkit", count: 1))
            let denial = try await client.upload()
            #expect(denial.status == 401)
            #expect(denial.body == nobody.body)
            #expect(denial.contentType == nobody.contentType)
            #expect(denial.setCookies == [])
            #expect(sandbox.ledger.entries == [])
            let current = try await client.send("GET", "/users/get_current_user").json()
            #expect(current["currentUser"]?["id"]?.integer == 1)
            #expect(try await client.upload().status == 201)
        }
    }

    @Test(arguments: [("GET", "/managed_users"), ("GET", "/users/get_current_user"), ("POST", "/fit_tests"), ("POST", "/users/log_in")])
    func aDenialHasNoEffectOnAnyRoute(_ method: String, _ path: String) async throws {
        try await withSandbox { sandbox, client async throws in
            await sandbox.apply(Fault(.unauthorized, count: 1))
            let user = #"{"user":{"email":"manager@lab.test","password":"\#(BreatheSafeConfiguration.labPassword)"}}"#
            let answer = try await client.send(method, path, body: method == "POST" ? .json(user) : .none)
            #expect(answer.status == 401)
            #expect(try answer.json()["error"]?.text != nil)
            #expect(await client.jar == [:])
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func resetsOnlyRefusedConnection() async throws {
        try await withSandbox { sandbox, client async throws in
            await sandbox.apply(Fault(.refuse, count: 1))
            #expect(await readError(from: sandbox.baseURL) == ECONNRESET)
            #expect(try await client.send("GET", "/csrf_token").status == 200)
            #expect(sandbox.ledger.requests.count == 1)
        }
    }

    @Test func downBackendRefusesConnectionsAndKeepsPort() async throws {
        try await withSandbox { sandbox, _ async throws in
            let client = LabClient(sandbox.baseURL, keepsConnections: false)
            try await client.logIn()
            for _ in 1...5 {
                await sandbox.down()
                #expect(connectionError(to: sandbox.baseURL) == ECONNREFUSED)
                try await sandbox.up()
                #expect(try await client.upload().status == 201)
            }
        }
    }

    @Test func backendStartedDownCanComeUp() async throws {
        try await withSandbox(faults: [Fault(.down)]) { sandbox, client async throws in
            #expect(connectionError(to: sandbox.baseURL) == ECONNREFUSED)
            try await sandbox.up()
            #expect(try await client.send("GET", "/csrf_token").status == 200)
        }
    }

    @Test func slowAnswerIsSentAfterCommit() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(.slow(milliseconds: 3_600_000, count: 1))
            async let late = client.upload(key: "k")
            await sandbox.ledger.waits { !$0.entries.isEmpty }
            #expect(sandbox.ledger.entries(clientMutationID: "k").count == 1)
            sandbox.clearFaults()
            #expect(try await late.status == 201)
            await sandbox.apply(.slow(milliseconds: 1, count: 1))
            #expect(try await client.upload().status == 201)
        }
    }

    @Test func clearingFaultsFinishesSlowCommit() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(.slowCommit(milliseconds: 3_600_000, path: "from_arkit"))
            async let late = client.upload(key: "k")
            await sandbox.ledger.waits { $0.requests.last?.fault != nil }
            #expect(sandbox.ledger.entries == [])
            sandbox.clearFaults()
            #expect(try await late.status == 201)
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["k"])
        }
    }

    @Test func slowCommitHappensAfterClientDisconnects() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(.slowCommit(milliseconds: 2_000, path: "from_arkit", count: 2))
            await withTaskGroup { group in
                group.addTask {
                    await #expect(throws: (any Error).self) { try await client.upload(key: "k") }
                }
                await sandbox.ledger.waits { $0.requests.last?.fault != nil }
                group.cancelAll()
            }
            await sandbox.ledger.waits { !$0.entries.isEmpty }
            let arrived = try #require(sandbox.ledger.requests.last?.time)
            #expect(sandbox.ledger.entries[0].time.timeIntervalSince(arrived) >= 2)
            #expect(try await client.upload(key: "l").status == 201)
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["k", "l"])
        }
    }

    @Test func stoppingDuringSlowCommitLeavesNothing() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(.slowCommit(milliseconds: 60_000, path: "from_arkit"))
            await withTaskGroup { group in
                group.addTask {
                    await #expect(throws: (any Error).self) { try await client.upload(key: "k") }
                }
                await sandbox.ledger.waits { $0.requests.last?.fault != nil }
                await sandbox.down()
            }
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func aDribbledAnswerArrivesWhole() async throws {
        try await withSandbox { sandbox, client async throws in
            await sandbox.apply(Fault(.dribble) { $0.milliseconds = 0 })
            #expect(try await client.send("GET", "/users/get_current_user").json()["currentUser"] == .null)
        }
    }

    @Test func truncatedAnswerFailsAfterCommit() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(.truncated, count: 1))
            await #expect(throws: (any Error).self) { try await client.upload(key: "k") }
            #expect(sandbox.ledger.entries(clientMutationID: "k").map(\.answered) == [false])
        }
    }

    @Test func faultAppliesOnlyToNamedUser() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            await sandbox.apply(Fault(.internalError, user: 2))
            #expect(try await client.upload().status == 201)
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test")
            #expect(try await other.upload(to: 10).status == 500)
            sandbox.clearFaults()
            #expect(try await other.upload(to: 10).status == 201)
        }
    }

    @Test func sessionsExpireAfterConfiguredTime() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            var fault = Fault(.expireSessions)
            fault.after = 60
            await sandbox.apply(fault)
            #expect(try await client.upload().status == 201)
            sandbox.clock.advance(by: .seconds(61))
            #expect(try await client.upload().status == 401)
        }
    }
}
