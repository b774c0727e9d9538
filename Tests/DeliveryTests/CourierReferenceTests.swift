import Backends
import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

/// Entries that refer to a row that another entry creates.
struct CourierReferenceTests {
    private let scripted: ScriptedCourier
    private var server: ScriptedBackend { scripted.server }
    private var clock: TestClock { scripted.clock }
    private var courier: Courier { scripted.courier }

    private static let token = RosterID(createdBy: Samples.id(9))

    init() async throws { scripted = try await ScriptedCourier(Self.profile) }

    private static let profile = Samples.cookieProfile(
        """
        routes:
          measurement:
            request: POST /people/{item.user_id}/items
            fields: {user_id: {type: integer, reference: people}}
            json: "{item.payload}"
            marker: /key
            remote_id: /id
            find: {request: "GET /people/{item.user_id}/items", list: /items, match: /key, remote_id: /id}
          test:
            request: POST /tests
            fields: {user_id: {type: integer, reference: people}}
            json: {user: "{item.user_id}", test: "{item.payload}"}
            remote_id: /id
        resources:
          people: {request: GET /people, list: /people, id: /id}
        """)

    private func entry(_ route: String, bound: RosterID?, isUncertain: Bool = false) -> Entry {
        var mutation = Samples.mutation(1, payload: "{}")
        mutation.route = route
        mutation.fields = ["user_id": .string(Self.token.rawValue)]
        mutation.subject = Self.token
        return Samples.entry(mutation) { entry in
            (entry.bound, entry.uncertain) = (bound, isUncertain)
            entry.uncertainSince = isUncertain ? clock.now.addingTimeInterval(-60) : nil
        }
    }

    @Test(arguments: ["measurement", "test"]) func neverSendsUnboundEntry(route: String) async throws {
        let attempt = await courier.attempt(entry(route, bound: nil))
        guard case .permanent(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .profile && !attempt.wasSent)
        #expect(server.log.isEmpty)
    }

    @Test func neverLooksUpUnboundEntry() async {
        let attempt = await courier.attempt(entry("measurement", bound: nil, isUncertain: true))
        #expect(!attempt.wasSent && attempt.verdict.name != .accepted)
        #expect(server.log.isEmpty)
    }

    @Test func sendsBoundIDInPathAndAsNumberInBody() async {
        server.answer("POST /people/28/items", 201, #"{"id":9}"#)
        #expect(await courier.attempt(entry("measurement", bound: "28")).verdict.name == .accepted)
        server.answer("POST /tests", 201, #"{"id":9}"#)
        #expect(await courier.attempt(entry("test", bound: "28")).verdict.name == .accepted)
        #expect(server.log == ["POST /people/28/items", "POST /tests"])
        #expect(server.body == #"{"user":28,"test":{}}"#)
    }

    @Test func looksUpBoundEntryAtItsID() async {
        server.answer("GET /people/28/items", 200, #"{"items":[{"id":9,"key":"\#(Samples.id(1))"}]}"#)
        #expect(await courier.attempt(entry("measurement", bound: "28", isUncertain: true)).verdict.name == .accepted)
        #expect(server.log == ["GET /people/28/items"])
    }

    /// The profile changed while the entry waited.
    @Test(arguments: ["measurement", "test"]) func neverSendsFieldOfAnotherType(route: String) async throws {
        var mutation = Samples.mutation(1, payload: "{}")
        (mutation.route, mutation.fields) = (route, ["user_id": "28-anna"])
        let attempt = await courier.attempt(Samples.entry(mutation))
        guard case .permanent(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .profile && failure.message.contains("\"28-anna\" is not valid") && !attempt.wasSent)
        #expect(server.log.isEmpty)
    }

    /// It was sent before the profile changed.
    @Test func looksUpUncertainEntryWhoseFieldNoLongerFits() async {
        var mutation = Samples.mutation(1, payload: "{}")
        mutation.fields = ["user_id": "28-anna"]
        server.answer("GET /people/28-anna/items", 200, #"{"items":[{"id":9,"key":"\#(Samples.id(1))"}]}"#)
        let entry = Samples.entry(mutation) { ($0.uncertain, $0.uncertainSince) = (true, clock.now.addingTimeInterval(-60)) }
        #expect(await courier.attempt(entry).verdict.name == .accepted)
        #expect(server.log == ["GET /people/28-anna/items"])
    }

    @Test func neverSendsIDOfAnotherType() async throws {
        let attempt = await courier.attempt(entry("test", bound: "28-anna"))
        guard case .permanent(let failure) = attempt.verdict else { throw Failure(.profile, "\(attempt.verdict)") }
        #expect(failure.reason == .profile)
        #expect(server.log.isEmpty)
    }
}
