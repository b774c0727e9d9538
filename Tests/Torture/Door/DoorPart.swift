import Foundation

/// One way to the door: the drop folder, the control socket, the configuration.
protocol DoorPart: Sendable {
    /// One word, as the command line names it.
    static var name: String { get }

    /// Goes on until `deadline`, at least once, everything random made of `seed`; adds what was done, and what was broken.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws
}

extension DoorPart {
    /// What tries the same again.
    static func replay(_ seed: UInt64, _ more: String = "") -> String { "Replay: homing-torture door --part \(name) --seed \(seed)\(more)" }
}

enum DoorParts {
    /// In the order in which they run, each with its share of the time; those without one end by themselves.
    static let all: [(part: any DoorPart, share: Double)] = [
        (RoleMatrix(), 0), (HostileConnections(), 0), (HostileSpool(), 0), (HostileMetadata(), 0.1), (HostileConfiguration(), 0.08),
        (DescribedRequests(), 0.12), (HostileRequests(), 0.7),
    ]
}
