import Foundation
import Sandbox
import Testing

@Suite struct ControlPlaneTests {
    @Test func faultsAreSetShownAndCleared() async throws {
        try await withSandbox { sandbox, client async throws in
            let control = LabClient(sandbox.controlURL)
            let set = try await control.send("POST", "/faults", body: .json(#"{"fault":"500","count":2,"path":"csrf"}"#))
            #expect(set.status == 201)
            #expect(try await client.send("GET", "/csrf_token").status == 500)
            #expect(try await control.send("GET", "/faults").json() == ["faults": [["fault": "500", "count": 1, "path": "csrf"]]])
            #expect(try await control.send("DELETE", "/faults").json() == ["faults": []])
            #expect(try await client.send("GET", "/csrf_token").status == 200)
        }
    }

    @Test func theBackendGoesDownAndUp() async throws {
        try await withSandbox { sandbox, client async throws in
            let control = LabClient(sandbox.controlURL)
            #expect(try await control.send("POST", "/down").status == 200)
            #expect(connectionError(to: sandbox.baseURL) == ECONNREFUSED)
            #expect(try await control.send("GET", "/healthz").status == 200)
            #expect(try await control.send("POST", "/up").status == 200)
            #expect(try await client.send("GET", "/csrf_token").status == 200)
        }
    }

    @Test(arguments: ["/expire-sessions", "/advance-clock"])
    func controlCallsEndSessions(_ call: String) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let control = LabClient(sandbox.controlURL)
            #expect(try await control.send("POST", call, body: .json(#"{"seconds":1801}"#)).status == 200)
            #expect(try await client.upload().status == 401)
        }
    }

    @Test func showsLedgerRequestsAndCounters() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            for _ in 1...2 { try await client.upload(key: "twice") }
            let control = LabClient(sandbox.controlURL)
            #expect(try await control.send("GET", "/ledger").json().elements?.count == 2)
            #expect(try await control.send("GET", "/ledger.ndjson").text.split(separator: "\n").count == 2)
            #expect(try await control.send("GET", "/requests").json().elements?.count == 3)
            let counters = try await control.send("GET", "/counters").json()
            #expect(counters["log_ins"] == 1)
            #expect(counters["committed"] == 2)
            #expect(counters["duplicates"]?["twice"]?.elements?.count == 2)
        }
    }

    @Test(arguments: [
        ("POST", "/faults", "{", "the body is not JSON"),
        ("POST", "/faults", "{}", #"expected an object with "fault""#),
        ("POST", "/faults", #"{"fault":"cut","count":[1]}"#, "count: expected text, a number, true or false"),
        ("POST", "/expire-sessions", #"{"remember-tokens":1}"#, "remember-tokens: expected true or false"),
        ("POST", "/advance-clock", #"{"seconds":-1}"#, #"expected {"seconds""#),
        ("POST", "/settings", #"{"second-factor":true}"#, "this backend has no setting 'second-factor': expected one of ignore-"),
        ("POST", "/settings", "[]", "expected an object of settings"),
        ("POST", "/add-person", "[]", "expected an object of profile fields"),
        ("POST", "/add-person", #"{"manager":9}"#, "manager: expected an account"),
        ("POST", "/remove-person", "{}", #"expected {"managed_id""#),
        ("POST", "/remove-person", #"{"managed_id":77}"#, "managed_id: there is no managed user 77"),
        ("GET", "/nothing", "", "unknown request GET /nothing"),
    ])
    func mistakeNamesExpectedValue(_ method: String, _ path: String, _ body: String, _ message: String) async throws {
        try await withSandbox { sandbox, _ async throws in
            let answer = try await LabClient(sandbox.controlURL).send(method, path, body: body.isEmpty ? .none : .json(body))
            #expect((400...404).contains(answer.status))
            #expect(try answer.json()["error"]?.text?.hasPrefix(message) == true)
        }
    }
}
