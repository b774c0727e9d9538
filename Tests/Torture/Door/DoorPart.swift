import Foundation

/// One external interface: the drop folder, the control socket, or the configuration.
protocol DoorPart: Sendable {
    static var name: String { get }

    /// Runs at least once and until `deadline`, with all randomness from `seed`; adds to `outcome`.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws
}

extension DoorPart {
    static func replay(_ seed: UInt64, _ more: String = "") -> String { "Replay: homing-torture door --part \(name) --seed \(seed)\(more)" }
}

enum DoorParts {
    /// In the order of execution, each with its share of the time; 0 for those that end by themselves.
    static let all: [(part: any DoorPart, share: Double)] = [
        (RoleMatrix(), 0), (HostileConnections(), 0), (HostileSpool(), 0), (HostileMetadata(), 0.1), (HostileConfiguration(), 0.08),
        (DescribedRequests(), 0.12), (HostileRequests(), 0.7),
    ]
}
