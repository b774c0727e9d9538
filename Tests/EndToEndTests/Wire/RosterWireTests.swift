import ControlAPI
import Foundation
import StationSupport
import Synchronization
import TestSupport
import Testing

/// Reads of a list from a scripted server, with a test clock.
@Suite struct RosterWireTests {
    private static let profile =
        WireProfile.cookies.replacing("remote_id: /id, lane", with: "remote_id: /id, touches: people, lane") + """

            resources:
              people: {title: {one: person, many: people}, request: GET /people, list: /people, id: /id, label: /name}
            """

    private final class Backend: Sendable {
        struct State {
            var people = [1]
            /// Replaces the list.
            var fault: ScriptedServer.Answer?
            /// The account of the session; the sign-in response always has 1.
            var account = 1
        }
        let state = Mutex(State())
        func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

        func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
            state.withLock { state in
                switch request.line {
                case "POST /login": return .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=1; path=/"])
                case "GET /me": return .init(200, #"{"id":\#(state.account)}"#)
                case "POST /notes": return .init(201, #"{"id":7}"#)
                case "GET /people":
                    if let fault = state.fault { return fault }
                    let rows = state.people.map { #"{"id":\#($0),"name":"Person \#($0)"}"# }
                    return .init(200, #"{"people":[\#(rows.joined(separator: ","))]}"#)
                default: return .init(404, "{}")
                }
            }
        }
    }

    private let backend = Backend()
    private let reads = "GET /people"

    private func station() async throws -> WireStation {
        let backend = backend
        return try WireStation(try await ScriptedServer { backend.answer($0) })
    }

    private func people(_ station: WireStation) async throws -> RosterPage {
        try await station.client.call(Endpoints.roster, RosterQuery(resource: "people"))
    }

    private func refresh(_ station: WireStation) async throws -> RosterReport {
        try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "people"))
    }

    @Test func deliveriesThatTouchTheListCauseOneRead() async throws {
        let station = try await station()
        try await station.running(Self.profile) {
            _ = try await station.signIn()
            try await station.client.event("rosterChanged")
            #expect(station.server.count(reads) == 1)
            backend.set { $0.people = [1, 2] }
            for id in 1...10 { try await station.submit(id) }
            try await station.client.event("delivered", count: 10)
            #expect(station.server.count(reads) == 1)
            try await station.passTime { station.server.count(reads) == 2 }
            try await station.client.event("rosterChanged", count: 2)
            #expect(try await people(station).rows.map(\.id) == ["1", "2"])
            await station.passTime(600)
            #expect(station.server.count(reads) == 2)
        }
        await station.server.stop()
    }

    /// The age is random up to a tenth above `max_age`.
    @Test func oldListIsReadAgainWithoutRequest() async throws {
        let station = try await station()
        try await station.running(Self.profile.replacing("label: /name", with: "label: /name, max_age: 3600")) {
            _ = try await station.signIn()
            try await station.client.event("rosterChanged")
            backend.set { $0.people = [] }
            await station.passTime(3590)
            #expect(station.server.count(reads) == 1)
            try await until {
                station.clock.advance(by: 10)
                return station.server.count(reads) == 2
            }
            try await station.client.event("rosterChanged", count: 2)
            #expect(try await people(station).rows.isEmpty)
        }
        await station.server.stop()
    }

    /// A session ends only on a response that the profile declares.
    @Test(arguments: [
        (401, "{}"), (403, #"{"message":"Forbidden"}"#), (500, ""), (200, "<html></html>"), (200, #"{"people":null}"#), (304, ""),
    ])
    func failedReadKeepsSessionAndList(status: Int, body: String) async throws {
        let station = try await station()
        try await station.running(Self.profile) {
            _ = try await station.signIn(remember: true)
            try await station.client.event("rosterChanged")
            backend.set { $0.fault = ScriptedServer.Answer(status, body) }
            let report = try await refresh(station)
            #expect(report.failure != nil && report.state == "complete")
            let session = try await station.session
            #expect(session.state == "signedIn" && session.remembered)
            #expect(try await people(station).rows.map(\.id) == ["1"])
            try await station.submit(1)
            try await station.client.event("delivered")
            backend.set { ($0.fault, $0.people) = (nil, [1, 2]) }
            #expect(try await refresh(station).failure == nil)
            #expect(try await people(station).rows.count == 2)
        }
        await station.server.stop()
    }

    @Test func retryAfterOfListPausesReadsButNoEntries() async throws {
        let station = try await station()
        try await station.running(Self.profile) {
            _ = try await station.signIn()
            try await station.client.event("rosterChanged")
            backend.set {
                $0.fault = ScriptedServer.Answer(429, "{}")
                $0.fault?.headers.append(("Retry-After", "100"))
            }
            _ = try await refresh(station)
            backend.set { $0.fault = nil }
            let asked = station.server.count(reads)
            try await station.submit(1)
            try await station.client.event("delivered")
            _ = try? await refresh(station)  // `try?`: whether the call reports this as an error does not matter here
            await station.passTime(90)
            #expect(station.server.count(reads) == asked)
            try await station.passTime { station.server.count(reads) > asked }
        }
        await station.server.stop()
    }

    /// The rows may be another account's.
    @Test func listReadUnderAnotherAccountIsNotStored() async throws {
        let station = try await station()
        try await station.running(Self.profile) {
            _ = try await station.signIn()
            try await station.client.event("rosterChanged")
            let swapped = ScriptedServer.Answer(200, #"{"people":[{"id":8,"name":"Eve Other"}]}"#, cookies: ["s=2; path=/"])
            backend.set { ($0.fault, $0.account) = (swapped, 2) }
            // `try?`: the read ends the session, and its answer may say so.
            _ = try? await refresh(station)
            try await until { try await station.session.state == "signInRequired" }
            await #expect(throws: Problem.self) { try await people(station) }
            backend.set { ($0.fault, $0.account) = (ScriptedServer.Answer(503, "{}"), 1) }
            _ = try await station.signIn()
            let page = try await people(station)
            #expect(page.rows.isEmpty && page.roster.state == "unread", "rows read since the last check may be another account's")
        }
        await station.server.stop()
    }
}
