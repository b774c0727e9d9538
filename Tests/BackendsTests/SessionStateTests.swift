import Foundation
import Outbox
import SyncModel
import Testing

@testable import Backends
@testable import Sessions

private let ann = Account(id: "7", label: "ann@lab.test")
private let bob = Account(id: "8", label: "bob@lab.test")
private let anna = Requester(uid: 1000, pid: 42, name: "anna")
private let fresh = Credentials(tokens: Tokens(access: Secret("a2"), refresh: Secret("r2"), receivedAt: noon, lifetime: 900))
private let lost = Failure(.lostAnswer, "The connection broke.", outcomeUnknown: true)
private let undeclared = SignInError.undeclared(Failure(.signInRequired, status: 401, "Unauthorized."))
private let locked = SignInError.undeclared(Failure(.serverError, status: 423, "Locked."))

private let events: [String: RenewalEvent] = [
    "begun": .begun, "renewed": .refreshed(.renewed(fresh)), "over": .refreshed(.ended("over")), "foreign": .refreshed(.foreign),
    "impossible": .refreshed(.impossible), "offline": .refreshed(.unavailable(KeeperBench.offline)), "lost": .refreshed(.unavailable(lost)),
    "400": .refreshed(.unavailable(Failure(.profile, status: 400, "Bad request."))), "signedIn": .signedIn(ann, fresh),
    "429": .refreshed(.unavailable(Failure(.throttled, status: 429, "Slow down."), until: after(3600))),
    "503": .refreshed(.unavailable(Failure(.serverError, status: 503, "Out of order.", outcomeUnknown: true))),
    "bob": .signedIn(bob, fresh), "wrong": refused(.refused("wrong")), "locked": refused(.locked("locked")), "401": refused(undeclared),
    "secondFactor": refused(.secondFactor), "misbehaved": refused(.misbehaved("No account.")), "unanswered": refused(.unavailable(lost)),
    "401in7200": refused(undeclared, asked: after(7200)), "423": refused(locked), "423in7200": refused(locked, asked: after(7200)),
    "unsent": .notSignedIn(.unavailable(KeeperBench.offline), mayHaveArrived: false, askedToWait: nil),
]

private func refused(_ error: SignInError, asked: Date? = nil) -> RenewalEvent {
    .notSignedIn(error, mayHaveArrived: true, askedToWait: asked)
}

private func after(_ seconds: Int) -> Date { noon.addingTimeInterval(TimeInterval(seconds)) }

/// The token server's profile with an edit, and with a declared refusal on its routes.
private func tokenBackend(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> Backend {
    let text = TokenBench.profile.replacing("relogin: [gone]", with: "auth: [expired], relogin: [gone]", maxReplacements: 1)
    precondition(text.contains(old))
    return try load(["tok.yaml": text.replacing(old, with: new, maxReplacements: 1)])[0]
}

/// Signed in an hour ago at `cookie`, `cookie without health`, or a token backend with this `on_401`; then ` kept` and ` declared`.
private func session(_ kind: String) throws -> SessionState {
    let name = kind.replacing(" kept", with: "").replacing(" declared", with: "")
    let backend =
        switch name {
        case "cookie": try breathesafe()
        case "cookie without health": try breathesafe("health: {request: GET /users/get_current_user, account: /currentUser/id}", "")
        default: try tokenBackend("on_401: [refresh]", "on_401: \(name)")
        }
    var record = SessionRecord(address: backend.address)
    (record.state, record.account, record.since, record.generation) = (.signedIn, ann, after(-3600), 1)
    record.origins = Set(backend.profile.credentialOrigins.map(\.description))
    let tokens = Tokens(access: Secret("a1"), refresh: Secret("r1"), receivedAt: noon, lifetime: 900)
    if backend.profile.auth.scheme == .bearer { record.credentials.tokens = tokens }
    if kind.contains(" kept") { record.credentials.kept = Credentials.KeptLogin(email: ann.label, password: Secret("right")) }
    var state = SessionState(.record(record.encoded), backend: backend, foreignTo: nil, now: noon)
    let refusal = answer(401, #"{"code":"expired","error":"Unauthorized.","message":"Unauthorized."}"#)
    if kind.contains(" declared") { state.answered(refusal, generation: 1) }
    return state
}

/// Performs the steps as a keeper does while the store works, and waits out each pause.
private func perform(_ names: [String], on state: inout SessionState) throws -> [String] {
    var (steps, now): ([String], Date) = ([], noon)
    for name in names {
        let step = state.on(try #require(events[name]), at: now)
        steps.append(words(step, at: now))
        switch step {
        case .refresh(let next?), .signIn(_, let next), .end(let next?, _): _ = state.become(next, isStored: true, at: now)
        case .refresh, .end: break
        }
        if case .end(_, .tooSoon(let until, _)?) = step { now = until }
    }
    return steps
}

/// The step, if its transition also says what SessionsInTheStore promises for a store that refuses.
private func words(_ step: RenewalStep, at now: Date) -> String {
    switch step {
    case .refresh(.none): "refresh"
    case .refresh(let next?) where next.record.awaitsRefresh && next.ifUnstored == .refuse: "mark, refresh"
    case .signIn(_, let next) where next.record.renewedByLoginAt == now && next.ifUnstored == .refuse: "time, sign in"
    case .end(let next?, .none) where next.ifUnstored == .hold: next.event.map { "\($0.kind)" } ?? "renewed"
    case .end(let next?, .signInRequired(SessionState.otherAccount)?) where next.ifUnstored == .become: "ended other account"
    case .end(let next?, .signInRequired(let reason)?) where next.ifUnstored == .become && next.event?.kind == .signInRequired:
        reason.hasPrefix("refresh answer lost") ? "ended as lost" : "ended \(reason)"
    case .end(_, .tooSoon(let until, _)?): "pause \(Int(until.timeIntervalSince(now)))"
    case .end(.none, .unavailable?): "unavailable"
    case .end(.none, .undeclared?): "undeclared"
    case .end(.none, .signingOut?): "signing out"
    default: "unexpected \(step)"
    }
}

private func beginSignOut(_ state: inout SessionState, mayDiscard: Bool = false) {
    let begun = state.signOutBegins(SignOutRequest(by: anna, mayDiscard: mayDiscard), at: noon)
    #expect(begun.ifUnstored == .refuse)
    _ = state.become(begun, isStored: true, at: noon)
}

/// The rules of a session, without clock, network or disk.
@Suite struct SessionStateTests {
    private static let home = "https://api.example.org"
    private static let edits: [(String, String, AccountID?)] = [
        (home, "https://api.example.net", nil), (home, "https://api.example.net\nformerly: [\"\(home)\"]", "7"),
        ("request: POST /login", "request: POST https://evil.example.org/login", nil),
        ("request: POST /refresh", "request: POST https://evil.example.org/refresh", nil),
        ("request: POST /logout", "request: POST https://evil.example.org/logout", nil),
        ("errors: {ok", "health: {request: GET https://evil.example.org/me, account: /id}\nerrors: {ok", nil),
    ]
    @Test(arguments: edits) func requiresASignInIfCredentialsWouldGoElsewhere(old: String, new: String, account: AccountID?) throws {
        let stored = try session("[refresh] kept").record
        let state = SessionState(.record(stored.encoded), backend: try tokenBackend(old, new), foreignTo: nil, now: noon)
        #expect(state.snapshot.state == .signInRequired && state.snapshot.reason != nil && state.record.account?.id == account)
        #expect(state.record.credentials == Credentials() && !state.isDirty, "the former profile must bring the session back")
    }

    @Test(arguments: [true, false]) func startsWithoutAUsableRecord(isUnreadable: Bool) throws {
        let state = SessionState(isUnreadable ? .unreadable : .none, backend: try tokenBackend(), foreignTo: nil, now: noon)
        #expect(state.snapshot.state == (isUnreadable ? .signInRequired : .signedOut) && (state.snapshot.reason != nil) == isUnreadable)
        #expect(state.snapshot.account == nil && state.record.credentials == Credentials())
    }

    @Test func restoresASessionAndNamesItsServerWhileEntriesOfAnotherWait() throws {
        let stored = try session("cookie kept")
        #expect(SessionState(.record(stored.record.encoded), backend: stored.backend, foreignTo: nil, now: noon).record == stored.record)
        let foreign = SessionState(.record(stored.record.encoded), backend: stored.backend, foreignTo: "https://old.example:443", now: noon)
        #expect(foreign.snapshot.account?.id == "7@https://www.breathesafe.xyz:443")
    }

    private static let signIns: [(SessionSnapshot.State, String?, SignInError?)] = [
        (.signedIn, "ann@lab.test", nil), (.signedIn, " Ann@Lab.test", nil), (.signedIn, "bob@lab.test", .conflict(ann)),
        (.signedIn, nil, .conflict(ann)), (.signedOut, "bob@lab.test", nil), (.signInRequired, "bob@lab.test", nil),
        (.signingOut, "ann@lab.test", .signingOut),
    ]
    @Test(arguments: signIns) func decidesWhetherToAdmitSignIn(
        current: SessionSnapshot.State, label: String?, expected: SignInError?
    ) async throws {
        var state = try session("[refresh]")
        state.record.state = current
        let password = label.map { SignInMethod.password(email: $0, Secret("right")) }
        for method in [password ?? .accessToken(Secret("k"), label: nil), .refreshToken(Secret("r"), label: label)] {
            let error = await failure { [state] () throws(SignInError) in try state.admit(method) }
            #expect(error == expected)
        }
    }

    @Test(arguments: [true, false]) func signsInAndKeepsThePasswordOnlyIfAllowed(keeps: Bool) throws {
        func signedIn(_ account: Account, _ state: SessionState) throws -> SessionTransition {
            let method = SignInMethod.password(email: ann.label, Secret("right"))
            let signIn = AcceptedSignIn(account: account, credentials: fresh, method: method, keepsPassword: keeps)
            return try state.completeSignIn(signIn, by: anna, known: [], at: noon)
        }
        var state = try session("[refresh, login]")
        #expect(throws: SignInError.conflict(ann)) { _ = try signedIn(bob, state) }
        state.record = try #require(state.requireSignIn("over", at: noon)).record
        state.record.renewedByLoginAt = after(-10)
        let next = try signedIn(ann, state)
        #expect(next.record.state == .signedIn && next.record.account == ann && next.record.checkedAt == noon)
        #expect(next.record.generation > state.record.generation && next.record.credentials.tokens == fresh.tokens)
        #expect((next.record.credentials.kept != nil) == keeps && next.record.renewedByLoginAt == after(-10))
        let detail = ["by": anna.description, "email": ann.label]
        #expect(next.event == SyncEvent(at: noon, .signedIn, backend: "tok", account: "7", detail: detail))
        #expect(next.label == ann && next.ifUnstored == .refuse)
    }

    /// The session, then each event with its step.
    private static let courses = [
        "cookie | begun refresh | over ended over",
        "cookie declared | begun refresh | over ended over",
        "cookie kept | begun refresh | renewed renewed",
        "cookie kept | begun refresh | over time, sign in | signedIn signedIn",
        "cookie kept | begun refresh | offline unavailable | begun refresh | 503 pause 5 | begun refresh | 503 pause 10 | begun refresh",
        "cookie kept | begun refresh | foreign ended other account",
        "cookie without health | begun undeclared | begun undeclared",
        "cookie without health declared | begun ended Unauthorized.",
        "cookie without health kept | begun time, sign in | signedIn signedIn",
        "[refresh] | begun mark, refresh | renewed renewed | begun mark, refresh | over ended over",
        "[refresh] | begun mark, refresh | 429 pause 3600 | begun mark, refresh | foreign ended other account",
        "[refresh] | begun mark, refresh | impossible pause 5",
        "[refresh] | begun mark, refresh | lost pause 5 | begun refresh | offline unavailable | begun refresh | over ended as lost",
        "[refresh] | begun mark, refresh | offline unavailable | begun mark, refresh | 400 pause 5 | begun mark, refresh | over ended over",
        "[refresh] declared | begun mark, refresh | renewed renewed",
        "[refresh] declared | begun mark, refresh | impossible ended Unauthorized.",
        "[refresh, login] kept | begun mark, refresh | over time, sign in | unsent unavailable | begun time, sign in",
        "[refresh, login] kept | begun mark, refresh | lost pause 5 | begun refresh",
        "[login, refresh] | begun mark, refresh | renewed renewed",
        "[login, refresh] kept | begun time, sign in | wrong ended wrong",
        "[login] | begun undeclared",
        "[login] declared | begun ended Unauthorized.",
        "[login] kept | begun time, sign in | signedIn signedIn | begun pause 300 | begun time, sign in",
        "[login] kept | begun time, sign in | 401in7200 pause 7200 | begun time, sign in | locked ended locked",
        "[login] kept | begun time, sign in | 423in7200 pause 7200 | begun time, sign in | 423 pause 3600 | begun time, sign in",
        "[login] kept | begun time, sign in | misbehaved pause 300 | begun time, sign in | unanswered pause 300 | begun time, sign in",
        "[login] kept | begun time, sign in | secondFactor ended the account now needs a second factor, which Homing cannot provide",
        "[login] kept | begun time, sign in | bob ended the kept password signs in to another account",
        "[] | begun undeclared | begun undeclared",
        "[] declared | begun ended Unauthorized.",
    ]
    @Test(arguments: courses) func followsTheRenewalSteps(course: String) throws {
        let parts = course.components(separatedBy: " | ")
        let moves = parts.dropFirst().map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        var state = try session(parts[0])
        let steps = try perform(moves.map { $0[0] }, on: &state)
        let expected = moves.map { $0[1] }
        #expect(steps == expected)
        #expect(state.record.state == .signedIn || state.record.credentials == Credentials())
    }

    @Test(arguments: [("[refresh]", "503", [5, 10, 20, 40, 80, 160, 320, 600]), ("[login] kept", "401", [300, 600, 1200, 2400, 3600])])
    func pausesGrowToACeiling(kind: String, event: String, seconds: [Int]) throws {
        var state = try session(kind)
        let steps = try perform(seconds.flatMap { _ in ["begun", event] }, on: &state)
        #expect(steps.filter { $0.hasPrefix("pause") } == seconds.map { "pause \($0)" })
    }

    /// - Parameter last: when the password was sent, in seconds from now: later than now if the clock was set back since.
    @Test(arguments: [(-300, "time, sign in"), (-299, "pause 1"), (100, "pause 300"), (300, "time, sign in"), (86_400, "time, sign in")])
    func sendsTheKeptPasswordAtMostOnceInFiveMinutes(last: Int, expected: String) throws {
        var state = try session("[refresh, login] kept")
        state.record.renewedByLoginAt = after(last)
        let steps = try perform(["begun", "over"], on: &state)
        #expect(steps == ["mark, refresh", expected] && state.record.credentials.kept != nil)
        #expect(state.record.credentials.tokens?.refresh == nil && !state.isDirty, "the refused token is deleted durably")
    }

    @Test(arguments: ["offline", "400"]) func storesThatTheMarkerIsCleared(event: String) throws {
        var state = try session("[refresh]")
        _ = try perform(["begun", event, "begun", event], on: &state)
        #expect(!state.record.awaitsRefresh && state.isDirty, "after a restart, no answer counts as lost")
    }

    @Test func failureLastsUntilTheRenewal() throws {
        var state = try session("[refresh]")
        _ = try perform(["begun", "503", "begun", "503"], on: &state)
        #expect(state.snapshot.failing?.since == noon && state.snapshot.state == .signedIn)
        state.beginCheck()
        _ = try perform(["begun", "renewed"], on: &state)
        #expect(state.snapshot.failing == nil && state.record.generation == 2 && state.record.credentials == fresh)
        #expect(!state.record.awaitsRefresh && state.isCheckDue)
    }

    @Test(arguments: [nil, -30] as [Int?]) func marksReceiptsSinceTheLastCheck(checked: Int?) throws {
        var state = try session("[refresh]")
        state.record.checkedAt = checked.map(after)
        _ = try perform(["begun", "foreign"], on: &state)
        #expect(state.snapshot.unverifiedSince == after(checked ?? -3600) && state.record.account == ann)
    }

    @Test(arguments: [("over", "signing out"), ("foreign", "signing out"), ("renewed", "renewed")])
    func needsNoNewSessionDuringASignOut(event: String, expected: String) throws {
        var state = try session("[refresh, login] kept")
        _ = try perform(["begun"], on: &state)
        beginSignOut(&state)
        let steps = try perform([event], on: &state)
        #expect(steps == [expected] && state.record.state == .signingOut && state.record.generation == 2)
    }

    /// A check of another lane can end the session during a renewal.
    @Test(arguments: ["renewed", "signedIn"]) func lateAnswerFindsNoSession(event: String) throws {
        var state = try session("cookie kept")
        _ = try perform(["begun"], on: &state)
        state.record = try #require(state.requireSignIn(SessionState.otherAccount, isForeign: true, at: noon)).record
        let steps = try perform([event], on: &state)
        #expect(steps != ["renewed"] && steps != ["signedIn"] && state.snapshot.state == .signInRequired)
        #expect(state.record.credentials == Credentials())
    }

    @Test func holdsRenewedCredentialsAndEndsASessionAtOnce() throws {
        var state = try session("[refresh]")
        let ended = try #require(state.requireSignIn("over", at: noon))
        _ = state.become(SessionTransition(state.record, ifUnstored: .hold), isStored: false, at: noon)
        #expect(state.isUnstored && state.isDirty)
        _ = state.become(SessionTransition(state.record), isStored: true, at: noon)
        #expect(!state.isUnstored && !state.isDirty)
        _ = state.become(ended, isStored: false, at: noon)
        #expect(state.snapshot.state == .signInRequired && state.isDirty && !state.isUnstored)
    }

    /// Otherwise the change would not be announced once it is stored.
    @Test func announcesAHeldChangeOnceItIsStored() throws {
        var state = try session("[refresh]")
        let before = state.snapshot.revision
        var next = state.record
        next.since = noon
        var isAnnounced = state.become(SessionTransition(next, ifUnstored: .hold), isStored: false, at: noon)
        #expect(!isAnnounced && state.snapshot.revision == before)
        isAnnounced = state.become(SessionTransition(next), isStored: true, at: noon)
        #expect(isAnnounced && state.snapshot.revision == before + 1 && state.snapshot.since == noon)
        isAnnounced = state.become(SessionTransition(next), isStored: true, at: noon)
        #expect(!isAnnounced && state.snapshot.revision == before + 1)
    }

    @Test func renewalKeepsTheCookiesThatAnotherLaneReceived() throws {
        var state = try session("cookie")
        let request: OutboundRequest = try #require(state.backend.health)
        _ = try perform(["begun"], on: &state)
        let lane = answer(200, "{}", HeaderField("Set-Cookie", "lane=1; path=/"))
        _ = state.record.credentials.cookies.absorb(lane, to: request, at: noon)
        let confirmed = answer(200, "{}", HeaderField("Set-Cookie", "_s=2; path=/"))
        let step = state.on(.refreshed(.confirmed(confirmed, to: request)), at: noon)
        guard case .end(let next?, .none) = step else { throw lost }
        #expect(next.record.credentials.cookies.header(for: request.url, at: noon) == "lane=1; _s=2")
    }

    private static let servers: [(SignOutOutcome.Server?, String)] = [
        (nil, "unknown"), (.ended, "ended"), (.alreadyGone, "alreadyGone"), (.failed("Broken."), "failed"), (.some(.none), "none"),
    ]
    @Test(arguments: servers) func endsASignOutNowOrAtTheNextStart(server: SignOutOutcome.Server?, name: String) throws {
        var state = try session("[refresh, login] kept")
        (state.record.renewedByLoginAt, state.record.awaitsRefresh) = (noon, true)
        beginSignOut(&state)
        #expect(state.record.credentials.tokens != nil && state.requireSignIn("over", at: noon) == nil)
        if let server {
            state.serverTold(server)
            #expect(state.record.credentials == Credentials() && !state.record.awaitsRefresh && state.isDirty)
        }
        for backend in try [state.backend, tokenBackend(Self.home, "https://api.example.net")] {
            let restarted = SessionState(.record(state.record.encoded), backend: backend, foreignTo: nil, now: noon)
            let end = try #require(restarted.signOutEnds(at: noon))
            var signedOut = SessionRecord(address: backend.address)
            (signedOut.generation, signedOut.reason) = (end.record.generation, end.record.reason)
            #expect(restarted.snapshot.state == .signingOut && end.record == signedOut)
            #expect(end.ifUnstored == .refuse && restarted.discards == nil)
            let detail = ["server": name, "by": anna.description, "email": ann.label]
            #expect(end.event == SyncEvent(at: noon, .signedOut, backend: "tok", account: "7", detail: detail))
        }
    }

    /// The server's answer before the end or the crash, and whether the credentials stay for the call.
    private static let unheard: [(SignOutOutcome.Server?, Bool)] = [
        (nil, true), (.failed("Broken."), true), (.ended, false), (.alreadyGone, false), (.some(.none), false),
    ]
    @Test(arguments: unheard) func owesTheServerASignOutThatItMayNotHaveHeard(server: SignOutOutcome.Server?, isOwed: Bool) throws {
        for key in ["owed: retry", "outbox: hold"] {
            let backend = try tokenBackend("on_failure: clear", "on_failure: clear\n    \(key)")
            var state = SessionState(.record(try session("[refresh] kept").record.encoded), backend: backend, foreignTo: nil, now: noon)
            _ = state.become(state.signOutBegins(SignOutRequest(allDevices: true), at: noon), isStored: true, at: noon)
            let tokens = state.record.credentials.tokens
            if let server {
                state.serverTold(server)
            } else {
                state.owe()
                state.forgetCredentials()
            }
            #expect(state.record.credentials == Credentials())
            let owed = isOwed && key == "owed: retry" ? state.signOutEnds(at: after(60))?.owes : nil
            #expect(state.signOutEnds(at: after(60))?.owes == owed && (owed != nil) == (isOwed && key == "owed: retry"))
            guard let owed else { continue }
            #expect(owed.credentials == Credentials(tokens: tokens), "the kept password is no part of it")
            #expect(owed.until == after(86_400) && owed.account == ann && owed.refresh == .possible)
            #expect(state.signOutEnds(at: after(60))?.record.ending == nil)
        }
    }

    @Test(arguments: [true, false]) func owedSignOutKnowsOfALostRefresh(wasLost: Bool) throws {
        let backend = try tokenBackend("on_failure: clear", "on_failure: clear\n    owed: retry")
        var state = SessionState(.record(try session("[refresh]").record.encoded), backend: backend, foreignTo: nil, now: noon)
        state.record.awaitsRefresh = wasLost
        _ = state.become(state.signOutBegins(SignOutRequest(), at: noon), isStored: true, at: noon)
        state.serverTold(.failed("Broken."))
        #expect(state.signOutEnds(at: noon)?.owes?.refreshWasLost == wasLost)
    }

    @Test(arguments: ["hold", "drop", "refuse"], [true, false])
    func discardsOnlyIfProfileAndRequesterAllow(outbox: String, mayDiscard: Bool) throws {
        let backend = try tokenBackend("json_all: {all: true}", "json_all: {all: true}\n    outbox: \(outbox)")
        var state = SessionState(.record(try session("[refresh]").record.encoded), backend: backend, foreignTo: nil, now: noon)
        #expect(state.signOutEnds(at: noon) == nil)
        beginSignOut(&state, mayDiscard: mayDiscard)
        #expect(state.discards == (outbox == "drop" && mayDiscard ? ann : nil))
        state.noteDiscarded(1)
        state.noteDiscarded(2)
        #expect(state.signOutEnds(at: noon)?.event?.detail["discarded"] == "3")
    }

    @Test(arguments: [true, false]) func keepsRostersOverASignOutIfAsked(keepData: Bool) throws {
        var state = try session("[refresh]")
        let begun = state.signOutBegins(SignOutRequest(keepData: keepData), at: noon)
        _ = state.become(begun, isStored: true, at: noon)
        #expect(begun.rosters == .follows && state.rosterAccount(of: state.record) == "7")
        #expect(state.signOutFails(because: "Broken.", at: noon).rosters == .follows)
        let restarted = SessionState(.record(state.record.encoded), backend: state.backend, foreignTo: nil, now: noon)
        let end = try #require(restarted.signOutEnds(at: noon))
        #expect(end.rosters == (keepData ? .kept : .follows) && restarted.rosterAccount(of: end.record) == nil)
        #expect(end.event?.detail["data"] == (keepData ? "kept" : nil))
    }

    @Test(arguments: [true, false]) func dropsRostersIfAnotherAccountAnswers(isForeign: Bool) throws {
        let state = try session("cookie")
        let end = try #require(state.requireSignIn("over", isForeign: isForeign, at: noon))
        #expect(end.rosters == (isForeign ? .dropped : .follows))
        #expect(state.rosterAccount(of: end.record) == (isForeign ? nil : "7"))
    }

    @Test func returnsToTheSessionIfTheProfileKeepsIt() throws {
        var state = try session("[refresh]")
        let credentials = state.record.credentials
        beginSignOut(&state)
        let back = state.signOutFails(because: "Broken.", at: noon)
        #expect(back.record.state == .signedIn && back.record.credentials == credentials && back.ifUnstored == .become)
        let detail = ["reason": "Broken.", "by": anna.description, "email": ann.label]
        #expect(back.event == SyncEvent(at: noon, .signOutFailed, backend: "tok", account: "7", detail: detail))
    }

    @Test(arguments: [(nil, true), (-59, false), (-60, true), (59, false), (60, true), (86_400, true)] as [(Int?, Bool)])
    func checksTheAccountOnceAMinute(last: Int?, isNeeded: Bool) throws {
        var state = try session("cookie")
        state.record.checkedAt = last.map(after)
        #expect(state.isCheckNeeded(at: noon), "the first request of a run")
        state.beginCheck()
        #expect(state.isCheckNeeded(at: noon) == isNeeded)
    }

    /// The transitions, whether the session of generation 1 is then refused, and whether its account must be confirmed.
    private static let transitions = [
        ("", false, true), ("refused", true, true), ("older refused", false, true), ("refused, forgotten", false, true),
        ("begun", false, false), ("begun, failed", false, true), ("begun, required", false, true), ("confirmed", false, false),
        ("signed in", false, false),
    ]
    @Test(arguments: transitions) func notesRefusalsAndChecks(names: String, isRefused: Bool, isCheckDue: Bool) throws {
        var state = try session("cookie")
        for name in names.components(separatedBy: ", ") where !name.isEmpty {
            switch name {
            case "refused": state.markRefused(generation: 1)
            case "older refused": state.markRefused(generation: 0)
            case "forgotten": state.forgetRefusal()
            case "begun": state.beginCheck()
            case "failed": state.checkFailed()
            case "required": state.requireCheck()
            case "confirmed": state.noteChecked(at: noon)
            case "signed in": state.noteSignIn()
            default: Issue.record("\(name) is no transition")
            }
        }
        #expect(state.isRefused == isRefused && state.isCheckDue == isCheckDue)
        #expect(state.record.checkedAt == (names == "confirmed" ? noon : nil))
    }

    @Test(arguments: [("cookie", 1, false), ("cookie declared", 1, true), ("cookie declared", 0, false)])
    func confirmationEndsAnUndeclaredRefusal(kind: String, generation: Int, isRefused: Bool) throws {
        var state = try session(kind)
        state.markRefused(generation: 1)
        state.forgetUndeclaredRefusal(of: generation)
        #expect(state.isRefused == isRefused)
    }

    @Test(arguments: [(1, SessionSnapshot.State.signedIn, true), (0, .signedIn, false), (1, .signingOut, false)])
    func keepsWhatAnAnswerRenewsOnlyForItsOwnSession(generation: Int, current: SessionSnapshot.State, isKept: Bool) throws {
        for isChange in [true, false] {
            var state = try session("cookie")
            state.record.state = current
            let before = state.record.credentials
            let isAbsorbed = state.absorb(generation: generation) { credentials in
                if isChange { credentials.tokens = fresh.tokens }
                return isChange
            }
            #expect(isAbsorbed == (isKept && isChange) && state.isDirty == isAbsorbed)
            #expect((state.record.credentials != before) == isAbsorbed)
        }
    }

    /// - Parameter seconds: since the last try to store, after which the next is due.
    @Test(arguments: [(0, false), (59, false), (60, true)]) func waitsAMinuteAfterATryToStore(seconds: Int, isDue: Bool) throws {
        var state = try session("cookie")
        _ = state.absorb(generation: 1) { _ in true }
        #expect(state.isStoreDue(at: after(60)))
        state.noteStoreTried(at: after(60))
        #expect(state.isStoreDue(at: after(60 + seconds)) == isDue && state.isDirty)
    }

    @Test func endsAPauseIfAPersonSignsInOrHurries() throws {
        for end in [{ $0.noteSignIn() }, { $0.hurry() }] as [(inout SessionState) -> Void] {
            var state = try session("[refresh]")
            _ = try perform(["begun", "503"], on: &state)
            #expect(state.backoff.running(at: noon) != nil)
            end(&state)
            #expect(state.backoff.running(at: noon) == nil)
        }
    }

    @Test func countsDiscardedEntriesOnlyDuringASignOut() throws {
        var state = try session("[refresh]")
        state.noteDiscarded(1)
        #expect(state.record.ending == nil)
        beginSignOut(&state)
        #expect(state.record.ending?.discarded == nil)
        state.noteDiscarded(0)
        #expect(state.record.ending?.discarded == 0)
    }

    /// - Parameter isGood: whether the check confirms the account; nil if it names another one.
    @Test(arguments: [("7", 1, true), ("8", 1, nil), ("8", 0, false), (nil, 1, false)] as [(AccountID?, Int, Bool?)])
    func notesGoodChecks(account: AccountID?, generation: Int, isGood: Bool?) throws {
        var state = try session("cookie")
        let result = state.confirm(account, generation: generation, at: noon)
        #expect(result == (isGood != nil) && state.record.checkedAt == (isGood == true ? noon : nil))
    }

    /// For how long the server asks, the seconds since, and whether the pause still runs: less than 0 if the clock was set back.
    private static let pauses: [(Int?, Int, Bool)] = [
        (nil, 4, true), (nil, 5, false), (nil, -596, false), (3600, 3599, true), (21_600, 0, true), (21_600, -1, false),
    ]
    @Test(arguments: pauses) func hurryingEndsOnlyOurOwnPauses(asked: Int?, seconds: Int, isRunning: Bool) {
        var backoff = RenewalBackoff()
        backoff.begin(lost, asked: asked.map(after), now: noon)
        #expect((backoff.running(at: after(seconds)) != nil) == isRunning)
        backoff.hurry()
        #expect((backoff.running(at: after(seconds)) != nil) == (isRunning && asked != nil))
    }
}
