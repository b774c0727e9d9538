import Backends
import Delivery
import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

struct CourierTests {
    private let scripted: ScriptedCourier
    private var server: ScriptedBackend { scripted.server }
    private var clock: TestClock { scripted.clock }
    private var courier: Courier { scripted.courier }

    private static let send = "POST /items"
    private static let find = "GET /items"
    private static let health = "GET /me"

    init() async throws { scripted = try await ScriptedCourier(Self.profile) }

    static let profile = Samples.cookieProfile(
        """
        idempotency: {header: Idempotency-Key, key_ttl: 86400}
        routes:
          measurement:
            request: POST /items
            json: "{item.payload}"
            marker: /key
            remote_id: /id
            find: {request: GET /items, list: /items, match: /key, remote_id: /id}
          blind: {request: POST /blind, json: "{item.payload}", remote_id: /id}
          once: {request: POST /once, json: "{item.payload}", remote_id: /id, delivery: at-most-once}
        """)

    private func entry(
        _ route: String = "measurement", uncertainFor age: TimeInterval? = nil, attempts: Int = 0, account: String = "1"
    ) -> Entry {
        var mutation = Samples.mutation(1, account: AccountID(account))
        mutation.route = route
        mutation.fields = [:]
        return Samples.entry(mutation) { entry in
            (entry.attempts, entry.uncertain) = (attempts, age != nil)
            entry.uncertainSince = age.map { clock.now.addingTimeInterval(-$0) }
        }
    }

    private static let holds = #"{"items":[{"id":9,"key":"\#(Samples.id(1))"}]}"#

    @Test func doesNotResendEntryFoundByLookUp() async {
        server.answer(Self.find, 200, Self.holds)
        let attempt = await courier.attempt(entry(uncertainFor: 1))
        #expect(attempt.verdict == .accepted(Receipt(remoteID: "9", status: 200, foundByLookup: true, at: clock.now)))
        #expect(server.log == [Self.find])
    }

    @Test func sendsEntryThatLookUpDoesNotFind() async {
        server.answer(Self.find, 200, #"{"items":[]}"#)
        server.answer(Self.send, 201, #"{"id":9}"#)
        let attempt = await courier.attempt(entry(uncertainFor: 1))
        #expect(attempt.verdict.name == .accepted)
        #expect(server.log == [Self.find, Self.send])
    }

    /// A list that fails only for this entry must not stop the other entries.
    @Test(arguments: [true, false])
    func failedLookUpLeavesTheOutcomeOpen(answers: Bool) async throws {
        if answers { server.answer(Self.find, 500, "{}") } else { server.fail(Self.find, .lost(Failure(.lostAnswer, "silence"))) }
        let attempt = await courier.attempt(entry(uncertainFor: 1))
        guard case .unknown(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.outcomeUnknown && failure.reason != .refused && !attempt.wasSent)
        #expect(server.log == [Self.find])
    }

    @Test(arguments: [400, 403, 404, 410, 422]) func undeclaredRefusalOfLookUpLeavesOutcomeOpen(status: Int) async throws {
        server.answer(Self.find, status, #"{"message":"no"}"#)
        let attempt = await courier.attempt(entry(uncertainFor: 60))
        guard case .unknown(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .serverError && failure.outcomeUnknown)
    }

    /// The response will not get shorter, so a person decides.
    @Test func oversizedLookUpAnswerHoldsEntry() async throws {
        server.fail(Self.find, .lost(Failure(.tooLarge, "too long")))
        let attempt = await courier.attempt(entry(uncertainFor: 1))
        guard case .unknown(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .refused)
        #expect(server.log == [Self.find])
    }

    @Test(arguments: [nil, 1]) func neitherSendsNorLooksUpEntryOfAnotherAccount(age: TimeInterval?) async {
        let attempt = await courier.attempt(entry(uncertainFor: age, account: "2"))
        #expect(attempt.verdict.name == .unauthorized && !attempt.wasMade)
        #expect(server.log.isEmpty)
    }

    @Test func webPageAsAnswerLeavesOutcomeOpen() async throws {
        server.answer(Self.send, 200, "<html>Sign in</html>", type: "text/html")
        let attempt = await courier.attempt(entry())
        guard case .intercepted(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.outcomeUnknown)
        server.answer(Self.send, 302, "", type: "text/html")
        guard case .intercepted(let redirected) = await courier.attempt(entry()).verdict else { throw Failure(.profile, "a redirect") }
        #expect(!redirected.outcomeUnknown)
    }

    /// The look-up has the id that the body would have had.
    @Test func successWithBrokenBodyIsLookedUpIfItCanBe() async throws {
        server.fail(Self.send, Self.broken)
        let attempt = await courier.attempt(entry())
        guard case .unknown(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .lostAnswer && failure.status == nil && failure.outcomeUnknown && attempt.wasSent)
        server.answer(Self.find, 200, Self.holds)
        #expect(await courier.attempt(entry(uncertainFor: 1)).verdict.name == .accepted)
        #expect(server.log == [Self.send, Self.find])
    }

    @Test(arguments: [Failure.Reason.lostAnswer, .tooLarge])
    func successWithBrokenBodyIsDeliveredIfNothingElseCanTell(reason: Failure.Reason) async {
        server.fail("POST /once", .lost(Failure(reason, status: 201, "broken", outcomeUnknown: true)))
        let attempt = await courier.attempt(entry("once"))
        #expect(attempt.verdict == .accepted(Receipt(remoteID: nil, status: 201, at: clock.now)) && attempt.wasSent)
    }

    private static let broken = TransportError.lost(Failure(.lostAnswer, status: 201, "broken", outcomeUnknown: true))

    /// The status of a look-up says nothing about the entry.
    @Test func lookUpWithBrokenBodyIsNoDelivery() async throws {
        server.fail(Self.find, Self.broken)
        let attempt = await courier.attempt(entry(uncertainFor: 1))
        guard case .unknown(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.outcomeUnknown && !attempt.wasSent)
    }

    @Test func repeated401WithValidSessionIsTransient() async throws {
        server.answer(Self.send, 401, "{}")
        let attempt = await courier.attempt(entry())
        guard case .transient(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .stillUnauthorized && !failure.outcomeUnknown)
        #expect(server.log == [Self.send, Self.health, Self.send])
    }

    @Test func trustsIdempotencyKeyOnlyForItsLifetime() async throws {
        server.answer("POST /blind", 201, #"{"id":9}"#)
        #expect(await courier.attempt(entry("blind", uncertainFor: 23 * 3600)).verdict.name == .accepted)
        server.forget()
        let late = await courier.attempt(entry("blind", uncertainFor: 24 * 3600))
        guard case .unknown(let failure) = late.verdict else { throw Failure(.profile, "\(late.verdict)") }
        #expect(failure.reason == .refused && failure.outcomeUnknown)
        #expect(!late.wasMade && server.log.isEmpty)
        // The clock was ahead at the send, so the age of the key is unknown.
        let ahead = await courier.attempt(entry("blind", uncertainFor: -10 * 365 * 86_400))
        #expect(!ahead.wasMade && server.log.isEmpty)
    }

    @Test func looksUpAfterLastAttemptWithoutResending() async throws {
        server.answer(Self.find, 200, #"{"items":[]}"#)
        let attempt = await courier.attempt(entry(uncertainFor: 1, attempts: 3))
        #expect(attempt.verdict.name == .permanent)
        #expect(server.log == [Self.find])
    }

    @Test func probeOnlyConnectsWithoutHealthRoute() async throws {
        let profile = Self.profile.replacingOccurrences(of: "health: {request: GET /me, account: /id}\n", with: "")
        let scripted = try await ScriptedCourier(profile)
        #expect(await scripted.courier.probe() == .well)
        let line = "CONNECT https://lab.test"
        let offline = Failure(.offline, "connection refused")
        scripted.server.fail(line, .unreachable(offline))
        #expect(await scripted.courier.probe() == .failed(offline))
        #expect(scripted.server.log == [line, line])
    }

    @Test func blindEntryStaysUncertainAfterFailedRetry() async {
        server.fail("POST /blind", .unreachable(Failure(.offline, "no route")))
        let attempt = await courier.attempt(entry("blind", uncertainFor: 1))
        #expect(attempt.verdict == .unreachable(Failure(.offline, "no route", outcomeUnknown: true)))
    }
}

final class ScriptedBackend: Transport {
    private struct State {
        var answers: [String: Result<InboundResponse, TransportError>] = [:]
        var log: [String] = []
        var body: Data?
    }

    private let state = Mutex(State())

    init() {
        answer("POST /login", 200, #"{"id":1}"#, HeaderField("Set-Cookie", "s=1; path=/"))
        answer("GET /me", 200, #"{"id":1}"#)
    }

    var log: [String] { state.withLock { $0.log } }
    /// Of the last request.
    var body: String? { state.withLock { $0.body }.map { String(decoding: $0, as: UTF8.self) } }
    func forget() { state.withLock { $0.log = [] } }
    func fail(_ line: String, _ error: TransportError) { state.withLock { $0.answers[line] = .failure(error) } }

    func answer(_ line: String, _ status: Int, _ body: String, type: String = "application/json", _ headers: HeaderField...) {
        let response = InboundResponse(status: status, headers: headers + [HeaderField("Content-Type", type)], body: Data(body.utf8))
        state.withLock { $0.answers[line] = .success(response) }
    }

    func connect(to url: String) async throws(TransportError) {
        let line = "CONNECT \(url)"
        let answer = state.withLock { state in
            state.log.append(line)
            return state.answers[line]
        }
        if case .failure(let error)? = answer { throw error }
    }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        let line = "\(request.method) \(URLComponents(string: request.url)?.path ?? "")"
        let answer = state.withLock { state in
            state.log.append(line)
            state.body = request.body
            return state.answers[line]
        }
        guard let answer else { throw .unreachable(Failure(.profile, "nothing is scripted for \(line)")) }
        return try answer.get()
    }
}
