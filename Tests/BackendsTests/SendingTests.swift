import Backends
import Foundation
import Outbox
import Sessions
import SyncModel
import Synchronization
import TestSupport
import Testing

struct SendingTests {
    let bench: KeeperBench
    let keeper: SessionKeeper
    let session: Session

    init() async throws {
        bench = try KeeperBench()
        keeper = try await bench.signedIn()
        session = try await keeper.session()
    }

    private var lastCookie: String? { bench.server.state.withLock { $0.cookies.last } }

    @Test func theNewestCookieIsSent() async throws {
        _ = try await keeper.send(get, as: session)
        let first = lastCookie
        _ = try await keeper.send(get, as: session)
        #expect(first?.isEmpty == false && lastCookie != first)
    }

    @Test func sendsCookiesOnlyToTheBackend() async throws {
        _ = try await keeper.send(OutboundRequest(method: "POST", url: "https://elsewhere.org/things"), as: session)
        _ = try await keeper.send(OutboundRequest(method: "GET", url: "http://www.breathesafe.xyz/things"), as: session)
        #expect(bench.server.state.withLock { $0.cookies.suffix(2) } == ["", ""])
        #expect(bench.server.count("GET /csrf_token") == 0)
    }

    @Test func fetchesTheCSRFTokenOnceAndOnlyForMutations() async throws {
        #expect(try await keeper.send(get, as: session).response.status == 200)
        #expect(bench.server.count("GET /csrf_token") == 0)
        #expect(try await keeper.send(post, as: session).response.status == 201)
        #expect(try await keeper.send(post, as: session).response.status == 201)
        #expect(bench.server.count("GET /csrf_token") == 1)
    }

    @Test func replacesAnExpiredCSRFTokenOnce() async throws {
        _ = try await keeper.send(post, as: session)
        bench.server.forgetTokens()
        #expect(try await keeper.send(post, as: session).response.status == 201)
        #expect(bench.server.count("GET /csrf_token") == 2)
        bench.server.fault("POST /managed_users") { answer(422, #"{"status":422,"error":"x"}"#) }
        #expect(try await keeper.send(post, as: session).response.status == 422)
        #expect(bench.server.count("POST /managed_users") == 5)
    }

    /// The session is renewed while the token is fetched.
    @Test func fetchesAnotherCSRFTokenForRenewedCredentials() async throws {
        bench.server.hold("GET /csrf_token")
        let first = Task { [keeper, session] in try await keeper.send(post, as: session).response.status }
        await bench.server.seen("GET /csrf_token")
        let renewed = try await keeper.replace(session)
        bench.server.open()
        #expect(try await first.value == 201 && renewed.generation > session.generation)
        #expect(try await keeper.send(post, as: renewed).response.status == 201)
        #expect(bench.server.count("GET /csrf_token") == 2)
        _ = try await keeper.send(post, as: renewed)
        #expect(bench.server.count("GET /csrf_token") == 2)
    }

    @Test func doesNotRepeatARequestAfterTheApplications422() async throws {
        bench.server.fault("POST /managed_users") { answer(422, #"{"messages":["no"]}"#) }
        #expect(try await keeper.send(post, as: session).response.status == 422)
        #expect(bench.server.count("POST /managed_users") == 1)
    }

    @Test(arguments: [0, 1, 2, 3])
    func doesNotSendMutationWithoutCSRFToken(kind: Int) async throws {
        bench.server.fault("GET /csrf_token") { () throws(TransportError) in
            switch kind {
            case 0: throw .unreachable(KeeperBench.offline)
            case 1: throw .lost(Failure(.lostAnswer, "lost", outcomeUnknown: true))
            case 2: return answer(200, "<html>", type: "text/html")
            default: return answer(500, "{}")
            }
        }
        let error = await failure { () throws(TransportError) in try await keeper.send(post, as: session) }
        guard case .unreachable(let failure) = error else { throw Failure(.profile, "\(String(describing: error))") }
        #expect(!failure.outcomeUnknown)
        #expect(bench.server.count("POST /managed_users") == 0)
    }

    /// The 401 counts as the answer: it renews the session and does not blame the backend.
    @Test func returnsA401OfTheCSRFRequestAsTheAnswer() async throws {
        bench.server.fault("GET /csrf_token") { answer(401, #"{"messages":["Unauthorized."]}"#) }
        #expect(try await keeper.send(post, as: session).response.status == 401)
        #expect(bench.server.count("POST /managed_users") == 0)
    }

    @Test func aLateAnswerOfAnEndedSessionRenewsNothing() async throws {
        bench.server.hold("GET /things")
        bench.server.fault("GET /things") { answer(200, "{}", HeaderField("Set-Cookie", "_s=late; path=/")) }
        let late = Task { [keeper, session] in try await keeper.send(get, as: session).response.status }
        await bench.server.seen("GET /things")
        _ = try await keeper.signOut(allDevices: false) {}
        _ = try await keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        bench.server.open()
        #expect(try await late.value == 200)
        bench.server.fault("GET /things", nil)
        #expect(try await keeper.send(get, as: keeper.session()).response.status == 200)
        #expect(lastCookie != "_s=late")
    }

    @Test func sendsNothingUnderAnotherAccount() async throws {
        _ = try await keeper.signOut(allDevices: false) {}
        _ = try await keeper.signIn(.password(email: "bob@lab.test", Secret("right")), remember: false)
        let before = bench.server.log.count
        let error = await failure { () throws(TransportError) in try await keeper.send(get, as: session) }
        #expect(error?.failure.reason == .signInRequired)
        #expect(bench.server.log.count == before)
    }

    @Test func probeReportsHealthAndChangesNothing() async throws {
        #expect(await keeper.probe() == .well(account: "1"))
        let cookie = lastCookie
        _ = await keeper.probe()
        #expect(lastCookie == cookie)
        bench.server.fault(KeeperBench.health) { () throws(TransportError) in throw .lost(KeeperBench.offline) }
        #expect(await keeper.probe() == .unreachable(KeeperBench.offline))
    }

    @Test func storesRenewedCookiesOnceAMinuteAndOnFlush() async throws {
        func stored() throws -> StoredSession { try bench.store.outbox.session(of: "breathesafe") }
        let first = try stored()
        bench.clock.advance(by: 59)
        _ = try await keeper.send(get, as: session)
        #expect(try stored() == first)
        bench.clock.advance(by: 1)
        _ = try await keeper.send(get, as: session)
        #expect(try stored() != first)
        await keeper.flush()
        let second = try stored()
        await keeper.flush()
        #expect(try stored() == second)
        _ = try await keeper.send(get, as: session)
        await keeper.flush()
        #expect(try stored() != second)
    }
}
