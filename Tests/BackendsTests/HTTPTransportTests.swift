import Foundation
import JSON
import NIOCore
import SyncModel
import TestSupport
import Testing

@testable import Backends

struct HTTPTransportTests {
    /// Long enough that only a fault ends a request.
    private static let patient = TransportLimits(connect: .seconds(600), request: .seconds(600), exchange: .seconds(600))
    private static let short = TransportLimits(connect: .seconds(600), request: .milliseconds(300), exchange: .milliseconds(300))

    private func send(
        _ url: String, _ limits: TransportLimits = patient, timeout: Duration? = nil, clock: any SyncClock = SystemClock()
    ) async throws -> Result<InboundResponse, TransportError> {
        let transport = try HTTPTransport(limits, clock: clock)
        let result: Result<InboundResponse, TransportError>
        do throws(TransportError) {
            let headers = [HeaderField("Cookie", "a=b")]
            result = .success(
                try await transport.send(
                    OutboundRequest(method: "POST", url: url, headers: headers, body: Data("{}".utf8), timeout: timeout)))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return result
    }

    private func unreachable(_ result: Result<InboundResponse, TransportError>) throws -> Failure {
        guard case .failure(.unreachable(let failure)) = result else { throw Failure(.profile, "expected unreachable: \(result)") }
        #expect(!failure.outcomeUnknown)
        return failure
    }

    private func lost(_ result: Result<InboundResponse, TransportError>) throws -> Failure {
        guard case .failure(.lost(let failure)) = result else { throw Failure(.profile, "expected lost: \(result)") }
        #expect(failure.reason == .lostAnswer && failure.outcomeUnknown)
        return failure
    }

    @Test func receivesWholeAnswer() async throws {
        let server = try await LoopbackServer(
            .reply(
                "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 8\r\n\r\n{\"id\":1}"
            ))
        let response = try await send(server.url).get()
        #expect(response.status == 201)
        #expect(response.json?.member("id") == 1)
        #expect(response.headers.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1", "b=2"])
        #expect(server.text.hasPrefix("POST /path HTTP/1.1\r\n") && server.text.hasSuffix("\r\n\r\n{}"))
        try await server.close()
    }

    /// AsyncHTTPClient traps unless the head is sent in one piece.
    @Test(arguments: [40_000, 100_000, 2_000_000]) func doesNotSendOversizedHead(bytes: Int) async throws {
        let server = try await LoopbackServer(.mute)
        let transport = try HTTPTransport(Self.patient)
        let token = HeaderField("Authorization", String(repeating: "t", count: bytes))
        await #expect {
            _ = try await transport.send(OutboundRequest(method: "POST", url: server.url, headers: [token], body: Data("{}".utf8)))
        } throws: { error in
            guard case .unreachable(let failure)? = error as? TransportError else { return false }
            return failure.message.contains("The longest field is Authorization.") && !failure.outcomeUnknown
        }
        #expect(server.text.isEmpty)
        await transport.shutdown()
        try await server.close()
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let server = try await LoopbackServer(.mute)
        let url = server.url
        try await server.close()
        let failure = try unreachable(try await send(url))
        #expect(failure == Failure(.offline, "The backend at 127.0.0.1 does not answer (connection refused)."))
    }

    @Test func anUnknownNameIsUnreachable() async throws {
        let failure = try unreachable(try await send("http://no-such-host.invalid/"))
        #expect(failure == Failure(.offline, "The backend at no-such-host.invalid does not answer (its name is unknown)."))
    }

    @Test(arguments: [
        LoopbackServer.Script.mute, .closeAfterRequest, .resetAfterRequest, .reply("garbage\r\n\r\n"),
        .reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"),
    ])
    func aMissingOrBrokenAnswerIsLost(script: LoopbackServer.Script) async throws {
        let server = try await LoopbackServer(script)
        _ = try lost(try await send(server.url, Self.short))
        try await server.close()
    }

    private static let head = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"

    @Test(arguments: [
        "\(head)Content-Length: 9\r\n\r\n{\"id\":", "\(head)Transfer-Encoding: chunked\r\n\r\n6\r\n{\"id\":\r\n",
        "\(head)Content-Length: 9\r\n\r\n", "\(head)Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    ])
    func brokenBodyLeavesTheStatusOfASuccess(answer: String) async throws {
        let server = try await LoopbackServer(.replyAndClose(answer))
        let failure = try lost(try await send(server.url))
        #expect(failure.status == 201)
        #expect(
            failure.message
                == "The backend at 127.0.0.1 dropped the connection before its answer was complete. Its answer had begun, with status 201.")
        try await server.close()
    }

    @Test func stalledBodyLeavesTheStatusOfASuccess() async throws {
        let server = try await LoopbackServer(.reply("\(Self.head)Content-Length: 9\r\n\r\n{"))
        let failure = try await withGrowingLimit(from: .milliseconds(300)) { limit in
            try lost(try await send(server.url, TransportLimits(connect: .seconds(600), request: limit, exchange: limit)))
        } until: {
            $0.status != nil
        }
        #expect(failure.status == 201)
        try await server.close()
    }

    @Test func oversizedBodyLeavesTheStatusOfASuccess() async throws {
        let server = try await LoopbackServer(.reply("\(Self.head)Content-Length: 10\r\n\r\n{\"id\": 12}"))
        var limits = Self.patient
        limits.answer = 9
        let result = try await send(server.url, limits)
        guard case .failure(.lost(let failure)) = result else { throw Failure(.profile, "expected lost: \(result)") }
        #expect(failure.reason == .tooLarge && failure.status == 201)
        try await server.close()
    }

    /// A login page, an error, and half a head.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
        "HTTP/1.1 500 Sorry\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{", "\(head)Content-Length: 9\r\n",
    ])
    func brokenBodyOfAnotherAnswerLeavesNoStatus(answer: String) async throws {
        let server = try await LoopbackServer(.replyAndClose(answer))
        #expect(try lost(try await send(server.url)).status == nil)
        try await server.close()
    }

    /// The server cannot have processed a request that it did not get.
    @Test func answerToHalfARequestLeavesNoStatus() async throws {
        let server = try await LoopbackServer(.replyAndStopReading("\(Self.head)Content-Length: 9\r\n\r\n{"))
        let transport = try HTTPTransport(TransportLimits(request: .milliseconds(500), exchange: .milliseconds(500)))
        let request = OutboundRequest(method: "POST", url: server.url, body: Data(count: 16 << 20))
        let error = await failure { () throws(TransportError) in try await transport.send(request) }
        guard case .lost(let failure) = error else { throw Failure(.profile, "expected lost") }
        #expect(failure.status == nil)
        await transport.shutdown()
        try await server.close()
    }

    @Test func completeBodyWithoutALengthIsReadToTheEnd() async throws {
        let server = try await LoopbackServer(.replyAndClose("\(Self.head)\r\n{\"id\":1}"))
        #expect(try await send(server.url).get().json?.member("id") == 1)
        try await server.close()
    }

    @Test func brokenBodyOfAReadLeavesNoStatus() async throws {
        let server = try await LoopbackServer(.replyAndClose("\(Self.head)Content-Length: 9\r\n\r\n{"))
        let transport = try HTTPTransport(Self.patient)
        let url = server.url
        let error = await failure { () throws(TransportError) in try await transport.send(OutboundRequest(method: "GET", url: url)) }
        guard case .lost(let failure) = error else { throw Failure(.profile, "expected lost") }
        #expect(failure.status == nil)
        await transport.shutdown()
        try await server.close()
    }

    /// AsyncHTTPClient traps on some of these.
    @Test(
        arguments: ["000", "000 X", "001 X", "099 X", "101 Switching Protocols", "600 X", "999 X"],
        ["\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\n{}", "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"])
    func answerWithUnusableStatusIsLost(status: String, rest: String) async throws {
        let server = try await LoopbackServer(.reply("HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(rest)"))
        let failure = try lost(try await send(server.url))
        #expect(failure.message == "The backend at 127.0.0.1 sent an answer with an invalid status.")
        try await server.close()
    }

    @Test func unrequestedUpgradeIsLost() async throws {
        let server = try await LoopbackServer(
            .reply(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n"
            ))
        _ = try lost(try await send(server.url))
        try await server.close()
    }

    /// A second response on the same connection belongs to no request.
    @Test(arguments: ["000 X", "100 Continue", "200 OK"]) func extraAnswerIsIgnored(status: String) async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let server = try await LoopbackServer(.reply("\(answer)HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}"))
        #expect(try await send(server.url).get().status == 200)
        try await server.close()
    }

    @Test(arguments: ["100 Continue\r\n", "103 Early Hints\r\nContent-Encoding: gzip\r\nContent-Length: 45\r\n"])
    func skipsThousandsOfInformationalAnswers(head: String) async throws {
        let flood = String(repeating: "HTTP/1.1 \(head)\r\n", count: 5000)
        let server = try await LoopbackServer(.reply("\(flood)HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"))
        #expect(try await send(server.url).get().status == 201)
        try await server.close()
    }

    @Test func informationalAnswersAloneAreLost() async throws {
        let server = try await LoopbackServer(.reply(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 5000)))
        let failure = try lost(try await send(server.url, Self.short))
        #expect(failure.message == "The backend at 127.0.0.1 took too long to answer.")
        try await server.close()
    }

    /// Nothing is sent before the TLS handshake completes.
    @Test(arguments: [LoopbackServer.Script.close, .closeAfterRequest, .resetAfterRequest, .reply("HTTP/1.1 200 OK\r\n\r\n"), .mute])
    func failedHandshakeIsUnreachable(script: LoopbackServer.Script) async throws {
        let server = try await LoopbackServer(script)
        let failure = try unreachable(
            try await send(
                server.url.replacingOccurrences(of: "http:", with: "https:"), TransportLimits(connect: .milliseconds(500))))
        #expect(failure.reason == .tls || failure.reason == .offline)
        try await server.close()
    }

    @Test func dribblingBodyTimesOut() async throws {
        let server = try await LoopbackServer(.dribble)
        let failure = try lost(try await send(server.url, Self.short))
        #expect(failure.message == "The backend at 127.0.0.1 took too long to answer.")
        try await server.close()
    }

    /// The upload takes longer than a single pause may last.
    @Test func sendsLargePayloadOverSlowConnection() async throws {
        let server = try await LoopbackServer(.slow(bytes: 160 << 10, every: .seconds(1)))
        let transport = try HTTPTransport(TransportLimits(request: .seconds(10), exchange: .seconds(10)))
        let body = Data(repeating: UInt8(ascii: "x"), count: 2 << 20)
        let began = ContinuousClock.now
        let response = try await transport.send(OutboundRequest(method: "POST", url: server.url, body: body))
        #expect(response.status == 200)
        #expect(ContinuousClock.now - began > .seconds(10))
        #expect(server.text.utf8.count > body.count)
        await transport.shutdown()
        try await server.close()
    }

    @Test func endsStalledUpload() async throws {
        let server = try await LoopbackServer(.stuck)
        let transport = try HTTPTransport(TransportLimits(request: .milliseconds(500), exchange: .milliseconds(500)))
        let error = await failure { () throws(TransportError) in
            try await transport.send(OutboundRequest(method: "POST", url: server.url, body: Data(count: 16 << 20)))
        }
        #expect(error?.failure.message == "The backend at 127.0.0.1 took too long to answer.")
        await transport.shutdown()
        try await server.close()
    }

    @Test func allowsMoreTimeForMoreBytes() {
        let times = HTTPExchange.Times(silence: .seconds(30), whole: .seconds(60))
        #expect(times.ceiling(moving: 0) == .seconds(60))
        #expect(times.ceiling(moving: 32 << 20) == .seconds(60 + 4096))
    }

    /// A person waits for the sign-out, so the timeout covers the whole request.
    @Test func briefRequestTimeoutCoversWholeExchange() async throws {
        let server = try await LoopbackServer(.dribble)
        let transport = try HTTPTransport(Self.patient)
        var request = OutboundRequest(method: "POST", url: server.url, body: Data("{}".utf8), timeout: .milliseconds(300))
        request.isBrief = true
        await #expect(throws: TransportError.self) { try await transport.send(request) }
        await transport.shutdown()
        try await server.close()
    }

    @Test func requestTimeoutCoversTheHead() async throws {
        let server = try await LoopbackServer(.mute)
        let failure = try lost(
            try await send(server.url, timeout: .milliseconds(50)))
        #expect(failure.message == "The backend at 127.0.0.1 took too long to answer.")
        try await server.close()
    }

    @Test func doesNotFollowRedirects() async throws {
        let other = try await LoopbackServer(.reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let server = try await LoopbackServer(
            .reply("HTTP/1.1 307 Temporary Redirect\r\nLocation: \(other.url)\r\nContent-Length: 0\r\n\r\n"))
        #expect(try await send(server.url).get().status == 307)
        #expect(other.text == "")
        try await server.close()
        try await other.close()
    }

    @Test func oversizedAnswerIsLost() async throws {
        let server = try await LoopbackServer(.reply("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"))
        var limits = Self.patient
        limits.answer = 9
        let result = try await send(server.url, limits)
        guard case .failure(.lost(let failure)) = result else { throw Failure(.profile, "expected lost: \(result)") }
        #expect(failure.reason == .tooLarge && failure.outcomeUnknown)
        limits.answer = 10
        #expect(try await send(server.url, limits).get().body.count == 10)
        try await server.close()
    }

    @Test func oversizedCompressedAnswerIsLost() async throws {
        let zipped = Array(try #require(Data(base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoErrn84UfkABAAAAAG8DBD38qIgTAAA=")))
        let server = try await LoopbackServer(
            .replyBytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n", zipped))
        var limits = Self.patient
        limits.answer = 4999
        let result = try await send(server.url, limits)
        guard case .failure(.lost(let failure)) = result else { throw Failure(.profile, "expected lost: \(result)") }
        #expect(failure.reason == .tooLarge)
        limits.answer = 5000
        #expect(try await send(server.url, limits).get().body.count == 5000)
        try await server.close()
    }

    /// A request that is reported as not sent must never have arrived.
    @Test(arguments: [nil, Data("{}".utf8)]) func requestReportedAsUnsentNeverArrives(body: Data?) async throws {
        let server = try await LoopbackServer(.mute)
        let transport = try HTTPTransport()
        let base = server.url
        var neverLeft: [Int] = []
        for round in 1...400 {
            let request = OutboundRequest(method: "POST", url: "\(base)/\(round)", body: body)
            let task = Task { await failure { () throws(TransportError) in try await transport.send(request) } }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...400)))
            task.cancel()
            if case .unreachable = await task.value { neverLeft.append(round) }
        }
        await transport.shutdown()
        // Connections are accepted in order, so this one comes last.
        let last = try HTTPTransport()
        let task = Task {
            await failure { () throws(TransportError) in try await last.send(OutboundRequest(method: "GET", url: "\(base)/last")) }
        }
        await server.receives("/path/last HTTP")
        task.cancel()
        _ = await task.value
        await last.shutdown()
        try await server.connectionsEnd()
        let text = server.text
        #expect(neverLeft.filter { text.contains("/path/\($0) HTTP") } == [])
        try await server.close()
    }

    @Test func aServerWithoutTLSIsUnreachableOverTLS() async throws {
        let server = try await LoopbackServer(.reply("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
        let failure = try unreachable(try await send("https://localhost:\(server.port)/"))
        #expect(failure.reason == .tls)
        #expect(!server.text.contains("Cookie"))
        try await server.close()
    }

    @Test func aMutePeerIsUnreachableOverTLS() async throws {
        let server = try await LoopbackServer(.mute)
        #expect(
            try unreachable(try await send("https://localhost:\(server.port)/", TransportLimits(connect: .milliseconds(500)))).reason
                == .offline)
        try await server.close()
    }

    @Test func aCancelledRequestMayHaveBeenSent() async throws {
        let server = try await LoopbackServer(.mute)
        let transport = try HTTPTransport()
        let url = server.url
        let task = Task {
            await failure { () throws(TransportError) in try await transport.send(OutboundRequest(method: "POST", url: url)) }
        }
        await server.receives("POST")
        task.cancel()
        guard case .lost = await task.value else { throw Failure(.profile, "expected lost") }
        await transport.shutdown()
        try await server.close()
    }

    @Test func requestCancelledBeforeStartIsNotSent() async throws {
        let transport = try HTTPTransport()
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in never {}  // until cancelled
            return await failure { () throws(TransportError) in
                try await transport.send(OutboundRequest(method: "POST", url: "http://127.0.0.1:1/"))
            }
        }
        task.cancel()
        guard case .unreachable(let failure) = await task.value else { throw Failure(.profile, "expected unreachable") }
        #expect(failure.reason == .stopping)
        end.finish()
        await transport.shutdown()
    }

    @Test func sendsNothingAfterShutdown() async throws {
        let transport = try HTTPTransport()
        await transport.shutdown()
        let error = await failure { () throws(TransportError) in
            try await transport.send(OutboundRequest(method: "GET", url: "http://127.0.0.1:1/"))
        }
        #expect(error?.failure.reason == .stopping)
    }

    @Test func aCAFileThatHoldsNoCertificateIsAnError() {
        #expect(throws: Failure.self) { try HTTPTransport(TransportLimits(caFile: "/dev/null")) }
    }
}
