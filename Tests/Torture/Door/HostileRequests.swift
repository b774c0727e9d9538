import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Hostile input to the control socket. The daemon must not crash, hang or fail internally, and must have stored everything that it accepted.
struct HostileRequests: DoorPart {
    static let name = "requests"
    /// Runs only the connection with this number.
    var only: UInt64?

    private static let clients = 8

    /// The time per station. Short, since lists of a large outbox would take most of the time.
    private static let life = Duration.seconds(90)

    private struct Count: Sendable {
        var inputs = 0
        var statuses: [Int: Int] = [:]
        var accepted = 0
        var failures: [String] = []
    }

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        var seed = seed
        repeat {
            try await knock(until: min(deadline, .now + Self.life), seed: seed, into: &outcome)
            seed &+= 1
        } while only == nil && outcome.failures.isEmpty && ContinuousClock.now < deadline
    }

    private func knock(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        let station = try await TestStation()
        let process = try await station.start()
        try await station.login()
        await station.sandbox.down()
        let before = try Self.descriptors(process)
        let path = station.directory("homing.sock")
        let counts = await withTaskGroup(of: Count.self, returning: [Count].self) { group in
            for client in 0..<(only == nil ? Self.clients : 1) {
                group.addTask { [only] in
                    await withCheckedContinuation { continuation in
                        // On a thread, since these sockets block.
                        Thread.detachNewThread {
                            let numbers =
                                only.map { stride(from: $0, through: $0, by: 1) }
                                ?? stride(from: UInt64(client), through: .max - 64, by: Self.clients)
                            continuation.resume(returning: Self.knock(path, numbers, seed: seed, until: deadline))
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
            outcome.met("hostile requests", count.inputs)
            for (status, times) in count.statuses {
                outcome.counted(status == 0 ? "closed without an answer" : "answered \(status)", times)
            }
            outcome.failures += count.failures.prefix(3)
        }
        guard process.isRunning else {
            outcome.failures.append("door: the daemon exited with \(process.terminationStatus). \(Self.replay(seed))")
            return
        }
        // Includes entries whose client did not wait for the response. The one id that clients know may have been submitted, and discarded
        // or replaced, once; it is not accepted again.
        let queues = try await station.status().backends.map(\.queue)
        let settled = try await station.client.call(Endpoints.receipts, ReceiptQuery(limit: 1)).receipts.count
        let held = queues.flatMap { [$0.pending, $0.inflight, $0.dead, $0.held] }.reduce(settled, +)
        outcome.acknowledged += accepted
        if held < accepted {
            outcome.lost += accepted - held
            outcome.failures.append("door: \(accepted) were acknowledged, but only \(held) exist, in \(queues). \(Self.replay(seed))")
        }
        // Idle connections close within their timeouts; only descriptors that stay are a leak.
        let patience = ContinuousClock.now + .seconds(300)
        while try Self.descriptors(process) > before + 8, ContinuousClock.now < patience { try await Task.sleep(for: .milliseconds(200)) }
        let after = try Self.descriptors(process)
        if after > before + 8 { outcome.failures.append("door: open descriptors grew from \(before) to \(after). \(Self.replay(seed))") }
        try await station.end(SIGTERM)
        await station.sandbox.stop()
    }

    static func descriptors(_ process: Process) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Opens one connection for each number. Its inputs depend only on the seed and the number.
    private static func knock(
        _ path: String, _ numbers: some Sequence<UInt64>, seed: UInt64, until deadline: ContinuousClock.Instant
    ) -> Count {
        var count = Count()
        for number in numbers {
            var source = HostileInput(generator: SplitMix64(seed: seed &+ number &* 0x9e37_79b9_7f4a_7c15))
            let inputs = source.connection()
            guard let connection = DoorConnection(path) else {
                count.failures.append("door: the daemon no longer accepts connections. \(replay(seed, " --number \(number)"))")
                break
            }
            let bytes = Array(inputs.joined())
            let answers = connection.exchange(bytes)
            func place() -> String {
                "\(String(decoding: bytes.prefix(160), as: UTF8.self).debugDescription). \(replay(seed, " --number \(number)"))"
            }
            guard let answers else {
                count.failures.append("door: neither an answer nor a close within 20 s for \(place())")
                continue
            }
            // An input that ends the connection is the last one that was read.
            count.inputs += min(inputs.count, answers.count + 1)
            if answers.count < inputs.count { count.statuses[0, default: 0] += 1 }
            for answer in answers {
                count.statuses[answer.status, default: 0] += 1
                if answer.status == 201 { count.accepted += 1 }
                if answer.status == 500 { count.failures.append("door: got status 500 for one of \(place())") }
            }
            if ContinuousClock.now >= deadline { break }
        }
        return count
    }
}
