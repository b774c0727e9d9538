import Backends
import Foundation
import Outbox
import Roster
import Sessions
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

struct RosterReaderTests {
    private let store: Store
    private let server = PeopleServer()
    private var clock: TestClock { store.clock }
    private var outbox: Outbox { store.outbox }
    private let keeper: SessionKeeper
    private let reader: RosterReader
    private static let key = RosterKey(destination: Destination(backend: "breathesafe", account: "1"), resource: "people")

    init() async throws { try await self.init(profile: Self.profile) }

    private init(profile: String) async throws {
        store = try Store(in: TemporaryDirectory.memory, clock: TestClock(Date(timeIntervalSince1970: 1_795_262_400)))
        let (folder, clock, outbox) = (store.directory, store.clock, store.outbox)
        try FileManager.default.createDirectory(atPath: folder("profiles"), withIntermediateDirectories: true)
        try folder.write(profile, to: "profiles/breathesafe.yaml")
        let backend = try ProfileLibrary.load(directory: folder("profiles"), deviceID: "d", version: "1")[0]
        keeper = try SessionKeeper(backend: backend, outbox: outbox, transport: server, clock: clock, log: .silent)
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: true)
        reader = RosterReader(keeper: keeper, outbox: outbox, clock: clock)
        server.answer("GET /people 1", 200, #"{"people":[{"id":1,"name":"Anna"},{"id":2,"name":"Bob"}],"total":3}"#)
        server.answer("GET /people 2", 200, #"{"people":[{"id":3,"name":"Eve"}],"total":3}"#)
        server.forget()
    }

    private static let profile = Samples.cookieProfile(
        """
        idempotency: {header: Idempotency-Key, key_ttl: 86400}
        resources:
          people:
            title: {one: person, many: people}
            request: GET /people
            list: /people
            id: /id
            label: /name
            pages: {page: page, per_page: per_page, total: /total}
        routes:
          measurement: {request: POST /items, json: "{item.payload}", remote_id: /id}
        """)

    /// With tokens that end after 300 seconds.
    private static let tokenProfile = profile.replacing("scheme: cookie", with: "scheme: bearer")
        .replacing("on_401: [login]", with: "on_401: [refresh]")
        .replacing("account: /id}\n  logout", with: "access: /token, refresh: /refresh, expires_in: /ends, account: /id}\n  logout")
        .replacing("  logout:", with: refresh + "\n  logout:")
    private static let refresh = #"  refresh: {request: POST /refresh, json: {token: "{refresh}"}, access: /token, account: /id}"#

    /// With a list of tasks for each of the people.
    private static func withTasks() async throws -> (test: RosterReaderTests, key: RosterKey) {
        let tasks = #"  tasks: {request: "GET /people/{parent}/tasks", parent: people, list: /tasks, id: /id}"#
        let test = try await RosterReaderTests(profile: profile.replacing("\nroutes:", with: "\n\(tasks)\nroutes:"))
        return (test, RosterKey(destination: key.destination, resource: "tasks"))
    }

    private func rosterKeeper() -> RosterKeeper {
        RosterKeeper(outbox: outbox, keepers: [keeper], clock: clock, seed: 1, log: .silent)
    }

    private func heads() async throws -> [RosterHead] { try await outbox.rosterHeads(of: Self.key.destination) }

    @Test func storesAllPagesOnceTheAccountIsConfirmed() async throws {
        let outcome = await reader.read(Self.key)
        let head = try #require(try await heads().first)
        #expect(outcome == .stored(head, changed: true))
        #expect(head.count == 3 && head.incomplete == nil)
        #expect(server.log.filter { $0.hasPrefix("GET /people") } == ["GET /people 1", "GET /people 2", "GET /people 1"])
        #expect(server.log.last == "GET /me")
        let again = await reader.read(Self.key)
        let same = try #require(try await heads().first)
        #expect(again == .stored(same, changed: false))
    }

    @Test func storesNothingWhenTheServerNamesAnotherAccount() async throws {
        let server = server
        server.during("GET /people 2") { server.answer("GET /me", 200, #"{"id":2}"#) }
        let outcome = await reader.read(Self.key)
        #expect(outcome == .sessionEnded)
        let stored = try await heads()
        #expect(stored.isEmpty)
        let snapshot = await keeper.snapshot
        #expect(snapshot.state == .signInRequired)
    }

    @Test func storesNothingWhenTheServerConfirmsNoAccount() async throws {
        let server = server
        server.during("GET /people 2") { server.answer("GET /me", 401, "{}") }
        guard case .failed(let failure) = await reader.read(Self.key) else {
            Issue.record("The read did not fail.")
            return
        }
        #expect(failure.reason == .stillUnauthorized)
        let (stored, snapshot) = (try await heads(), await keeper.snapshot)
        #expect(stored.isEmpty)
        #expect(snapshot.state == .signedIn)
    }

    @Test func storesNothingAfterSignOutDuringTheRead() async throws {
        let keeper = keeper
        server.answer("DELETE /login", 200, "{}")
        server.during("GET /people 2") { _ = try? await keeper.signOut(SignOutRequest(allDevices: false)) {} }
        let outcome = await reader.read(Self.key)
        #expect(outcome == .sessionEnded)
        let stored = try await heads()
        #expect(stored.isEmpty)
    }

    @Test func undeclaredRefusalsDoNotEndTheSession() async throws {
        server.answer("GET /people 1", 401, "{}")
        guard case .failed = await reader.read(Self.key) else {
            Issue.record("The read did not fail.")
            return
        }
        let snapshot = await keeper.snapshot
        #expect(snapshot.state == .signedIn && snapshot.remembered)
    }

    @Test func refreshesTokenThatEndsDuringTheRead() async throws {
        let test = try await RosterReaderTests(profile: Self.tokenProfile)
        let clock = test.clock
        test.server.answer("POST /refresh", 200, #"{"id":1,"token":"b"}"#)
        test.server.during("GET /people 2") { clock.advance(by: 600) }
        guard case .stored = await test.reader.read(Self.key) else {
            Issue.record("The list was not stored.")
            return
        }
        let begin = ["GET /people 1", "GET /people 2", "POST /refresh", "GET /people 1"]
        #expect(test.server.log.filter { $0 != "GET /me" } == begin)
    }

    @Test func reportsServersPause() async throws {
        server.answer("GET /people 2", 429, "{}", HeaderField("Retry-After", "120"))
        guard case .throttled(_, let until) = await reader.read(Self.key) else {
            Issue.record("The read was not throttled.")
            return
        }
        #expect(until == clock.now.addingTimeInterval(120))
        let stored = try await heads()
        #expect(stored.isEmpty)
    }

    @Test func contradictoryAnswersReplaceNoCompleteList() async throws {
        let before = await reader.read(Self.key)
        server.answer("GET /people 2", 200, #"{"people":[],"total":3}"#)
        guard case .unsettled(let failure) = await reader.read(Self.key) else {
            Issue.record("The read did not fail.")
            return
        }
        #expect(
            failure.message
                == "The answers of breathesafe contradict each other: the rows that it lists do not fit the number of people that it states. The earlier list is kept."
        )
        let head = try #require(try await heads().first)
        #expect(before == .stored(head, changed: true))
    }

    @Test func readsListForEveryRowOfItsParent() async throws {
        let (test, key) = try await Self.withTasks()
        _ = await test.reader.read(Self.key)
        test.server.answer("GET /people/1/tasks", 200, #"{"tasks":[{"id":11},{"id":12}]}"#)
        test.server.answer("GET /people/2/tasks", 200, #"{"tasks":[]}"#)
        test.server.answer("GET /people/3/tasks", 200, #"{"tasks":[{"id":31}]}"#)
        test.server.forget()
        guard case .stored(let head, changed: true) = await test.reader.read(key) else {
            Issue.record("The list was not stored.")
            return
        }
        #expect(head.count == 3 && head.total == 3 && head.incomplete == nil)
        #expect(test.server.log == ["GET /people/1/tasks", "GET /people/2/tasks", "GET /people/3/tasks", "GET /me"])
        // All rows or none.
        test.server.answer("GET /people/3/tasks", 500, "{}")
        guard case .failed = await test.reader.read(key) else {
            Issue.record("The read did not fail.")
            return
        }
        #expect(try await test.heads().first { $0.key == key } == head)
    }

    /// Only a new read of the parent can tell whether the row has gone, or the server fails.
    @Test func listOfAParentThatHasGoneIsNotComplete() async throws {
        let (test, key) = try await Self.withTasks()
        _ = await test.reader.read(Self.key)
        for id in 1...3 { test.server.answer("GET /people/\(id)/tasks", 200, #"{"tasks":[{"id":1\#(id)}]}"#) }
        test.server.answer("GET /people/2/tasks", 404, "{}")
        guard case .stored(let part, changed: true) = await test.reader.read(key) else {
            Issue.record("The list was not stored.")
            return
        }
        #expect(part.count == 2 && part.incomplete == .changing)
        test.server.answer("GET /people/2/tasks", 200, #"{"tasks":[]}"#)
        guard case .stored(let whole, changed: _) = await test.reader.read(key) else {
            Issue.record("The list was not stored.")
            return
        }
        #expect(whole.count == 2 && whole.incomplete == nil)
        // A deploy breaks only these lists.
        for id in 1...3 { test.server.answer("GET /people/\(id)/tasks", 404, "{}") }
        guard case .unsettled = await test.reader.read(key) else {
            Issue.record("The complete list was not kept.")
            return
        }
        #expect(try await test.heads().first { $0.key == key } == whole)
    }

    @Test func parentWithoutRowsMakesAnEmptyList() async throws {
        let (test, key) = try await Self.withTasks()
        test.server.answer("GET /people 1", 200, #"{"people":[],"total":0}"#)
        _ = await test.reader.read(Self.key)
        test.server.forget()
        guard case .stored(let head, _) = await test.reader.read(key) else {
            Issue.record("The list was not stored.")
            return
        }
        #expect(head.count == 0 && head.incomplete == nil)
        #expect(test.server.log == ["GET /me"], "the account is confirmed all the same")
    }

    /// The daemon stopped after a delivery that touches the list, before it read the list again.
    @Test func keeperReadsListAgainThatAnEarlierRunTouched() async throws {
        let touching = Self.profile.replacing("remote_id: /id}", with: "remote_id: /id, touches: people}")
        for (profile, isReadAgain) in [(touching, true), (Self.profile, false)] {
            let test = try await RosterReaderTests(profile: profile)
            _ = await test.reader.read(Self.key)
            test.clock.advance(by: 1)
            _ = try await test.outbox.enqueue(Samples.mutation(1, at: test.clock.now), at: test.clock.now)
            let entries = try await test.outbox.claim([Self.key.destination: ClaimOrder(1)], at: test.clock.now).entries
            let settled = entries.map { Settled($0, .delivered(Samples.receipt), attempt: nil) }
            _ = try await test.outbox.settle(settled, thenClaim: [:], at: test.clock.now)
            test.server.forget()
            let slept = test.clock.slept
            let rosters = test.rosterKeeper()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await rosters.run() }
                // The timer for the touched list, or for its age.
                await test.clock.sleeps(after: slept)
                test.clock.advance(by: 5)
                if isReadAgain { while !test.server.log.contains("GET /me") { await pauseBriefly() } }
                rosters.stop()
            }
            #expect(test.server.log.contains("GET /people 1") == isReadAgain)
        }
    }

    @Test func storesNothingForAnotherAccount() async throws {
        let other = RosterKey(destination: Destination(backend: "breathesafe", account: "2"), resource: "people")
        let outcome = await reader.read(other)
        #expect(outcome == .sessionEnded)
        #expect(server.log.isEmpty)
    }

    @Test func keeperReadsAfterSignInAndAnswersCallers() async throws {
        let rosters = rosterKeeper()
        let answer = await withTaskGroup(of: Void.self) { group in
            group.addTask { await rosters.run() }
            rosters.sessionChanged(await keeper.snapshot)
            defer { rosters.stop() }
            return await rosters.refresh(backend: "breathesafe", resource: "people")
        }
        let head = try #require(try await heads().first)
        #expect(answer == .done(head))
        let late = await rosters.refresh(backend: "breathesafe", resource: "people")
        #expect(late == .impossible(.stopping))
    }

    @Test func cancellationEndsWaitForARead() async throws {
        let rosters = rosterKeeper()
        let task = Task { await rosters.refresh(backend: "breathesafe", resource: "people") }
        task.cancel()
        let answer = await task.value
        #expect(answer == .impossible(.stopping))
    }
}

/// Answers by request line, with the page's number.
private final class PeopleServer: Transport {
    private struct State {
        var answers: [String: InboundResponse] = [:]
        var hooks: [String: @Sendable () async -> Void] = [:]
        var log: [String] = []
    }

    private let state = Mutex(State())

    init() {
        answer("POST /login", 200, #"{"id":1,"token":"a","refresh":"r","ends":300}"#, HeaderField("Set-Cookie", "s=1; path=/"))
        answer("GET /me", 200, #"{"id":1}"#)
    }

    var log: [String] { state.withLock { $0.log } }
    func forget() { state.withLock { $0.log = [] } }

    /// Runs `hook` before each answer to the request.
    func during(_ line: String, _ hook: @escaping @Sendable () async -> Void) { state.withLock { $0.hooks[line] = hook } }

    func answer(_ line: String, _ status: Int, _ body: String, _ headers: HeaderField...) {
        let headers = headers + [HeaderField("Content-Type", "application/json")]
        state.withLock { $0.answers[line] = InboundResponse(status: status, headers: headers, body: Data(body.utf8)) }
    }

    func connect(to url: String) async throws(TransportError) {}

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        let url = URLComponents(string: request.url)
        let page = url?.queryItems?.first { $0.name == "page" }?.value.map { " \($0)" } ?? ""
        let line = "\(request.method) \(url?.path ?? "")\(page)"
        let hook = state.withLock { state in
            state.log.append(line)
            return state.hooks[line]
        }
        await hook?()
        guard let answer = state.withLock({ $0.answers[line] }) else {
            throw .unreachable(Failure(.profile, "nothing is scripted for \(line)"))
        }
        return answer
    }
}
