import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// The control socket under hostile input: it neither ends nor hangs nor fails inside, and accepts only what it says that it has accepted.
struct DoorCampaign: Campaign {
    static let name = "door"

    /// What a client was told, and what the daemon was like then.
    private struct Count: Sendable {
        var inputs = 0
        var statuses: [Int: Int] = [:]
        var accepted = 0
        var silent: [String] = []
        var failedInside: [String] = []
    }

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        let station = try await TestStation()
        let process = try await station.start()
        try await station.login()
        await station.sandbox.down()
        let before = try Self.descriptors(process)
        let path = station.directory("homing.sock")
        let counts = await withTaskGroup(of: Count.self, returning: [Count].self) { group in
            for client in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        // Sockets that block, hence a thread of its own.
                        Thread.detachNewThread {
                            continuation.resume(returning: Self.knock(path, SplitMix64(seed: seed &+ UInt64(client)), until: deadline))
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var accepted = 0
        for count in counts {
            outcome.rounds += count.inputs
            accepted += count.accepted
            for (status, times) in count.statuses { outcome.met(status == 0 ? "closed without an answer" : "answered \(status)", times) }
            outcome.failures += count.silent.prefix(3).map { "door seed \(seed): no answer and no end within 20 s to \($0)" }
            outcome.failures += count.failedInside.prefix(3).map { "door seed \(seed): failed inside at \($0)" }
        }
        guard process.isRunning else {
            outcome.failures.append("door seed \(seed): the daemon has ended")
            return outcome
        }
        let held = try await station.status().backends.reduce(0) { $0 + $1.queue.pending + $1.queue.dead + $1.queue.held }
        outcome.acknowledged = accepted
        // Accepted for a client that did not stay for the answer.
        outcome.met("accepted unheard", max(0, held - accepted))
        if held < accepted {
            outcome.lost = accepted - held
            outcome.failures.append("door seed \(seed): \(accepted) were acknowledged and \(held) are there")
        }
        // Connections end within the limits for idle ones; only what stays is a leak.
        let patience = ContinuousClock.now + .seconds(30)
        while try Self.descriptors(process) > before + 8, ContinuousClock.now < patience { try await Task.sleep(for: .milliseconds(200)) }
        let after = try Self.descriptors(process)
        if after > before + 8 { outcome.failures.append("door seed \(seed): \(before) descriptors have become \(after)") }
        try await station.end(SIGTERM)
        return outcome
    }

    private static func descriptors(_ process: Process) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    private static func knock(_ path: String, _ generator: SplitMix64, until deadline: ContinuousClock.Instant) -> Count {
        var count = Count()
        var inputs = HostileInput(generator: generator)
        repeat {
            let input = inputs.next()
            count.inputs += 1
            guard let connection = DoorConnection(path) else { continue }
            let answers = connection.exchange(input)
            if answers == nil { count.silent.append(String(decoding: input.prefix(200), as: UTF8.self)) }
            if answers?.isEmpty == true { count.statuses[0, default: 0] += 1 }
            for answer in answers ?? [] {
                count.statuses[answer, default: 0] += 1
                if answer == 201 { count.accepted += 1 }
                if answer == 500 { count.failedInside.append(String(decoding: input.prefix(200), as: UTF8.self)) }
            }
        } while ContinuousClock.now < deadline
        return count
    }
}
