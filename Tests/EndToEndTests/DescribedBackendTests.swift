import ControlAPI
import Foundation
import Glibc
import HTTPTypes
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite struct DescribedBackendTests {
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

    /// The server’s echo and its row of the look-up repeat the payload, so they show that it arrived unchanged.
    @Test func compressedCaptureArrivesUnchanged() async throws {
        let project = TestStation.project
        let (depth, compress) = ("    max_depth: 98\n", "    compress: gzip\n")
        let folder = try TemporaryDirectory()
        let shipped = try String(contentsOfFile: "\(project)/config/backends/breathesafe.yaml", encoding: .utf8)
        try folder.write(shipped.replacing(depth, with: depth + compress), to: "breathesafe.yaml")
        let encodings = Mutex<[String?]>([])
        let station = try await TestStation(
            .described(DescribedConfiguration(file: folder("breathesafe.yaml"))), profile: "breathesafe", route: "measurement",
            edits: [(depth, depth + compress)],
            answering: { request, response in
                if request.path.hasSuffix("facial_measurements_from_arkit") {
                    encodings.withLock { $0.append(request.headers[.contentEncoding]) }
                }
                return response
            })
        try await station.start()
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        for number in 2...3 {
            let capture = "\(project)/Tests/Data/arkit/capture-0\(number).json"
            let submitted = try await station.homing("submit", "--route", "measurement", "--item", "user_id=5", capture)
            #expect(submitted.code == 0, "\(submitted.text)")
            let delivery = try await station.event("delivered", count: number)
            #expect(delivery?.detail["altered"] == nil && (delivery?.detail["foundByLookup"] == "true") == (number == 2))
        }
        // The sandbox answered these; it cut the connection of the second one.
        #expect(encodings.withLock { $0 } == [nil, "gzip"])
        #expect(station.sandbox.ledger.entries.count == 3 && station.sandbox.ledger.duplicates.isEmpty)
        try await station.end(SIGTERM)
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
