import Foundation

/// A world's plan and steps, which replay it independently of the sampler.
package struct Recording: Sendable, Equatable {
    package var plan: Plan
    package var sabotage: Sabotage?
    package var steps: [Step] = []
    package var violation: Violation?

    package init(_ plan: Plan, sabotage: Sabotage? = nil, steps: [Step] = []) {
        self.plan = plan
        self.sabotage = sabotage
        self.steps = steps
    }

    private struct Header: Codable {
        var plan: Plan
        var sabotage: Sabotage?
        var violation: Violation?
    }

    /// A line of JSON for the plan and the violation, then one for each step.
    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let header = try encoder.encode(Header(plan: plan, sabotage: sabotage, violation: violation))
            let lines = try [header] + steps.map { try encoder.encode($0) }
            return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
        }
    }

    package init(text: String) throws {
        let decoder = JSONDecoder()
        let lines = text.split(separator: "\n").map { Data($0.utf8) }
        guard let first = lines.first else { throw CocoaError(.fileReadCorruptFile) }
        let header = try decoder.decode(Header.self, from: first)
        plan = header.plan
        sabotage = header.sabotage
        violation = header.violation
        steps = try lines.dropFirst().map { try decoder.decode(Step.self, from: $0) }
    }

    package func replay() async throws -> (violation: Violation?, world: World) {
        let world = try World(plan, sabotage: sabotage)
        do {
            try await world.run(steps)
            return (nil, world)
        } catch {
            return (try Violation(of: error), world)
        }
    }

    package static func live(_ plan: Plan, sabotage: Sabotage? = nil) async throws -> (recording: Recording, world: World) {
        let world = try World(plan, sabotage: sabotage)
        var recording = Recording(plan, sabotage: sabotage)
        var sampler = Sampler(plan)
        do {
            for _ in 0..<plan.steps {
                let step = sampler.next(world)
                recording.steps.append(step)
                try await world.take(step)
            }
            try await world.settleDown()
        } catch {
            recording.violation = try Violation(of: error)
        }
        return (recording, world)
    }
}
