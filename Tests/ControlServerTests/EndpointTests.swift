import AsyncHTTPClient
import ControlAPI
import ControlServer
import Foundation
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite struct EndpointTests {
    private static let id = WireSamples.id
    private static let reference = ["id": id]

    /// A server with the fake service, and its client.
    private struct Exchange {
        let service: FakeService
        let client: ControlClient

        /// Expects that the request reaches its call with these values, from a user who may administer, and that the response comes back.
        func expect<Input, Output: Equatable>(
            _ endpoint: Endpoint<Input, Output>, _ request: Input, parameters: [String: String] = [:], body: Data? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let response = try await client.call(endpoint, request)
            #expect(try response == WireSamples.full(Output.self), sourceLocation: sourceLocation)
            expectLast(endpoint, parameters: parameters, body: body, sourceLocation: sourceLocation)
        }

        func expectLast<Input, Output>(
            _ endpoint: Endpoint<Input, Output>, parameters: [String: String] = [:], body: Data? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let received = FakeService.Received(endpoint, parameters: parameters, body: body)
            #expect(service.calls.last == received, sourceLocation: sourceLocation)
            let caller = service.callers.last
            #expect(caller?.peer == Peer.ofThisProcess && caller?.access == .administer, sourceLocation: sourceLocation)
        }
    }

    private func exchange(_ work: (Exchange) async throws -> Void) async throws {
        let service = FakeService()
        try await Served.with(service) { try await work(Exchange(service: service, client: $0.client)) }
    }

    @Test func everyEndpointOfTheStationReachesItsCallWithItsParameters() async throws {
        let signIn = SignIn(backend: "b", email: "ann@lab.test", password: "pässword&=+ %", remember: true)
        let signOut = SignOut(backend: "b", account: "a@https://b", allDevices: true, keepData: true)
        let pause = PauseRequest(backend: "b", reason: "back-up", until: FakeService.day)
        let key = KeyRotation(newKey: "k")
        let file = FileDiscardRequest(name: "a b/ü?.json", reason: "a test & more", version: "1-2")
        try await exchange { it in
            try await it.expect(Endpoints.status, NoInput())
            try await it.expect(Endpoints.doctor, NoInput())
            try await it.expect(Endpoints.sessions, NoInput())
            try await it.expect(Endpoints.signIn, signIn, body: signIn.body)
            let signOutParameters = ["backend": "b", "account": "a@https://b", "all_devices": "true", "keep_data": "true"]
            try await it.expect(Endpoints.signOut, signOut, parameters: signOutParameters)
            try await it.expect(Endpoints.backends, NoInput())
            try await it.expect(Endpoints.sync, SyncRequest(backend: "b"), parameters: ["backend": "b"])
            try await it.expect(Endpoints.claim, NoInput())
            let files = RefusedFileQuery(after: "a b/ü?.json", limit: 3)
            try await it.expect(Endpoints.refusedFiles, files, parameters: ["after": "a b/ü?.json", "limit": "3"])
            let fileParameters = ["name": "a b/ü?.json", "reason": "a test & more", "version": "1-2"]
            try await it.expect(Endpoints.discardFile, file, parameters: fileParameters)
            try await it.expect(Endpoints.pause, pause, body: pause.body)
            try await it.expect(Endpoints.resume, ResumeRequest(backend: "b"), parameters: ["backend": "b"])
            try await it.expect(Endpoints.key, NoInput())
            try await it.expect(Endpoints.rotateKey, key, body: key.body)
            try await it.expect(Endpoints.copyKey, NoInput())
            try await it.expect(Endpoints.lanes, LaneQuery(limit: 3), parameters: ["limit": "3"])
            it.service.continuation.finish()
            try await it.client.events(EventQuery(since: 5, follow: true)) { _ in true }
            it.expectLast(Endpoints.events, parameters: ["since": "5", "follow": "true"])
        }
    }

    @Test func backupArrivesInParts() async throws {
        try await exchange { it in
            var file = Data()
            try await it.client.download(Endpoints.backup, NoInput()) { file.append($0) }
            #expect(file == Data(FakeService.parts.joined()))
            it.expectLast(Endpoints.backup)
        }
        try await Served.with(FakeService()) { served in
            let response = try await served.send(.GET, "/v1/backup")
            #expect(response.headers.first(name: "content-type") == "application/vnd.sqlite3")
            #expect(response.headers.first(name: "content-length") == "23")
        }
    }

    /// A shorter file must not look complete.
    @Test func backupThatBreaksOffIsAnError() async throws {
        struct Broken: Error {}
        let problem = Problem(.storageFailed, status: 507, title: "No backup was made", detail: "Too little room.")
        try await Served.with(FakeService(error: problem)) { served in
            await #expect(throws: problem) { try await served.client.download(Endpoints.backup, NoInput()) { _ in } }
        }
        try await Served.with(FakeService(laterParts: { throw Broken() })) { served in
            let error = await #expect(throws: Problem.self) {
                try await served.client.download(Endpoints.backup, NoInput()) { _ in }
            }
            #expect(error?.title == "Connection lost" && error?.next?.hasPrefix("Nothing was written.") == true)
        }
    }

    @Test func everyEndpointOfTheQueueReachesItsCallWithItsParameters() async throws {
        let (id, time) = (Self.id, "2025-12-06T05:46:40.123Z")
        let payload = Data(#"{"a": 1.50}"#.utf8)
        let submission = Submission(
            backend: "b & c", route: "measurement", id: id, supersedes: id, fields: ["user_id": "5", "näme": "a/b?c=d&e+f %zz"],
            payload: payload)
        let query = EntryQuery(
            state: "dead", backend: "b", user: "@\(id)", route: "a b/ü?", since: FakeService.day, until: FakeService.day, after: 9,
            limit: 500)
        try await exchange { it in
            try await it.expect(
                Endpoints.submit, submission,
                parameters: [
                    "backend": "b & c", "route": "measurement", "id": id, "supersedes": id, "item.user_id": "5",
                    "item.näme": "a/b?c=d&e+f %zz",
                ], body: payload)
            try await it.expect(
                Endpoints.entries, query,
                parameters: [
                    "state": "dead", "backend": "b", "user": "@\(id)", "route": "a b/ü?", "since": time, "until": time, "after": "9",
                    "limit": "500",
                ])
            try await it.expect(Endpoints.entry, EntryReference(id: id), parameters: Self.reference)
            try await it.expect(Endpoints.why, EntryReference(id: "a b/ü?"), parameters: ["id": "a b/ü?"])
            try await it.expect(Endpoints.export, EntryReference(id: id), parameters: Self.reference)
            try await it.expect(
                Endpoints.receipts, ReceiptQuery(after: 3, limit: 2, backend: "b", since: FakeService.day),
                parameters: ["after": "3", "limit": "2", "backend": "b", "since": time])
            try await it.expect(Endpoints.receipt, EntryReference(id: id), parameters: Self.reference)
        }
    }

    @Test func everyEndpointThatChangesAnEntryReachesItsCallWithItsParameters() async throws {
        let id = Self.id
        let words: [(String?, Bool, [String: String])] = [
            ("17", true, ["id": id, "delivered": "17", "not_delivered": "false"]),
            (nil, true, ["id": id, "delivered": "", "not_delivered": "false"]), (nil, false, ["id": id, "not_delivered": "true"]),
        ]
        try await exchange { it in
            try await it.expect(Endpoints.retry, RetryRequest(id: id), parameters: Self.reference)
            let fix = FixRequest(id: id, newID: id, fields: ["user_id": "7"], strict: true)
            let fixParameters = ["id": id, "new_id": id, "item.user_id": "7", "strict": "true"]
            try await it.expect(Endpoints.fix, fix, parameters: fixParameters)
            for (remoteID, delivered, parameters) in words {
                let resolve = ResolveRequest(id: id, remoteID: remoteID, delivered: delivered)
                try await it.expect(Endpoints.resolve, resolve, parameters: parameters)
            }
            let discard = DiscardRequest(id: id, grace: 600, reason: "a test & more")
            try await it.expect(Endpoints.discard, discard, parameters: ["id": id, "grace": "600", "reason": "a test & more"])
            try await it.expect(Endpoints.discard, DiscardRequest(id: id), parameters: Self.reference)
            try await it.expect(Endpoints.restore, EntryReference(id: id), parameters: Self.reference)
        }
    }

    @Test func everyEndpointOfStoredListsReachesItsCallWithItsParameters() async throws {
        let people = RosterQuery(
            resource: "a b/ü?", backend: "b", find: "Zoë & +", label: "Anna Example", ids: ["28", "31"], after: "7", limit: 2)
        try await exchange { it in
            try await it.expect(Endpoints.rosters, RosterListQuery(backend: "b"), parameters: ["backend": "b"])
            try await it.expect(
                Endpoints.roster, people,
                parameters: [
                    "resource": "a b/ü?", "backend": "b", "find": "Zoë & +", "label": "Anna Example", "id": "28,31", "after": "7",
                    "limit": "2",
                ])
            let list = RosterReference(resource: "r", backend: "b")
            try await it.expect(Endpoints.refreshRoster, list, parameters: ["resource": "r", "backend": "b"])
        }
    }

    @Test func everyEndpointOfFiguresReachesItsCallWithItsParameters() async throws {
        let day = "2025-12-06T05:46:40.123Z"
        try await exchange { it in
            let period = StatsQuery(since: FakeService.day, until: FakeService.day, backend: "b")
            try await it.expect(Endpoints.stats, period, parameters: ["since": day, "until": day, "backend": "b"])
            let query = AuditQuery(since: FakeService.day, kind: "sign-out", account: "a b/ü?", backend: "b", after: 3, limit: 2)
            try await it.expect(
                Endpoints.audit, query,
                parameters: ["since": day, "kind": "sign-out", "account": "a b/ü?", "backend": "b", "after": "3", "limit": "2"])
        }
    }

    @Test(arguments: [(false, UInt(201)), (true, 200)])
    func aSubmissionSaysWhetherItIsNew(isDuplicate: Bool, status: UInt) async throws {
        try await Served.with(FakeService(isDuplicate: isDuplicate)) { served in
            let response = try await served.send(.POST, "/v1/entries?route=measurement", body: ByteBuffer(string: "{}"))
            #expect(response.status.code == status)
            #expect(response.headers.first(name: "content-type") == "application/json")
            _ = try await response.body.collect(upTo: 1 << 20)
        }
    }

    @Test func clientReceivesThrownProblemUnchanged() async throws {
        let problem = Problem(
            .signInRequired, status: 409, title: "Not signed in", detail: "Not signed in at breathesafe.",
            next: "To sign in, run: homing login")
        try await Served.with(FakeService(error: problem)) { served in
            await #expect(throws: problem) { try await served.client.call(Endpoints.submit, Submission(route: "measurement")) }
            await #expect(throws: problem) { try await served.client.events(EventQuery()) { _ in true } }
            let (received, type) = try await served.problem(.GET, "/v1/status")
            #expect(received == problem)
            #expect(type == "application/problem+json")
        }
    }

    private struct Conflict: ProblemConvertible {
        let problem = Problem(.wrongState, status: 409, title: "Not in this state", detail: "This entry is delivered already.")
    }

    @Test func clientReceivesProblemOfConvertibleError() async throws {
        let error = Conflict()
        let lines = LoggedLines()
        try await Served.with(FakeService(error: error), log: lines.logger) { served in
            await #expect(throws: error.problem) { try await served.client.call(Endpoints.retry, RetryRequest(id: "7")) }
            await #expect(throws: error.problem) { try await served.client.events(EventQuery()) { _ in true } }
        }
        #expect(lines.all.filter { $0.message == "Call failed" }.map { $0.facts["outcome"] } == ["409 wrong-state"])
    }

    private struct Unexpected: Error {}

    @Test func otherErrorIsAnInternalErrorInTheLog() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(error: Unexpected()), log: lines.logger) { served in
            let (problem, _) = try await served.problem(.GET, "/v1/status")
            #expect(problem.code == .internalError && problem.status == 500)
        }
        #expect(lines.all.contains { $0.message == "Call failed unexpectedly" && $0.level == .error })
    }

    @Test(arguments: [
        ("GET", "/v1/nothing", 404, "not-found", "There is no call GET /v1/nothing."),
        ("GET", "/", 404, "not-found", "There is no call GET /."),
        ("PUT", "/v1/entries", 404, "not-found", "There is no call PUT /v1/entries."),
        ("GET", "/v1/status?verbose=1", 400, "invalid-request", "Unknown parameter ‘verbose’; expected: none."),
        (
            "GET", "/v1/entries?stat=dead", 400, "invalid-request",
            "Unknown parameter ‘stat’; expected: after, backend, limit, route, since, state, until, user."
        ),
        ("POST", "/v1/entries", 400, "invalid-request", "The parameter ‘route’ is missing."),
        ("POST", "/v1/entries?route=", 400, "invalid-request", "The parameter ‘route’ is missing."),
        ("POST", "/v1/entries?route=a&route=b", 400, "invalid-request", "The parameter ‘route’ is given twice."),
        ("POST", "/v1/entries/7/fix", 400, "invalid-request", "No changed field is given."),
        ("POST", "/v1/entries/7/resolve", 400, "invalid-request", "Give one of ‘delivered’ and ‘not_delivered’."),
        (
            "POST", "/v1/entries/7/resolve?delivered=1&not_delivered=true", 400, "invalid-request",
            "Give one of ‘delivered’ and ‘not_delivered’."
        ),
        (
            "DELETE", "/v1/entries/7?grace=86401", 400, "invalid-request",
            "The parameter ‘grace’ is ‘86401’; expected a whole number from 0 to 86400."
        ),
        (
            "DELETE", "/v1/entries/7?reason=\(String(repeating: "a", count: 201))", 400, "invalid-request",
            "The reason has 201 characters; expected at most 200."
        ),
        ("GET", "/v1/entries/7?id=8", 400, "invalid-request", "The parameter ‘id’ is given twice."),
        ("GET", "/v1/entries?limit=0", 400, "invalid-request", "The parameter ‘limit’ is ‘0’; expected a whole number from 1 to 500."),
        (
            "GET", "/v1/entries?limit=many", 400, "invalid-request",
            "The parameter ‘limit’ is ‘many’; expected a whole number from 1 to 500."
        ),
        (
            "GET", "/v1/entries?state=lost", 400, "invalid-request",
            "The parameter ‘state’ is ‘lost’; expected one of pending, inflight, delivered, dead, held, discarded."
        ),
        ("GET", "/v1/entries?user=", 400, "invalid-request", "The parameter ‘user’ is empty."),
        (
            "GET", "/v1/audit?kind=lost", 400, "invalid-request",
            "The parameter ‘kind’ is ‘lost’; expected one of sign-in, sign-out, retry, fix, resolve, discard, undo, export, backup, key, claim, pause, sync, denied."
        ),
        (
            "GET", "/v1/entries?until=soon", 400, "invalid-request",
            "The parameter ‘until’ is ‘soon’; expected a time such as 2025-03-11T14:00Z, 2025-03-11T21:00:00.000+07:00 or, in local time, 2025-03-11T14:00."
        ),
        ("GET", "/v1/events?follow=maybe", 400, "invalid-request", "The parameter ‘follow’ is ‘maybe’; expected true or false."),
        (
            "GET", "/v1/receipts?since=yesterday", 400, "invalid-request",
            "The parameter ‘since’ is ‘yesterday’; expected a time such as 2025-03-11T14:00Z, 2025-03-11T21:00:00.000+07:00 or, in local time, 2025-03-11T14:00."
        ),
        ("GET", "/v1/lanes?limit=101", 400, "invalid-request", "The parameter ‘limit’ is ‘101’; expected a whole number from 1 to 100."),
        (
            "GET", "/v1/roster/managed_users?limit=501", 400, "invalid-request",
            "The parameter ‘limit’ is ‘501’; expected a whole number from 1 to 500."
        ),
        (
            "GET", "/v1/refused?limit=10001", 400, "invalid-request",
            "The parameter ‘limit’ is ‘10001’; expected a whole number from 1 to 10000."
        ),
        (
            "GET", "/v1/roster/managed_users?id=\(String(repeating: "1,", count: 501))", 400, "invalid-request",
            "The parameter ‘id’ has 501 ids; expected at most 500."
        ),
        (
            "POST", "/v1/roster/managed_users/refresh?find=anna", 400, "invalid-request",
            "Unknown parameter ‘find’; expected: backend, resource."
        ),
        (
            "POST", "/v1/sessions", 400, "invalid-request",
            #"The body must be JSON like {"email": "…", "password": "…", "backend": "…", "remember": false}."#
        ),
    ])
    func invalidRequestReturnsProblemNamingMistake(method: String, path: String, status: Int, code: String, detail: String) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let (problem, type) = try await served.problem(.RAW(value: method), path)
            #expect(problem.status == status)
            #expect(problem.code.rawValue == code)
            #expect(problem.type == "urn:homing:problem:\(code)")
            #expect(problem.detail == detail)
            #expect(type == "application/problem+json")
        }
        #expect(service.calls.isEmpty)
    }

    @Test func decodesFormEncodedQuery() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let path = "/v1/entries?route=r&item.name=Anna+Mar%C3%ADa&item.sign=a%2Bb&item.line=a%20b&&item.sum=1=%31&item.none&item.no%6E="
            let response = try await served.send(.POST, path)
            #expect(response.status.code == 201)
        }
        let parameters = service.calls.first?.parameters
        #expect(parameters?["item.name"] == "Anna María")
        #expect(parameters?["item.sign"] == "a+b")
        #expect(parameters?["item.line"] == "a b")
        #expect(parameters?["item.sum"] == "1=1")
        #expect(parameters?["item.none"] == "")
        #expect(parameters?["item.non"] == "")
    }

    /// A misspelt `until` would pause without end.
    @Test(arguments: [
        ("/v1/pause", #"{"reason": "r", "untill": "2025-03-11T14:00:00.000Z"}"#, "untill", "backend, reason, until"),
        (
            "/v1/sessions", #"{"email": "e", "password": "p", "remeber": true}"#, "remeber",
            "backend, email, password, refreshToken, remember, token"
        ),
    ])
    func unknownBodyKeyIsRefused(path: String, body: String, key: String, known: String) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let response = try await served.send(.POST, path, body: ByteBuffer(string: body))
            let problem = try JSONCoding.decoder.decode(
                Problem.self, from: Data(try await response.body.collect(upTo: 1 << 20).readableBytesView))
            #expect(problem.detail == "Unknown key ‘\(key)’ in the body; expected: \(known).")
            #expect((response.status.code, problem.code) == (400, .invalidRequest))
        }
        #expect(service.calls.isEmpty)
    }

    /// A page in another language writes its own sentence from them.
    @Test func refusedReasonStatesItsLength() {
        let long = String(repeating: "a", count: 201)
        let tooLong = SentenceFacts { ($0.reason, $0.count, $0.limit) = ("reasonTooLong", 201, 200) }
        let discard = #expect(throws: Problem.self) { try DiscardRequest(parameters: ["id": "7", "reason": long], body: nil) }
        let file = #expect(throws: Problem.self) { try FileDiscardRequest(parameters: ["name": "a", "reason": long], body: nil) }
        #expect(discard?.facts == tooLong && file?.facts == tooLong)
        for reason in ["", " "] {
            let missing = #expect(throws: Problem.self) { try FileDiscardRequest(parameters: ["name": "a", "reason": reason], body: nil) }
            #expect(missing?.facts?.reason == "reasonMissing" && missing?.facts?.limit == 200)
        }
    }

    @Test(arguments: ["2026-11-27T10:00:00.000Z", "2026-11-27T10:00Z", "2026-11-27T17:00+07:00", "2026-11-27T17:00 07:00"])
    func timesMayLackSeconds(text: String) throws {
        let query = try EntryQuery(parameters: ["since": text], body: nil)
        #expect(query.since.map(JSONCoding.text) == "2026-11-27T10:00:00.000Z")
    }

    @Test func timesOfABodyMayLackSecondsAndAnOffset() throws {
        func until(_ text: String) throws -> Date? {
            try PauseRequest(parameters: [:], body: Data(#"{"until": "\#(text)"}"#.utf8)).until
        }
        #expect(try until("2026-11-27T10:00Z").map(JSONCoding.text) == "2026-11-27T10:00:00.000Z")
        #expect(try until("2026-11-27T10:00") == JSONCoding.date("2026-11-27T10:00", in: .current))
        let problem = #expect(throws: Problem.self) { try until("soon") }
        let detail = "The key ‘until’ in the body has no valid time; expected a time such as 2025-03-11T14:00Z"
        #expect(problem?.detail.hasPrefix(detail) == true)
    }

    @Test func acceptsLargestPayloadAndRefusesLargerBody() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let fits = ByteBuffer(repeating: 0x20, count: 32 << 20)
            let response = try await served.send(.POST, "/v1/entries?route=measurement", body: fits)
            #expect(response.status == .created)
            let (problem, _) = try await served.problem(
                .POST, "/v1/entries?route=measurement", body: ByteBuffer(repeating: 0x20, count: 33 << 20 + 1))
            #expect(problem.status == 413)
            #expect(problem.code == .tooLarge)
            #expect(problem.next?.isEmpty == false)
        }
        #expect(service.calls.map(\.body?.count) == [32 << 20])
    }

    @Test(arguments: [
        [("Origin", "http://localhost")], [("Origin", "null")], [("Referer", "http://localhost/")], [("Host", "evil.example")],
        [("Host", "homing.evil.example:80")], [("Host", "127.0.0.1")], [("Sec-Fetch-Site", "none")], [("sec-fetch-mode", "no-cors")],
        [("Sec-Fetch-Dest", "empty")], [("Sec-Fetch-User", "?1")],
    ])
    func browserRequestsAreRefused(headers: [(String, String)]) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            for (method, path) in [("GET", "/v1/status"), ("POST", "/v1/sync"), ("GET", "/v1/nothing")] {
                let (problem, _) = try await served.problem(.RAW(value: method), path, headers: headers)
                #expect(problem.status == 403)
                #expect(problem.code == .notPermitted)
            }
        }
        #expect(service.calls.isEmpty)
    }

    @Test(arguments: [
        "GET /v1/status HTTP/1.1\r\nHost: homing\r\nHost: evil.example\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nHost: homing\r\nhost: homing\r\n\r\n",
    ])
    func requestWithTwoHostsIsRefused(request: String) async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            let connection = try RawConnection(served.client.socketPath)
            connection.send(request)
            connection.finishSending()
            let answer = await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
        #expect(service.calls.isEmpty)
    }

    @Test(arguments: ["localhost", "LocalHost:80", "homing"])
    func acceptsLocalHostNames(host: String) async throws {
        try await Served.with(FakeService()) { served in
            let response = try await served.send(.GET, "/v1/status", headers: [("Host", host)])
            #expect(response.status == .ok)
        }
    }

    @Test func onlyDiscardingExportingAndBackingUpNeedAnAdministrator() {
        let administer = [
            Endpoints.discard.access, Endpoints.restore.access, Endpoints.export.access, Endpoints.backup.access, Endpoints.key.access,
            Endpoints.rotateKey.access, Endpoints.copyKey.access,
        ]
        #expect(administer.allSatisfy { $0 == .administer })
        let operate = [
            Endpoints.signIn.access, Endpoints.signOut.access, Endpoints.submit.access, Endpoints.retry.access, Endpoints.sync.access,
            Endpoints.pause.access, Endpoints.resume.access, Endpoints.fix.access, Endpoints.resolve.access,
        ]
        let observe = [
            Endpoints.status.access, Endpoints.sessions.access, Endpoints.entries.access, Endpoints.entry.access, Endpoints.why.access,
            Endpoints.events.access, Endpoints.receipts.access, Endpoints.receipt.access, Endpoints.lanes.access,
            Endpoints.doctor.access,
        ]
        #expect(operate.allSatisfy { $0 == .operate })
        #expect(observe.allSatisfy { $0 == .observe })
        #expect(Access.allCases == Access.allCases.sorted())
    }
}
