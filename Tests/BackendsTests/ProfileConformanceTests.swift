import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends

/// Every profile that is shipped: it loads, and makes the requests that its backend documents, byte for byte.
@Suite struct ProfileConformanceTests {
    private static let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../config/backends").standardized.path
    private static let golden = URL(fileURLWithPath: #filePath).appendingPathComponent("../Fixtures/Requests").standardized.path

    private static let backends: [Backend] =
        (try? ProfileLibrary.load(directory: folder, deviceID: "device-1", version: "1.0")) ?? []

    @Test func everyFileIsABackendOrWhatOneExtends() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).map { $0.replacing(".yaml", with: "") }
        #expect(Set(files) == Set(Self.backends.map(\.name)).union(["firebase"]))
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.golden)) == Set(Self.backends.map { "\($0.name).txt" }))
    }

    @Test("33: each profile makes the documented requests", arguments: backends.map(\.name)) func theRequestsAreTheDocumentedOnes(
        name: String
    ) throws {
        let backend = try #require(Self.backends.first { $0.name == name })
        let requests = try Self.requests(of: backend)
        let expected = try String(contentsOfFile: "\(Self.golden)/\(name).txt", encoding: .utf8)
        #expect(requests.map(Self.text).joined(separator: "\n---\n") + "\n" == expected)
        #expect(try Self.requests(of: backend).map(\.request) == requests.map(\.request), "the same mutation, another request")
        for (_, request) in requests { #expect(!Self.secrets.contains { "\(request)".contains($0) }, "\(request)") }
    }

    @Test func theProfileOfTheGuideIsGood() throws {
        let project = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized.path
        let guide = try String(contentsOfFile: project + "/Sources/SyncDaemon/Documentation.docc/AddingABackend.md", encoding: .utf8)
        let begin = try #require(guide.range(of: "```yaml\n"))
        let end = try #require(guide.range(of: "```", range: begin.upperBound..<guide.endIndex))
        let backends = try load(["notes.yaml": String(guide[begin.upperBound..<end.lowerBound])])
        #expect(backends.map(\.name) == ["notes"])
        #expect(backends.first?.routes == ["note"])
    }

    private static let secrets = ["the-password", "the-access-token", "the-refresh-token"]
    private static let payload = Data(#"{"average_measurements":{"14-818":{"value":17.25}}}"#.utf8)
    /// Something for every field that a route may ask for.
    private static let fields: [String: JSONValue] = [
        "user_id": 5, "managed_user_id": 6, "name": "Ann", "email": "ann@lab.test", "template_id": "t1", "image_base64": "aW1n",
        "transaction_data": "tx", "product_id": "p1", "conversation": "c 1",
    ]

    /// Every request that the profile describes, in a fixed order, with credentials where they go.
    private static func requests(of backend: Backend) throws -> [(name: String, request: OutboundRequest)] {
        let auth = backend.profile.auth
        let tokens = Tokens(access: Secret("the-access-token"), refresh: Secret("the-refresh-token"), receivedAt: noon)
        let inputs: [String: JSONValue] = [
            "email": "ann@lab.test", "password": "the-password", "refresh": "the-refresh-token", "access": "the-access-token",
        ]
        let values = TemplateValues(subject: "A test", inputs: inputs)
        var requests: [(String, OutboundRequest)] = []
        func add(_ name: String, _ template: RequestTemplate?) throws {
            if let template { requests.append((name, try template.render(values))) }
        }
        try add("login", auth.login?.request)
        try add("refresh", auth.refresh?.request)
        try add("logout", auth.logout.request)
        try add("logout of all devices", auth.logout.requestForAll)
        for route in backend.routes {
            let takesPayload = backend.profile.routes[route]?.request.json?.takesPayload == true
            let mutation = mutation(route, fields: fields, payload: takesPayload ? payload : nil)
            var request = try backend.request(for: mutation)
            if auth.scheme == .bearer {
                BearerScheme(backend: backend, clock: TestClock()).authorize(&request, with: Credentials(tokens: tokens))
            }
            requests.append(("route \(route)", request))
            if let lookup = try backend.lookup(for: mutation) { requests.append(("look-up \(route)", lookup)) }
        }
        return requests
    }

    private static func text(_ name: String, _ request: OutboundRequest) -> String {
        let headers = request.headers.map { "\($0.name): \($0.value)" }.sorted()
        let body = request.body.map { ["", String(decoding: $0, as: UTF8.self)] } ?? []
        return (["# \(name)", "\(request.method) \(request.url)"] + headers + body).joined(separator: "\n")
    }
}
