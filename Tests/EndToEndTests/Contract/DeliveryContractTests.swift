import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// The numbers in the test names are those of the contract.
@Suite struct DeliveryContractTests {
    @Test("25: a 200 with an HTML page does not count as delivery", arguments: [FaultName.loginPage, .loginPageAfterCommit])
    func htmlPageDoesNotCountAsDelivery(fault: FaultName) async throws {
        // The daemon does not retry by itself during the test.
        let station = try await TestStation.lists2026(delivery: "lookup_after: 600, first_pause: 600, longest_pause: 600")
        try await station.signedIn()
        await station.sandbox.apply(Fault(fault, path: "api/v1/lists", count: 1))
        try await station.createList(1)
        try await station.event("gateChanged") { $0.detail["reason"] == "intercepted" }
        #expect(try await station.entry(1).state != "delivered")
        try await station.homing("sync")
        try await station.event("delivered")
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("26: an undeclared JSON 404 is not final") func undeclaredJSON404IsNotFinal() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        var fault = Fault(.error, path: "api/v1/lists", count: 1)
        (fault.status, fault.code) = (404, "no_such_route")
        await station.sandbox.apply(fault)
        try await station.createList(1)
        try await station.event("released")
        try await station.event("delivered")
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("26: an HTML 404 is not final") func html404IsNotFinal() async throws {
        let isOpen = Mutex(false)
        let station = try await TestStation.lists2026 { request, response in
            guard request.path.hasSuffix("api/v1/lists"), !isOpen.withLock({ $0 }) else { return response }
            return .html(404, title: "Tunnel not found")
        }
        try await station.signedIn()
        // The fault prevents any effect behind the page.
        await station.sandbox.apply(Fault(.error, path: "api/v1/lists", count: 1))
        try await station.createList(1)
        try await station.event("released")
        #expect(try await station.entry(1).lastStatus == 404)
        isOpen.withLock { $0 = true }
        try await station.event("delivered")
        #expect(try await station.entries("dead").isEmpty)
        try await station.end(SIGTERM)
    }

    /// The wait is one second for a date in the past, and six hours for an absurd value.
    @Test(
        "27: Retry-After is honored in seconds and as a date, within limits",
        arguments: [
            (6, Fault.RetryAfterForm.seconds, 6.0), (6, .date, 6), (-7200, .date, 1), (1_000_000_000, .seconds, 6 * 3600),
            (1_000_000_000, .date, 6 * 3600),
        ] as [(Int, Fault.RetryAfterForm, TimeInterval)])
    func retryAfterIsHonoredWithinLimits(seconds: Int, form: Fault.RetryAfterForm, wait: TimeInterval) async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        var fault = Fault(.tooManyRequests, path: "api/v1/lists", count: 1)
        (fault.retryAfter, fault.retryAfterForm) = (seconds, form)
        await station.sandbox.apply(fault)
        try await station.createList(1)
        let gate = try #require(try await station.event("gateChanged") { $0.detail["gate"] == "cooling" })
        let next = try #require(gate.detail["until"].flatMap(JSONCoding.date))
        // Times have whole seconds, and the response arrives between the request and the event.
        let asked = try #require(station.sandbox.ledger.requests.first { $0.fault != nil }?.time)
        #expect(next.timeIntervalSince(asked) - wait >= -2.5, "\(gate)")
        #expect(next.timeIntervalSince(gate.at) - wait <= 2.5, "\(gate)")
        if wait < 10 {
            try await station.event("delivered")
            #expect(try await station.entry(1).attempts == 0)
            let tries = station.sandbox.ledger.requests.filter { $0.method == "POST" && $0.path.hasSuffix("api/v1/lists") }.map(\.time)
            try #require(tries.count == 2)
            #expect(tries[1].timeIntervalSince(tries[0]) >= max(wait - 1.5, 0.9))
        } else {
            // The gate event comes before the outcome is stored.
            try await station.event("released")
            let shown = try #require(try await station.status().backends[0].nextTry)
            #expect(abs(shown.timeIntervalSince(next)) <= 1)
        }
        try await station.end(SIGTERM)
    }

    @Test("28: a 429 pauses the whole backend") func status429PausesTheWholeBackend() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        var fault = Fault(.tooManyRequests, path: "api/v1/lists", count: 1)
        fault.retryAfter = 3
        await station.sandbox.apply(fault)
        try await station.createList(1)
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        for number in 2...5 { try await station.createList(number) }
        try await station.event("delivered", count: 5)
        let sends = station.sandbox.ledger.requests.filter { $0.method == "POST" && $0.path.hasSuffix("api/v1/lists") }.map(\.time)
        #expect(sends.dropFirst().allSatisfy { $0.timeIntervalSince(sends[0]) >= 2 }, "\(sends)")
        try await station.end(SIGTERM)
    }

    @Test("29: an entry fails after three 500 responses and can be retried") func threeServerErrorsFailTheEntry() async throws {
        let station = try await TestStation()
        try await station.signedIn()
        await station.sandbox.apply(Fault(.internalError, path: "users/5/facial_measurements_from_arkit"))
        try await station.submit(id: 1)
        try await station.letOthersThrough(user: 6, from: 2, whileFailing: 1)
        #expect(try await station.entry(1).state == "dead")
        #expect(try await station.entry(1).attempts == 3)
        station.sandbox.clearFaults()
        #expect(try await station.homing("retry", Samples.id(1).description).code == 0)
        try await station.event("delivered")
        try await station.end(SIGTERM)
    }

    @Test(
        "30: an at-most-once entry is held after a timeout",
        arguments: [
            FaultName.neverAnswer, .neverAnswerAfterCommit,
        ])
    func atMostOnceEntryIsHeldAfterTimeout(fault: FaultName) async throws {
        let station = try await TestStation(
            .labLoop(), profile: "labloop", route: "appointment",
            edits: [("request: POST /mobile/appointments\n", "request: POST /mobile/appointments\n    timeout: 1\n")])
        try await station.signedIn()
        await station.sandbox.apply(Fault(fault, path: "appointments", count: 1))
        try await station.appointment(1)
        try await station.event("held")
        #expect(try await station.entry(1).holdReason == "unknownOutcome")
        #expect(station.sandbox.ledger.requestCount("POST", path: "appointments") == 1)
        try await station.end(SIGTERM)
    }

    @Test("31: 422 “Please log in.” is handled like a 401") func pleaseLogIn422IsHandledLikeA401() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)
        station.sandbox.expireSessions(rememberTokens: true)
        _ = try await station.client.call(
            Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: Samples.id(1).description))
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 2)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("32: a redirect to another origin is not followed and gets no token") func redirectToAnotherOriginIsNotFollowed() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        let other = try Sandbox(SandboxConfiguration { $0.backend = .lists2026() })
        try await other.start()
        var fault = Fault(.redirect, path: "api/v1/lists", count: 1)
        fault.location = other.baseURL + "/api/v1/lists"
        await station.sandbox.apply(fault)
        try await station.createList(1)
        try await station.event("gateChanged") { $0.detail["reason"] == "intercepted" }
        try await station.sync()
        try await station.event("delivered")
        #expect(other.ledger.requests.isEmpty)
        try await station.end(SIGTERM)
        await other.stop()
    }
}
