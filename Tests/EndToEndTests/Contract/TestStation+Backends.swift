import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

extension TestStation {
    /// Each list has its own lane, and requests carry the entry's id.
    static func lists2026(
        grace: Int = 10, accounts: [SandboxAccount] = ListsConfiguration.labAccounts, delivery: String = shortPauses,
        answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) async throws -> TestStation {
        try await TestStation(
            .lists2026(Lists2026Configuration { ($0.accounts, $0.grace, $0.limits) = (accounts, grace, .none) }), profile: "lists-2026",
            route: "create_list",
            edits: [
                ("timeout: 30", "timeout: 30\nidempotency: {header: Idempotency-Key}"),
                ("    request: POST /api/v1/lists\n", "    request: POST /api/v1/lists\n    lane: lists/{item.name}\n"),
            ], delivery: delivery, answering: answering)
    }

    static func story16(_ configuration: FirebaseConfiguration = FirebaseConfiguration()) async throws -> TestStation {
        try await TestStation(.story16(configuration), profile: "story16", route: "message")
    }

    func signedIn() async throws {
        try await start()
        try await login()
    }

    func createList(_ number: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(route: "create_list", id: Samples.id(number).description, fields: ["name": "list \(number)"]))
    }

    func putMessage(_ number: Int, conversation: String = "c1") async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "message", id: Samples.id(number).description, fields: ["conversation": conversation],
                payload: Data(#"{"text":"message \#(number)"}"#.utf8)))
    }

    func register(_ number: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "register", id: Samples.id(number).description, fields: ["name": "Person \(number)", "email": "p\(number)@lab.test"])
        )
    }

    func appointment(_ number: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "appointment", id: Samples.id(number).description, payload: Data(#"{"doctor":"d\#(number)"}"#.utf8)))
    }

    /// Sends two hundred lists at once with an expired token; `fault` applies to the refresh.
    func sendTwoHundredListsWithExpiredToken(_ fault: Fault) async throws {
        _ = try await client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        for number in 1...200 { try await createList(number) }
        sandbox.expireSessions(rememberTokens: false)
        await sandbox.apply(fault)
        _ = try await client.call(Endpoints.resume, ResumeRequest())
    }

    func unauthorizedLists() -> Int { sandbox.ledger.requestCount("POST", path: "api/v1/lists", status: 401) }

    func waitForUnauthorizedLists(_ count: Int) async { await sandbox.ledger.waits { _ in unauthorizedLists() >= count } }

    func stillSignedIn() async throws {
        #expect(try await status().backends[0].session.state == "signedIn")
        #expect(sandbox.ledger.logInCount == 1)
    }

    func begin(_ arguments: [String], output: Any = FileHandle.nullDevice, input: FileHandle = .nullDevice) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.programs + "/homing")
        process.arguments = arguments + ["--socket", directory("homing.sock")]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return process
    }

    func refreshes(_ status: Int? = nil) -> Int { sandbox.ledger.requestCount("POST", path: "auth/refresh", status: status) }
}
