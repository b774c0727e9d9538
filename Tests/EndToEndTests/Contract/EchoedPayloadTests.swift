import ControlAPI
import Foundation
import HTTPTypes
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// A backend that repeats payloads in its errors. Its words are destroyed with the payload.
@Suite struct EchoedPayloadTests {
    private static let words = "Canary-payload"

    private final class Echo: Sendable {
        private let state = Mutex<Int?>(nil)

        /// Nil ends the refusals.
        func refuse(_ status: Int?) { state.withLock { $0 = status } }

        var answer: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
            { request, response in
                guard request.method == "POST", request.path.contains("facial_measurements"), let status = self.state.withLock(\.self)
                else { return response }
                // The profile declares words that begin with Arkit as final.
                let words = "\(status == 429 ? "Busy" : "Arkit") \(String(decoding: request.body, as: UTF8.self))"
                var refusal = SandboxResponse.json(status, .object(["messages": .array([.string(words)])]))
                if status == 429 { refusal.headers[.retryAfter] = "1" }
                return refusal
            }
        }
    }

    private func submit(_ number: Int, _ station: TestStation) async throws {
        let payload = #"{"average_measurements":{"14-818":{"value":17.25,"description":"\#(Self.words)-\#(number)"}}}"#
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"], payload: Data(payload.utf8)))
        try await station.event("dead") { $0.entry == Samples.id(number).description }
    }

    /// The kinds of places with the words.
    private func kinds(_ station: TestStation, _ log: String, isRunning: Bool = true) async throws -> Set<Canary.Kind> {
        let places = try await Canary.places(station, log, isRunning: isRunning)
        // The log of the store may hold earlier versions of its pages until it is emptied.
        let searched = places.filter { !isRunning || $0.kind != .stateFile }
        return Set(Canary.leaks(in: searched, of: [Self.words]).map(\.kind))
    }

    @Test func repeatedPayloadGoesWithTheEntry() async throws {
        let echo = Echo()
        let station = try await TestStation(
            .breatheSafe(.severalUsers), profile: "breathesafe", route: "measurement", answering: echo.answer)
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()

        echo.refuse(422)
        try await submit(1, station)
        // The control: while the entry waits for a decision, a person reads the server's words.
        #expect(try await kinds(station, log) == [.events, .reports])
        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: Samples.id(1).description))
        #expect(try await kinds(station, log) == [])
        let why = try await station.client.call(Endpoints.why, EntryReference(id: Samples.id(1).description)).sentence
        #expect(why.hasSuffix(" Before that, breathesafe answered with status 422."), "\(why)")

        try await submit(2, station)
        echo.refuse(429)
        _ = try await station.client.call(Endpoints.retry, RetryRequest(id: Samples.id(2).description))
        try await station.event("gateChanged") { $0.detail["reason"] == "throttled" }
        echo.refuse(nil)
        try await station.event("delivered")
        #expect(try await kinds(station, log) == [])
        try await station.end(SIGTERM)
        #expect(try await kinds(station, log, isRunning: false) == [])
    }
}
