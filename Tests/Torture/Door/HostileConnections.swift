import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import TestSupport

/// Connections that no good client makes: too many, silent, half-closed, for another host, or in another protocol. Good clients must be served
/// meanwhile.
struct HostileConnections: DoorPart {
    static let name = "connections"

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        Self.allowManyDescriptors()
        let station = try await TestStation()
        let process = try await station.startUnprivileged(as: RoleMatrix.ownUser)
        try await station.login()
        await station.sandbox.down()
        let socket = station.directory("homing.sock")
        chmod(socket, 0o666)
        chmod(station.directory.path, 0o755)
        let before = try HostileRequests.descriptors(process)
        func fail(_ words: String) { outcome.failures.append("door: \(words). \(Self.replay(seed))") }

        for exchange in HostileExchange.all {
            outcome.met("hostile exchanges over a connection")
            guard let answers = await Self.onAThread({ DoorConnection(socket)?.exchange(exchange.bytes) ?? nil }) else {
                fail("\(exchange.words): neither an answer nor a close within 20 s")
                continue
            }
            let statuses = answers.map(\.status)
            if !exchange.isRight(statuses) { fail("\(exchange.words): got \(statuses.prefix(9)) \(answers.first?.body.prefix(200) ?? "")") }
        }
        let accepted = try await station.entries().count
        if accepted != HostileExchange.accepted { fail("\(accepted) submissions were accepted, expected \(HostileExchange.accepted)") }

        var crowds: [(words: String, caller: Caller?)] = [("idle connections of the daemon’s own user", nil)]
        if geteuid() == 0 { crowds.insert(("idle connections of a user without a role", Caller(uid: 64_001, gid: 64_001)), at: 0) }
        for crowd in crowds {
            let wrong = await Self.onAThread { Self.crowd(1000, as: crowd.caller, socket) }
            outcome.met(crowd.words, 1000)
            if let wrong { fail("\(crowd.words): \(wrong)") }
            let patience = ContinuousClock.now + .seconds(300)
            while try HostileRequests.descriptors(process) > before + 8, ContinuousClock.now < patience {
                try await Task.sleep(for: .milliseconds(50))
            }
            _ = try await station.status()
        }
        let after = try HostileRequests.descriptors(process)
        if after > before + 8 { fail("open descriptors grew from \(before) to \(after)") }
        if !process.isRunning { fail("the daemon exited") }
        try await station.end(SIGTERM)
        await station.sandbox.stop()
        outcome.rounds += 1
    }

    private static func allowManyDescriptors() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(kind, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }

    private static func onAThread<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in Thread.detachNewThread { continuation.resume(returning: work()) } }
    }

    private static let status = Array("GET /v1/status HTTP/1.1\r\nHost: homing\r\n\r\n".utf8)

    /// Opens many connections that send nothing or half a request. Returns what went wrong for another client.
    private static func crowd(_ count: Int, as caller: Caller?, _ socket: String) -> String? {
        var idle: [IdleConnection] = []
        defer { withExtendedLifetime(idle) {} }
        for number in 0..<count {
            guard let connection = IdleConnection(socket, as: caller) else { continue }
            if number % 3 == 0 { connection.send(Array("GET /v1/status HTTP/1.1\r\nHo".utf8)) }
            idle.append(connection)
        }
        for _ in 0..<20 {
            let answer = DoorConnection(socket)?.exchange(status)?.first
            // Root and the daemon's user may take all places. Then another client gets 503 or no response.
            if caller == nil, answer == nil || answer?.status == 503 { continue }
            if answer?.status != 200 { return "another client got \(answer.map { "\($0.status)" } ?? "no answer")" }
        }
        return nil
    }
}
