import ControlAPI
import ControlServer
import Foundation
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// The callers in these tests count as ordinary users.
@Suite struct LimitTests {
    private static let ordinary = AccessPolicy(administrators: [])
    private static let status = "GET /v1/status HTTP/1.1\r\nHost: homing\r\n\r\n"

    private static func limits(_ change: (inout ControlLimits) -> Void) -> ControlLimits {
        var limits = ControlLimits()
        change(&limits)
        return limits
    }

    // MARK: Sizes

    @Test func refusesLongAddressesAndHeaders() async throws {
        try await Served.with(FakeService()) { served in
            for (path, header) in [
                ("/v1/status?x=" + String(repeating: "x", count: 17_000), ""), ("/v1/status", String(repeating: "y", count: 17_000)),
            ] {
                let (problem, _) = try await served.problem(.GET, path, headers: [("X-Filler", header)])
                #expect(problem.status == 431)
                #expect(problem.code == .tooLarge)
            }
            let connection = try RawConnection(served.client.socketPath)
            connection.send("GET /v1/status HTTP/1.1\r\nHost: homing\r\nX-Filler: \(String(repeating: "z", count: 40_000))\r\n\r\n")
            let answer = await connection.read(until: "\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
        }
    }

    @Test(arguments: ["/v1/sessions", "/v1/sync", "/v1/entries/00000000-0000-7000-8000-000000000001/retry"])
    func smallCallsRefuseLargeBodies(path: String) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let (problem, _) = try await served.problem(.POST, path, body: ByteBuffer(repeating: 0x20, count: 64 << 10 + 1))
            #expect(problem.status == 413)
            #expect(problem.detail == "The body is larger than 64 KiB, the limit for this call.")
        }
        #expect(service.calls.isEmpty)
    }

    /// A client that still sends would only see a broken connection.
    @Test func clientRefusesTooLargePayloadItself() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let submission = Submission(route: "measurement", payload: Data("\"\(String(repeating: "a", count: 34 << 20))\"".utf8))
            let problem = await #expect(throws: Problem.self) { try await served.client.call(Endpoints.submit, submission) }
            #expect(problem?.code == .tooLarge && problem?.status == 413)
        }
        #expect(service.calls.isEmpty)
    }

    /// A client that keeps sending would wait.
    @Test(arguments: ["GET /v1/status HTTP/1.1\r\nX: \(String(repeating: "a", count: 100_000))", "EHLO mail.example\r\n\r\n"])
    func answersAndClosesConnectionWithInvalidHTTP(text: String) async throws {
        var limits = ControlLimits()
        limits.idle = .hours(1)
        try await Served.with(FakeService(), limits: limits) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send(text)
            #expect(await connection.read().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func refusesTooLargeContentLengthBeforeBody() async throws {
        try await Served.with(FakeService()) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send("POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nContent-Length: 99999999999\r\n\r\n")
            #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func countsChunkedBodyAsItArrives() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send("POST /v1/sync HTTP/1.1\r\nHost: homing\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "8000\r\n" + String(repeating: " ", count: 0x8000) + "\r\n"
            for _ in 0..<3 { connection.send(chunk) }
            #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 413"))
        }
        #expect(service.calls.isEmpty)
    }

    @Test(arguments: ["Content-Length: 20\r\n\r\n{\"a\": 1}", "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"a\": 1}\r\n"])
    func truncatedBodyIsNotAccepted(rest: String) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send("POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\n\(rest)")
            connection.finishSending()
            let answer = await connection.read()
            #expect(!answer.contains(" 201 "))
        }
        #expect(service.calls.isEmpty)
    }

    @Test(arguments: [
        "Content-Length: 20\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n8\r\n{}", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    ])
    func brokenBodyLogsNoError(rest: String) async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send("POST /v1/sync HTTP/1.1\r\nHost: homing\r\n\(rest)")
            connection.finishSending()
            let answer = await connection.read()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
        }
        #expect(lines.all.filter { $0.level >= .error } == [])
    }

    @Test func answersExpectContinue() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let call = "POST /v1/sync HTTP/1.1\r\nHost: homing\r\nExpect: 100-continue\r\n"
            let connection = try RawConnection(served.client.socketPath)
            connection.send(call + "Content-Length: 2\r\n\r\n")
            #expect(await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send("{}")
            #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 200 OK\r\n"))
            // The server refuses this request before the body is sent.
            let refused = try RawConnection(served.client.socketPath)
            refused.send(call + "Content-Length: 99999999\r\n\r\n")
            #expect(await refused.read(until: "}").hasPrefix("HTTP/1.1 413"))
        }
        #expect(service.calls.count == 1)
    }

    @Test func largeBodyWithoutTurnGetsRetryAfter() async throws {
        let service = FakeService()
        try await Served.with(service, limits: Self.limits { ($0.bodiesPerUser, $0.turn) = (34 << 20, .zero) }) { served in
            let head =
                "POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nExpect: 100-continue\r\nContent-Length: 20000000\r\n\r\n"
            let first = try RawConnection(served.client.socketPath)
            first.send(head)
            let second = try RawConnection(served.client.socketPath)
            second.send(head)
            // The first request to arrive gets its turn; the other is refused.
            let refusal = await Self.either(first, second)
            #expect(refusal.hasPrefix("HTTP/1.1 503"))
            #expect(refusal.lowercased().contains("retry-after: 1"))
            #expect(refusal.contains(#""code":"busy""#))
        }
    }

    /// A broken connection would look like a stopped daemon.
    @Test func clientReportsDaemonBusyWithAnotherLargePayload() async throws {
        try await Served.with(FakeService(), limits: Self.limits { ($0.bodiesPerUser, $0.turn) = (33 << 20, .zero) }) { served in
            let first = try RawConnection(served.client.socketPath)
            first.send(
                "POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nExpect: 100-continue\r\nContent-Length: 30000000\r\n\r\n")
            #expect(await first.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            let submission = Submission(route: "r", payload: Data("\"\(String(repeating: "a", count: 30 << 20))\"".utf8))
            let problem = await #expect(throws: Problem.self) { try await served.client.call(Endpoints.submit, submission) }
            #expect(problem?.code == .busy, "\(String(describing: problem))")
            withExtendedLifetime(first) {}
        }
    }

    @Test func largeBodiesOfOneUserAreReadInTurn() async throws {
        let service = FakeService()
        try await Served.with(service, limits: Self.limits { $0.bodiesPerUser = 1 << 20 }) { served in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...4 {
                    let payload = Data("\"\(String(repeating: "\(number)", count: 900_000))\"".utf8)
                    group.addTask { _ = try await served.client.call(Endpoints.submit, Submission(route: "r", payload: payload)) }
                }
                try await group.waitForAll()
            }
        }
        #expect(service.calls.count == 4)
    }

    private static func either(_ a: RawConnection, _ b: RawConnection) async -> String {
        await withTaskGroup(of: String.self) { group in
            for connection in [a, b] { group.addTask { await connection.read(until: "}") } }
            let answer = await group.next() ?? ""
            // This ends the other read.
            a.finishSending()
            b.finishSending()
            return answer
        }
    }

    // MARK: Time

    @Test(arguments: [
        "POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nContent-Length: 9999999\r\n\r\n",
        "POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /v1/entries?route=r HTTP/1.1\r\nHost: homing\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n",
        "POST /v1/nothing HTTP/1.1\r\nHost: homing\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func cutsEndlesslySlowBody(head: String) async throws {
        let service = FakeService()
        let limits = Self.limits { limits in (limits.body, limits.idle) = (.milliseconds(200), .seconds(3600)) }
        try await Served.with(service, limits: limits) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send(head)
            try await dribble(connection, head.contains("chunked") ? "1\r\n \r\n" : " ")
        }
        #expect(service.calls.isEmpty)
    }

    @Test func cutsEndlesslySlowHeader() async throws {
        let limits = Self.limits { $0.idle = .seconds(2) }
        try await Served.with(FakeService(), limits: limits) { served in
            for isUsed in [false, true] {
                let connection = try RawConnection(served.client.socketPath)
                if isUsed {
                    connection.send(Self.status)
                    #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 200"))
                }
                connection.send("GET /v1/status HTTP/1.1\r\n")
                try await dribble(connection, "X-A: b\r\n", atMost: 2000)
            }
        }
    }

    @Test func closesSilentConnection() async throws {
        try await Served.with(FakeService(), limits: Self.limits { $0.idle = .milliseconds(100) }) { served in
            let connection = try RawConnection(served.client.socketPath)
            #expect(await connection.read() == "")
        }
    }

    private func dribble(_ connection: RawConnection, _ bit: String, atMost limit: Int = .max) async throws {
        var count = 0
        while connection.send(bit), count < limit {
            count += 1
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(count < limit)
    }

    // MARK: Connections

    @Test func limitsConnectionsPerUserIncludingIdleOnes() async throws {
        let limits = Self.limits { $0.connectionsPerUser = 3 }
        try await Served.with(FakeService(), policy: Self.ordinary, limits: limits) { served in
            var open: [RawConnection] = []
            for _ in 0..<3 {
                let connection = try RawConnection(served.client.socketPath)
                connection.send(Self.status)
                #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 200"))
                open.append(connection)
            }
            let fourth = try RawConnection(served.client.socketPath)
            fourth.send(Self.status)
            let answer = await fourth.read()
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.contains("Retry-After: 1\r\n"))
            #expect(answer.contains("Content-Type: application/problem+json\r\n"))
            #expect(answer.contains(#""code":"busy""#))
            #expect(answer.contains("Too many connections of this user are open to the daemon."))

            await #expect { _ = try await served.client.call(Endpoints.status, NoInput()) } throws: { ($0 as? Problem)?.code == .busy }
            open.removeLast()
            try await untilServed(served)
        }
    }

    @Test func daemonUserHasOnlyTheTotalLimit() async throws {
        let limits = Self.limits { limits in (limits.connectionsPerUser, limits.connections, limits.reserved) = (1, 4, 1) }
        #expect(try await Self.answers(AccessPolicy(), limits) == ["200", "200", "200", "200", "503"])
    }

    @Test func reservedConnectionsAreRefusedToOrdinaryUsers() async throws {
        let limits = Self.limits { limits in (limits.connections, limits.reserved) = (4, 1) }
        #expect(try await Self.answers(Self.ordinary, limits) == ["200", "200", "200", "503", "503"])
    }

    /// The status codes on five connections, opened one after the other.
    private static func answers(_ policy: AccessPolicy, _ limits: ControlLimits) async throws -> [String] {
        var open: [RawConnection] = []
        var answers: [String] = []
        try await Served.with(FakeService(), policy: policy, limits: limits) { served in
            for _ in 1...5 {
                let connection = try RawConnection(served.client.socketPath)
                connection.send(Self.status)
                answers.append(String(await connection.read(until: "}").dropFirst("HTTP/1.1 ".count).prefix(3)))
                open.append(connection)
            }
        }
        return answers
    }

    /// The number of connections out of five that the server admits.
    private static func admitted(_ policy: AccessPolicy, _ limits: ControlLimits) async throws -> Int {
        try await answers(policy, limits).count { $0 != "503" }
    }

    @Test func usersWithoutRoleShareFewConnections() async throws {
        let nobody = AccessPolicy(administrators: [], isOpenToAll: true)
        #expect(try await Self.admitted(nobody, Self.limits { ($0.connectionsWithoutRole, $0.refusals) = (2, 64) }) == 2)
    }

    @Test func reservesConnectionsByRole() async throws {
        let limits = Self.limits { ($0.connections, $0.reserved, $0.reservedForOperators) = (4, 1, 1) }
        let group = AccessGroups.Group(name: "g", id: getegid())
        let none = AccessGroups.Group(name: "n", id: 4_000_000)
        func policy(_ access: Access) -> AccessPolicy {
            AccessPolicy(
                administrators: [],
                groups: AccessGroups(
                    observe: access == .observe ? group : none, operate: access == .operate ? group : none,
                    administer: access == .administer ? group : none))
        }
        #expect(try await Self.admitted(policy(.observe), limits) == 2)
        #expect(try await Self.admitted(policy(.operate), limits) == 3)
        #expect(try await Self.admitted(policy(.administer), limits) == 4)
    }

    @Test func closesExcessConnectionsWithoutAnswer() async throws {
        let limits = Self.limits { limits in (limits.connectionsPerUser, limits.refusals) = (0, 1) }
        try await Served.with(FakeService(), policy: Self.ordinary, limits: limits) { served in
            // Either connection may get the one place for refusals.
            let both = [try RawConnection(served.client.socketPath), try RawConnection(served.client.socketPath)]
            for connection in both { connection.send(Self.status) }
            let answers = [await both[0].read(), await both[1].read()].sorted()
            #expect(answers[0] == "")
            #expect(answers[1].hasPrefix("HTTP/1.1 503 "))
        }
    }

    private func untilServed(_ served: Served) async throws {
        while true {
            do throws(Problem) {
                _ = try await served.client.call(Endpoints.status, NoInput())
                return
            } catch  where error.code == .busy {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
