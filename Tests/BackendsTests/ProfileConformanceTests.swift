import Foundation
import SyncModel
import Testing

@testable import Backends
@testable import Sessions

@Suite struct ProfileConformanceTests {
    private static let golden = ShippedProfiles.project + "/Tests/BackendsTests/Fixtures/Requests"

    private static func backend(_ name: String) throws -> Backend {
        try #require(try ShippedProfiles.backends().first { $0.name == name }, "\(name) is no backend")
    }

    @Test func everyFileIsABackendOrAPreset() throws {
        let backends = Set(try ShippedProfiles.backends().map(\.name))
        #expect(backends.isSuperset(of: ["aiphoto", "breathesafe", "labloop", "lists", "lists-2026", "story16"]))
        #expect(try Set(ShippedProfiles.files().keys) == backends.union(ShippedProfiles.presets()))
        #expect(try ShippedProfiles.names() == backends.sorted(), "a backend that no test below is asked about")
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.golden)) == Set(backends.map { "\($0).txt" }))
    }

    @Test("33: each profile makes the documented requests", arguments: try ShippedProfiles.names())
    func makesTheDocumentedRequests(name: String) async throws {
        let backend = try Self.backend(name)
        let requests = try await ConformanceRequests(backend).all
        let expected = try String(contentsOfFile: "\(Self.golden)/\(name).txt", encoding: .utf8)
        let made = requests.map(Self.text).joined(separator: "\n---\n") + "\n"
        #expect(made == expected)
        #expect(try await ConformanceRequests(backend).all.map(\.request) == requests.map(\.request), "the same again, other requests")
    }

    @Test("descriptions of requests and credentials contain no secrets", arguments: try ShippedProfiles.names())
    func noSecretIsInAnyDescription(name: String) async throws {
        let made = try await ConformanceRequests(try Self.backend(name))
        var record = SessionRecord(address: made.backend.address)
        record.credentials = ConformanceRequests.credentials
        var holders: [Any] = made.all.map(\.request)
        holders += [made.all.map(\.request), ConformanceRequests.refused, ConformanceRequests.credentials, record]
        holders.append(SignInMethod.password(email: "ann@lab.test", Secret("the-password")))
        if let refusal = made.refusal { holders.append(refusal) }
        #expect((made.refusal != nil) == (made.backend.profile.auth.login != nil))
        for holder in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            for text in [String(describing: holder), String(reflecting: holder), dumped] {
                #expect(!ConformanceRequests.secrets.contains { text.contains($0) }, "\(type(of: holder))")
            }
        }
        // The control: the requests do contain secrets.
        let sent = made.all.map(Self.text).joined()
        #expect(ConformanceRequests.secrets.contains { sent.contains($0) })
    }

    @Test func profileInTheGuideIsValid() throws {
        let guide = try String(
            contentsOfFile: ShippedProfiles.project + "/Sources/SyncDaemon/Documentation.docc/AddingABackend.md", encoding: .utf8)
        let begin = try #require(guide.range(of: "```yaml\n"))
        let end = try #require(guide.range(of: "```", range: begin.upperBound..<guide.endIndex))
        let backends = try load(["notes.yaml": String(guide[begin.upperBound..<end.lowerBound])])
        #expect(backends.map(\.name) == ["notes"])
        #expect(backends.first?.routes == ["note"])
    }

    private static func text(_ name: String, _ request: OutboundRequest) -> String {
        let headers = request.headers.map { "\($0.name): \($0.value)" }.sorted()
        let body = request.body.map { ["", String(decoding: $0, as: UTF8.self)] } ?? []
        return (["# \(name)", "\(request.method) \(request.url)"] + headers + body).joined(separator: "\n")
    }
}
