import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension TestStation {
    /// Lists with families of refresh tokens; every list has a lane of its own, and its id goes with it.
    static func lists2026(grace: Int = 10, delivery: String = shortPauses) async throws -> TestStation {
        try await TestStation(
            .lists2026(Lists2026Configuration(grace: grace, limits: .none)), profile: "lists-2026", route: "create_list",
            edits: [
                ("timeout: 30", "timeout: 30\nidempotency: {header: Idempotency-Key}"),
                ("    request: POST /api/v1/lists\n", "    request: POST /api/v1/lists\n    lane: lists/{item.name}\n"),
            ], delivery: delivery)
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

    func putMessage(_ number: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "message", id: Samples.id(number).description, fields: ["conversation": "c1"],
                payload: Data(#"{"text":"message \#(number)"}"#.utf8)))
    }

    func appointment(_ number: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "appointment", id: Samples.id(number).description, payload: Data(#"{"doctor":"d\#(number)"}"#.utf8)))
    }

    /// How often Lists was asked for new tokens, and answered so.
    func refreshes(_ status: Int? = nil) -> Int { sandbox.ledger.requestCount("POST", path: "auth/refresh", status: status) }
}
