import ControlAPI
import Foundation
import HTTPTypes
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// The numbers in the test names are those of the contract.
@Suite struct ProfileContractTests {
    private static let golden = TestStation.project + "/Tests/BackendsTests/Fixtures/Requests"
    private static let id = "0198c0de-0000-7000-8000-000000000001"
    private static let payload = Data(#"{"average_measurements":{"14-818":{"value":17.25}}}"#.utf8)

    private static let manualMeasurement = [
        "user_id": "5", "source": "a source", "face_width": "a face_width", "jaw_width": "a jaw_width", "face_depth": "a face_depth",
        "face_length": "a face_length", "lower_face_length": "a lower_face_length", "bitragion_menton_arc": "a bitragion_menton_arc",
        "bitragion_subnasale_arc": "a bitragion_subnasale_arc", "nasal_root_breadth": "a nasal_root_breadth",
        "nose_protrusion": "a nose_protrusion", "nose_bridge_height": "a nose_bridge_height", "lip_width": "a lip_width",
        "head_circumference": "a head_circumference", "nose_breadth": "a nose_breadth", "cheek_fullness": "a cheek_fullness",
    ]

    /// Submissions that cause each request, with and without optional fields.
    private static let handedIn: [String: [(route: String, fields: [String: String], takesPayload: Bool)]] = [
        "aiphoto": [
            ("process_image", ["template_id": "a template_id", "image_base64": "a image_base64"], false),
            ("purchase", ["transaction_data": "a transaction_data", "product_id": "a product_id"], false),
            ("register", ["name": "a name", "email": "a email"], false),
            ("register", ["name": "a name", "email": "a email", "avatar_url": "a avatar_url"], false),
        ],
        "breathesafe": [
            ("create_managed_user", [:], false),
            ("profile", ["user_id": "5"], true), ("measurement", ["user_id": "5"], true), ("fit_test", ["user_id": "5"], true),
            ("manual_measurement", ["user_id": "5"], false), ("manual_measurement", manualMeasurement, false),
        ],
        "labloop": [("appointment", [:], true)],
        "lists": lists(["list_id": "5", "title": "a title", "due_at": "a due_at"]),
        "lists-2026": lists(["list_id": "5", "title": "a title"]),
        "story16": [("message", ["conversation": "a conversation"], true)],
    ]

    /// - Parameter task: the required fields of a new task.
    private static func lists(_ task: [String: String]) -> [(route: String, fields: [String: String], takesPayload: Bool)] {
        let most = task.merging(["due_at": "a due_at", "note": "a note", "priority": "a priority"]) { first, _ in first }
        return [
            ("create_list", ["name": "a name"], false), ("create_list", ["name": "a name", "description": "a description"], false),
            ("rename_list", ["list_id": "5"], true), ("create_task", task, false), ("create_task", most, false),
            ("edit_task", ["task_id": "5"], true), ("complete_task", ["task_id": "5"], false),
            ("reopen_task", ["task_id": "5"], false),
        ]
    }

    /// One response that satisfies every profile, with the tokens of the golden files.
    private static let answer = #"""
        {"success":true,"id":"7","email":"ann@lab.test","user":{"id":"7","email":"ann@lab.test"},"localId":"7","user_id":"7",
        "idToken":"the-access-token","refreshToken":"the-refresh-token","id_token":"the-access-token","token":"the-access-token",
        "refresh_token":"the-refresh-token","currentUser":{"id":"7"},"csrf_token":"the-csrf-token","managed_user":{"managed_id":1},
        "profile":{},"facial_measurement":{"id":1,"user_id":5},"fit_test":{"id":1},"facial_measurements":[],
        "list_id":5,"completed_at":"now","list":{"id":"7"},"task":{"id":"7","list_id":5,"completed_at":"now"},
        "data":{"accessToken":"the-access-token","refreshToken":"the-refresh-token","user":{"_id":"7","email":"ann@lab.test"},
        "tokens":{"accessToken":"the-access-token","refreshToken":"the-refresh-token"}}}
        """#

    /// Answers so that the daemon also refreshes and looks up.
    private final class Server: Sendable {
        private struct State {
            var received: [SandboxRequest] = []
            var refusesNext = false
            /// Makes the daemon look up the first measurement.
            var losesMeasurement = true
        }
        private let state = Mutex(State())
        var received: [SandboxRequest] { state.withLock { $0.received } }

        func refuseNext() { state.withLock { $0.refusesNext = true } }

        var answering: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
            { request, _ in
                self.state.withLock { state in
                    state.received.append(request)
                    if state.refusesNext {
                        state.refusesNext = false
                        return .json(401, .object([:]))
                    }
                    if state.losesMeasurement, request.path.hasSuffix("_from_arkit") {
                        state.losesMeasurement = false
                        return .json(500, .object([:]))
                    }
                    var answer = SandboxResponse(
                        status: request.method == "POST" ? 201 : 200, headers: [.contentType: "application/json"],
                        body: Array(ProfileContractTests.answer.utf8))
                    if request.path.hasSuffix("/log_in") { answer.headers[.setCookie] = "session=the-session-cookie; path=/; HttpOnly" }
                    return answer
                }
            }
        }
    }

    @Test("33: the server receives exactly the documented requests", arguments: ProfileContractTests.handedIn.keys.sorted())
    func serverReceivesExactlyTheDocumentedRequests(profile: String) async throws {
        let text = try String(contentsOfFile: "\(Self.golden)/\(profile).txt", encoding: .utf8)
        // The station has no resources: RosterTests, RosterWireTests and PeopleDeleteTests meet these requests.
        let documented = try text.split(separator: "\n---\n").filter { !$0.contains("# resource ") && !$0.contains(", row 1\n") }
            .map { try #require(GoldenRequest($0), "\($0)") }
        let server = Server()
        let station = try await TestStation(.story16(), profile: profile, route: "none", answering: server.answering)
        try await station.start()
        let login = ["login", "--email", "ann@lab.test", "--password-stdin"]
        #expect(try await station.homing(login, input: "the-password").code == 0)

        if text.contains("# refresh\n") { server.refuseNext() }
        let entries = try #require(Self.handedIn[profile])
        for (number, entry) in entries.enumerated() {
            _ = try await station.client.call(
                Endpoints.submit,
                ControlAPI.Submission(
                    route: entry.route, id: Samples.id(number).description, fields: entry.fields,
                    payload: entry.takesPayload ? Self.payload : nil))
        }
        try await station.event("delivered", count: entries.count)
        #expect(try await station.homing("logout", "--yes").code == 0)
        if text.contains("# logout of all devices\n") {
            #expect(try await station.homing(login, input: "the-password").code == 0)
            #expect(try await station.homing("logout", "--yes", "--all-devices").code == 0)
        }

        let device = try String(contentsOfFile: station.directory("state/device-id"), encoding: .utf8)
        var known = [device.trimmingCharacters(in: .newlines): "device-1", "homing/\(HomingVersion.current)": "homing/1.0"]
        for number in entries.indices { known[Samples.id(number).description] = Self.id }
        let received = server.received.map { GoldenRequest($0, replacing: known) }
        #expect(Set(documented).subtracting(received) == [], "documented, and never received")
        #expect(Set(received).subtracting(documented) == [], "received, and not documented")
        // No golden file has the CSRF token.
        for request in server.received where !["GET", "HEAD"].contains(request.method) {
            let isAsked = profile == "breathesafe" && !request.path.hasSuffix("/log_in") && !request.path.hasSuffix("/log_out")
            let token = request.headers.first { $0.name.canonicalName == "x-csrf-token" }?.value
            #expect(token == (isAsked ? "the-csrf-token" : nil), "\(request.path)")
        }
        try await station.end(SIGTERM)
    }

    @Test func everyShippedProfileIsTested() throws {
        let shipped = try FileManager.default.contentsOfDirectory(atPath: TestStation.project + "/config/backends")
            .map { $0.replacing(".yaml", with: "") }
        #expect(Set(shipped) == Set(Self.handedIn.keys).union(["firebase"]))
    }
}
