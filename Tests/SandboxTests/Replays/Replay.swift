import Sandbox
import Testing

/// Repeats one captured exchange, with its preparation.
struct Replay: Sendable, CustomTestStringConvertible {
    typealias Steps = @Sendable (Sandbox, LabClient) async throws -> [LabAnswer]

    let label: String
    var backend = BreatheSafeConfiguration()
    let steps: Steps

    init(_ label: String, backend: BreatheSafeConfiguration = BreatheSafeConfiguration(), steps: @escaping Steps) {
        self.label = label
        self.backend = backend
        self.steps = steps
    }

    var testDescription: String { label }

    /// A single request while signed out.
    static func anonymous(_ label: String, _ request: @escaping @Sendable (LabClient) async throws -> LabAnswer) -> Replay {
        Replay(label) { _, client in [try await request(client)] }
    }

    static func manager(_ label: String, _ request: @escaping @Sendable (LabClient) async throws -> LabAnswer) -> Replay {
        Replay(label) { _, client in
            try await client.logIn()
            return [try await request(client)]
        }
    }

    static let arkit = "/users/5/facial_measurements_from_arkit"
    static let small = #"{"arkit_data":{"average_measurements":{}}}"#
    static func capture() throws -> String { try fixture("capture-01.json") }

    static let all = sessions + timeouts + managedUsers + measurements + fitTests + bodies
}
