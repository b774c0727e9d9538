import Sandbox
import Testing

@Suite struct BackendsInTurnTests {
    @Test(arguments: BackendInTurn.all, [FaultName.cut, .commitThenCut, .neverAnswer, .neverAnswerAfterCommit])
    func lostAnswerCommitsAsItsFaultSays(_ turn: BackendInTurn, _ name: FaultName) async throws {
        try await withSandbox(of: turn.backend) { sandbox, client async throws in
            let tokens = try await turn.signIn(client, "manager@lab.test")
            await sandbox.apply(Fault(name, count: 1))
            await withTaskGroup { group in
                group.addTask {
                    await #expect(throws: (any Error).self) { try await turn.write(client, tokens, "k") }
                }
                await sandbox.ledger.waits { $0.requests.last?.fault != nil }
                if name == .neverAnswerAfterCommit {
                    await sandbox.ledger.waits { !$0.entries(clientMutationID: "k").isEmpty }
                }
                if name == .neverAnswer || name == .neverAnswerAfterCommit { group.cancelAll() }
            }
            let hasEffect = name == .commitThenCut || name == .neverAnswerAfterCommit
            #expect(sandbox.ledger.entries(clientMutationID: "k").map(\.answered) == (hasEffect ? [false] : []))
        }
    }

    @Test(arguments: BackendInTurn.all)
    func faultErrorHasNoEffectAndKeepsSession(_ turn: BackendInTurn) async throws {
        try await withSandbox(of: turn.backend) { sandbox, client async throws in
            let tokens = try await turn.signIn(client, "manager@lab.test")
            for (name, status) in [(FaultName.unauthorized, 401), (.unavailable, 503), (.tooManyRequests, 429), (.internalError, 500)] {
                await sandbox.apply(Fault(name, count: 1))
                #expect(try await turn.write(client, tokens, "k").status == status)
            }
            await sandbox.apply(Fault(.loginPage, count: 1))
            #expect(try await turn.write(client, tokens, "k").contentType == "text/html; charset=utf-8")
            await sandbox.apply(.error(422, code: "a_code", count: 1))
            let own = try await turn.write(client, tokens, "k")
            #expect(own.status == 422)
            #expect(own.text.contains("a_code"))
            #expect(sandbox.ledger.entries(clientMutationID: "k") == [])
            #expect((200...201).contains(try await turn.write(client, tokens, "k").status))
        }
    }

    @Test(arguments: BackendInTurn.all)
    func denialUsesErrorFormOfBackend(_ turn: BackendInTurn) async throws {
        try await withSandbox(of: turn.backend) { sandbox, client async throws in
            let tokens = try await turn.signIn(client, "manager@lab.test")
            await sandbox.apply(Fault(.unauthorized, count: 1))
            let denial = try await turn.write(client, tokens, "k").json()
            let nobody = try await turn.write(client, LabTokens(access: "", refresh: ""), "k").json()
            #expect(denial["error"]?["code"] == nobody["error"]?["code"])
            #expect(denial.members?.keys.sorted() == nobody.members?.keys.sorted())
        }
    }

    @Test(arguments: BackendInTurn.all, [false, true])
    func endedSessionNeedsRefreshOrSignIn(_ turn: BackendInTurn, _ rememberTokens: Bool) async throws {
        try await withSandbox(of: turn.backend) { sandbox, client async throws in
            let tokens = try await turn.signIn(client, "manager@lab.test")
            sandbox.expireSessions(rememberTokens: rememberTokens)
            #expect(try await turn.write(client, tokens, "k").status == 401)
            if let refresh = turn.refresh {
                #expect((try await refresh(client, tokens).status == 200) == !rememberTokens)
            }
            let fresh = try await turn.signIn(client, "manager@lab.test")
            #expect((200...201).contains(try await turn.write(client, fresh, "k").status))
        }
    }

    @Test(arguments: BackendInTurn.all)
    func ledgerRecordsAccountNumbers(_ turn: BackendInTurn) async throws {
        try await withSandbox(of: turn.backend) { sandbox, client async throws in
            let mine = try await turn.signIn(client, "manager@lab.test")
            let theirs = try await turn.signIn(client, "other@lab.test")
            _ = try await turn.write(client, mine, "a")
            _ = try await turn.write(client, theirs, "b")
            #expect(sandbox.ledger.entries(clientMutationID: "a").map(\.account) == [1])
            #expect(sandbox.ledger.entries(clientMutationID: "b").map(\.account) == [2])
            #expect(sandbox.ledger.requests.suffix(2).map(\.account) == [1, 2])
            #expect(sandbox.ledger.logInCount == 2)
            await sandbox.apply(Fault(.internalError, user: 2))
            #expect(try await turn.write(client, theirs, "c").status == 500)
            #expect(try await turn.write(client, mine, "c").status != 500)
        }
    }

    @Test(arguments: BackendInTurn.all)
    func refusesForeignAndUnsignedTokens(_ turn: BackendInTurn) async throws {
        try await withSandbox(of: turn.backend) { other, _ async throws in
            try await withSandbox(of: turn.backend) { sandbox, client async throws in
                let own = try await turn.signIn(client, "manager@lab.test")
                let foreign = try await turn.signIn(LabClient(other.baseURL), "manager@lab.test")
                let claims = own.access.split(separator: ".")[1]
                // {"alg":"none"}
                let unsigned = LabTokens(access: "eyJhbGciOiJub25lIn0.\(claims).", refresh: "")
                for tokens in [foreign, unsigned] { #expect(try await turn.write(client, tokens, "k").status == 401) }
                #expect(sandbox.ledger.requests.suffix(2).map(\.account) == [nil, nil])
            }
        }
    }
}
