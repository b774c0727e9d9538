import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DescribedBackendTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let profile: String
        let route: String
        var fields: [String] = []
        var document: String?
        /// True if the daemon renews an expired session by itself.
        var renews = true
        var testDescription: String { "\(profile) \(route)" }
    }

    @Test(arguments: [
        Example(
            profile: "breathesafe", route: "measurement", fields: ["user_id=5"], document: #"{"average_measurements":{}}"#, renews: false),
        Example(profile: "breathesafe", route: "create_managed_user", renews: false),
        Example(profile: "labloop", route: "appointment", document: #"{"reason":"mask fit"}"#),
        Example(profile: "aiphoto", route: "register", fields: ["name=Ann", "email=ann@lab.test"]),
        Example(profile: "lists", route: "create_list", fields: ["name=Bread"], renews: false),
        Example(profile: "lists-2026", route: "create_list", fields: ["name=Bread"]),
        Example(profile: "story16", route: "message", fields: ["conversation=c 1"], document: #"{"text":"hello"}"#),
    ])
    func sandboxServesEveryShippedProfile(example: Example) async throws {
        let file = "\(TestStation.project)/config/backends/\(example.profile).yaml"
        let station = try await TestStation(
            .described(DescribedConfiguration(file: file)), profile: example.profile, route: example.route)
        try await station.start()
        try await station.login()
        let options = ["submit", "--route", example.route] + example.fields.flatMap { ["--item", $0] }
        func submit() async throws {
            let submitted = try await station.homing(
                options + (example.document == nil ? ["--no-document"] : ["-"]), input: example.document ?? "")
            #expect(submitted.code == 0, "\(submitted.text)")
        }
        try await submit()
        try await station.event("delivered")
        if example.renews {
            station.sandbox.expireSessions()
            try await submit()
            try await station.event("delivered", count: 2)
        }
        #expect(station.sandbox.ledger.entries.map(\.resource) == Array(repeating: example.route, count: example.renews ? 2 : 1))
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        let out = try await station.homing("logout", "--yes")
        #expect(out.code == 0, "\(out.text)")
    }

    @Test func entryWithLostResponseIsFoundByLookup() async throws {
        let file = "\(TestStation.project)/config/backends/breathesafe.yaml"
        let station = try await TestStation(.described(DescribedConfiguration(file: file)), profile: "breathesafe", route: "measurement")
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        #expect(try await station.event("delivered")?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.count == 1)
    }
}
