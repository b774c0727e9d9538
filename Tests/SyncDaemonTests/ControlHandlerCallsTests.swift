import ControlAPI
import ControlServer
import Testing
import Yams

@testable import SyncDaemon

@Suite struct ControlHandlerCallsTests {
    /// An endpoint without a function is missing here.
    @Test func answersExactlyTheDescribedCallsWithTheirRoles() async throws {
        let description = try #require(try compose(yaml: String(decoding: InterfaceDescription.yaml, as: UTF8.self)))
        let described = (description["paths"]?.mapping ?? [:]).flatMap { path, item in
            (item.mapping ?? [:]).map { method, operation in
                "\((method.string ?? "").uppercased()) \(path.string ?? "") \(operation["x-required-role"]?.string ?? "")"
            }
        }
        try await DaemonStation.with { station in
            let calls = try await station.daemon().handler.service.calls
            #expect(described.count > 30)
            #expect(calls.map { "\($0.name) \($0.access)" }.sorted() == described.sorted())
        }
    }
}
