import Foundation

/// Hostile input to every external interface: the control socket, the drop folder, and the configuration files.
struct DoorCampaign: Campaign {
    static let name = "door"

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        var shares = DoorParts.all.map(\.share).reduce(0, +)
        for (part, share) in DoorParts.all {
            let left = max(.zero, deadline - .now)
            try await part.run(until: share == 0 ? deadline : .now + left * (share / shares), seed: seed, into: &outcome)
            shares -= share
        }
        return outcome
    }
}
