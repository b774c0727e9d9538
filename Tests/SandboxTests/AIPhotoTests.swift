import Sandbox
import Testing

@Suite struct AIPhotoTests {
    @Test func registrationIsRepeatableAndCommitsOnlyChanges() async throws {
        try await withSandbox(of: .aiPhoto()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            let first = try await client.aiPhotoRegister(tokens)
            #expect(first.status == 201)
            #expect(try first.json()["success"] == true)
            #expect(try first.json()["meta"]?["requestId"]?.text != nil)
            #expect(try first.json()["data"]?["firebaseUid"]?.text == FirebaseConfiguration.labAccounts[0].id)
            #expect(try await client.aiPhotoRegister(tokens).json()["data"] == first.json()["data"])
            #expect(sandbox.ledger.entries.count == 1)
            #expect(try await client.aiPhotoRegister(tokens, name: "Beth").json()["data"]?["name"] == "Beth")
            #expect(sandbox.ledger.entries.map(\.account) == [1, 1])
        }
    }

    @Test func imageCostsOneCreditUntilNoneAreLeft() async throws {
        try await withSandbox(of: .aiPhoto(AIPhotoConfiguration { $0.credits = 2 })) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            try await client.aiPhotoRegister(tokens)
            for left in [1, 0] {
                #expect(try await client.aiPhotoProcess(tokens, key: "k").json()["data"]?["creditsRemaining"]?.integer == left)
            }
            let refused = try await client.aiPhotoProcess(tokens, key: "l")
            #expect(refused.status == 403)
            #expect(try refused.json()["success"] == false)
            #expect(try refused.json()["error"]?["code"] == "insufficient_credits")
            #expect(sandbox.ledger.duplicates["k"]?.count == 2)
            #expect(sandbox.ledger.entries(clientMutationID: "l") == [])
        }
    }

    @Test func aPurchaseIsCreditedOnceForEachTransaction() async throws {
        try await withSandbox(of: .aiPhoto(AIPhotoConfiguration { $0.credits = 0 })) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            try await client.aiPhotoRegister(tokens)
            let body = #"{"transaction_data":{"originalTransactionId":"42"},"product_id":"credits.10"}"#
            // The same transaction, signed: the middle part is {"originalTransactionId":"42"}.
            let signed = #"{"transaction_data":"e30.eyJvcmlnaW5hbFRyYW5zYWN0aW9uSWQiOiI0MiJ9.x","product_id":"credits.10"}"#
            for body in [body, body, signed] {
                let answer = try await client.aiPhoto("/v1/credits/purchase", tokens, body)
                #expect(answer.status == 201)
                #expect(try answer.json()["data"]?["credits"] == 10)
            }
            #expect(sandbox.ledger.entries.map(\.resource) == ["user", "purchase"])
            let unknown = try await client.aiPhoto(
                "/v1/credits/purchase", tokens, #"{"transaction_data":"43","product_id":"credits.11"}"#)
            #expect(unknown.status == 404)
            #expect(try unknown.json()["error"]?["code"] == "product_not_found")
        }
    }

    @Test func aRewardIsGivenEachTime() async throws {
        try await withSandbox(of: .aiPhoto(AIPhotoConfiguration { $0.credits = 0 })) { _, client async throws in
            let tokens = try await client.firebaseTokens()
            try await client.aiPhotoRegister(tokens)
            for credits in 1...2 {
                #expect(try await client.aiPhoto("/v1/credits/reward", tokens, "{}").json()["data"]?["credits"]?.integer == credits)
            }
        }
    }

    @Test(arguments: [
        ("/v1/users/register", #"{"name":"Ann"}"#, 500, "internal_error"), ("/v1/images/process", "{}", 500, "internal_error"),
        ("/v1/credits/purchase", "[]", 500, "internal_error"), ("/v1/images/process", "{", 400, "bad_request"),
        ("/v1/images/process", #"{"template_id":"t","image_base64":"A"}"#, 404, "user_not_found"), ("/v1/nothing", "{}", 404, "not_found"),
    ])
    func badInputHasItsStatusAndCode(_ path: String, _ body: String, _ status: Int, _ code: String) async throws {
        try await withSandbox(of: .aiPhoto()) { sandbox, client async throws in
            let answer = try await client.aiPhoto(path, client.firebaseTokens(), body)
            #expect(answer.status == status)
            #expect(try answer.json()["error"]?["code"]?.text == code)
            #expect(sandbox.ledger.entries == [])
        }
    }

    @Test func aBodyOverTwentyMegabytesIsTooLarge() async throws {
        try await withSandbox(of: .aiPhoto()) { _, client async throws in
            let image = String(repeating: "A", count: 20 * 1024 * 1024)
            let answer = try await client.aiPhoto(
                "/v1/images/process", client.firebaseTokens(), #"{"template_id":"t","image_base64":"\#(image)"}"#)
            #expect(answer.status == 413)
        }
    }

    @Test func refusesMissingBadAndExpiredTokensAlike() async throws {
        let configuration = AIPhotoConfiguration { $0.firebase.idTokenLifetime = 60 }
        try await withSandbox(of: .aiPhoto(configuration)) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            sandbox.clock.advance(by: .seconds(60))
            let missing = try await client.send("POST", "/v1/users/register", body: .json("{}"))
            let answers = [
                missing, try await client.aiPhotoRegister(LabTokens(access: "x", refresh: "")), try await client.aiPhotoRegister(tokens),
            ]
            #expect(answers.map(\.status) == [401, 401, 401])
            for answer in answers {
                #expect(try answer.json()["error"] == ["code": "unauthorized", "message": "Invalid or expired token"])
            }
        }
    }

    @Test func missingCertificatesLookLikeRefusal() async throws {
        try await withSandbox(of: .aiPhoto()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            try sandbox.change(["lacks-certificates": true])
            #expect(try await client.aiPhotoRegister(tokens).status == 401)
            #expect(try await client.aiPhotoRegister(client.firebaseTokens()).status == 401)
            try sandbox.change(["lacks-certificates": false])
            #expect(try await client.aiPhotoRegister(tokens).status == 201)
        }
    }
}
