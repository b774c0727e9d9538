import Backends
import Foundation
import Outbox
import SyncModel
import Testing

@testable import Sessions

private let ann = Account(id: "7", label: "ann@lab.test")
private let offline = Failure(.offline, "The backend does not answer.")
private let lost = Failure(.lostAnswer, "The connection broke.", outcomeUnknown: true)
private let fresh = Credentials(tokens: Tokens(access: Secret("a2"), refresh: Secret("r2"), receivedAt: noon, lifetime: 90_000))

private func after(_ seconds: Double) -> Date { noon.addingTimeInterval(seconds) }

private func loaded(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> Backend {
    let text = TokenBench.profile.replacing("on_failure: clear", with: "on_failure: clear\n    owed: retry")
    precondition(text.contains(old))
    return try load(["tok.yaml": text.replacing(old, with: new, maxReplacements: 1)])[0]
}

/// Signed out at noon. By default the access token does not expire within a day.
private func owed(
    _ account: Account = ann, of backend: Backend, lifetime: TimeInterval = 90_000, since: Double = 0
) -> OwedSignOut {
    let tokens = Tokens(access: Secret("a1"), refresh: Secret("r1"), receivedAt: noon, lifetime: lifetime)
    return OwedSignOut(
        account: account, shown: account, until: after(since + OwedSignOut.longest), address: backend.address,
        origins: Set(backend.profile.credentialOrigins.map(\.description)), credentials: Credentials(tokens: tokens))
}

/// A time in seconds after noon, an event, and the step that it leads to.
private typealias Line = (at: Double, event: OwedSignOuts.Event, step: String)

/// Performs the steps as a keeper does while the store works.
private func perform(_ lines: [Line], on state: inout OwedSignOuts) -> [String] {
    lines.map { line in
        let step = state.on(line.event, at: after(line.at))
        let isStored = !line.step.hasSuffix(", unstored")
        if isStored, case .end(let signOut, _) = step { state.forget(signOut) }
        return words(step, at: after(line.at), isStored: isStored)
    }
}

private func words(_ step: OwedSignOuts.Step, at now: Date, isStored: Bool = true) -> String {
    switch step {
    case .refresh(let signOut): signOut.refresh == .sent ? "refresh" : "a refresh that is not marked"
    case .call(let signOut, let isRenewed): "call \(signOut.account.id)" + (isRenewed ? " renewed" : "")
    case .end(_, .heard(let server)): "heard \(server.name)" + (isStored ? "" : ", unstored")
    case .end(_, let end): "\(end)" + (isStored ? "" : ", unstored")
    case .wait(.none, _): "nothing owed"
    case .wait(let until?, let changed): "wait \(Int(until.timeIntervalSince(now)))" + (changed == nil ? "" : ", store")
    }
}

/// The rules of owed sign-outs, without clock, network or disk.
@Suite struct OwedSignOutsTests {
    private static let failed = OwedSignOuts.Event.answered(.failed("Broken."))
    private static let tables: [(String, [Line])] = [
        (
            "heard at the second try",
            [
                (0, .woke(), "wait 5"), (5, .woke(), "call 7"), (5, failed, "wait 10"), (15, .woke(), "call 7"),
                (15, .answered(.ended), "heard ended"), (15, .woke(), "nothing owed"),
            ]
        ),
        ("the server knows of no such session", [(5, .woke(), "call 7"), (5, .answered(.alreadyGone), "heard alreadyGone")]),
        ("there is nothing to tell", [(5, .woke(), "call 7"), (5, .answered(.some(.none)), "profile")]),
        (
            "a refused token is refreshed once",
            [
                (5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .refreshed(.renewed(fresh)), "call 7 renewed"),
                (5, .answered(nil), "heard alreadyGone"),
            ]
        ),
        (
            "a refused refresh ends it",
            [(5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .refreshed(.ended("over")), "heard alreadyGone")]
        ),
        (
            "a lost refresh is not repeated",
            [
                (5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .refreshed(.unavailable(lost)), "wait 10, store"),
                (15, .woke(), "call 7"), (15, failed, "wait 20, store"), (35, .woke(), "call 7"), (35, .answered(nil), "refreshLost"),
            ]
        ),
        (
            "renewed tokens are stored again until the call is heard",
            [
                (5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .refreshed(.renewed(fresh)), "call 7 renewed"),
                (5, failed, "wait 10, store"), (15, .woke(), "call 7"), (15, failed, "wait 20, store"), (35, .woke(), "call 7"),
                (35, .answered(.ended), "heard ended"),
            ]
        ),
        (
            "a refresh that was not sent is repeated",
            [
                (5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .refreshed(.unavailable(offline)), "wait 10, store"),
                (15, .woke(), "call 7"), (15, .answered(nil), "refresh"),
            ]
        ),
        (
            "the server asks to wait",
            [
                (5, .woke(), "call 7"), (5, .answered(.failed("Slow."), askedToWait: after(3000)), "wait 2995"),
                (2999, .woke(), "wait 1"), (3000, .woke(), "call 7"),
            ]
        ),
        ("the server asked for a pause before", [(5, .woke(pausedUntil: after(600)), "wait 595"), (600, .woke(), "call 7")]),
        (
            "the store refuses",
            [
                (5, .woke(), "call 7"), (5, .answered(.ended), "heard ended, unstored"), (5, .unstored, "wait 5"),
                (10, .woke(), "heard ended"), (10, .woke(), "nothing owed"),
            ]
        ),
        (
            "the store refuses the mark of a refresh",
            [
                (5, .woke(), "call 7"), (5, .answered(nil), "refresh"), (5, .unstored, "wait 10"), (15, .woke(), "call 7"),
                (15, .answered(nil), "refresh"),
            ]
        ),
        (
            "the day has passed and the store refuses",
            [
                (5, .woke(), "call 7"), (5, failed, "wait 10"), (86_400, .woke(), "dayHasPassed, unstored"),
                (86_400, .unstored, "wait 20"), (86_420, .woke(), "dayHasPassed, unstored"), (86_420, .unstored, "wait 40"),
                (86_460, .woke(), "dayHasPassed"), (86_460, .woke(), "nothing owed"),
            ]
        ),
        ("the clock is set ahead", [(5, .woke(), "call 7"), (5, failed, "wait 10"), (90_000, .woke(), "dayHasPassed")]),
    ]

    @Test(arguments: tables.map(\.0)) func follows(table: String) throws {
        let lines = try #require(Self.tables.first { $0.0 == table }?.1)
        let backend = try loaded()
        var state = OwedSignOuts([], backend: backend, now: noon)
        state.add(owed(of: backend), at: noon)
        #expect(perform(lines, on: &state) == lines.map(\.step))
    }

    @Test func refreshesAnExpiredTokenFirst() throws {
        let backend = try loaded()
        var state = OwedSignOuts([owed(of: backend, lifetime: 900)], backend: backend, now: after(3600))
        let lines: [Line] = [
            (3600, .woke(), "refresh"), (3600, .refreshed(.unavailable(offline)), "wait 5, store"), (3605, .woke(), "refresh"),
            (3605, .refreshed(.renewed(fresh)), "call 7 renewed"), (3605, .answered(.ended), "heard ended"),
        ]
        #expect(perform(lines, on: &state) == lines.map(\.step))
        let cannot = try loaded("on_401: [refresh]", "on_401: [login]")
        var other = OwedSignOuts([owed(of: cannot, lifetime: 900)], backend: cannot, now: after(3600))
        #expect(words(other.on(.woke(), at: after(3600)), at: after(3600)) == "call 7")
        #expect(words(other.on(.answered(nil), at: after(3600)), at: after(3600)) == "heard alreadyGone")
    }

    /// The session may live on with tokens that the server issued then.
    @Test func refusalAfterTheSessionLostARefreshIsNotHeard() throws {
        let ends: [(RefreshAnswer, SignOutOutcome.Server?, String)] = [
            (.ended("reused"), nil, "refreshLost"), (.renewed(fresh), nil, "heard alreadyGone"), (.renewed(fresh), .ended, "heard ended"),
        ]
        for (answer, server, end) in ends {
            let backend = try loaded()
            var signOut = owed(of: backend)
            signOut.refreshWasLost = true
            var state = OwedSignOuts([signOut], backend: backend, now: noon)
            var lines: [Line] = [(0, .woke(), "call 7"), (0, .answered(nil), "refresh")]
            if case .ended = answer {
                lines.append((0, .refreshed(answer), end))
            } else {
                lines += [(0, .refreshed(answer), "call 7 renewed"), (0, .answered(server), end)]
            }
            #expect(perform(lines, on: &state) == lines.map(\.step))
        }
    }

    /// Tries with growing pauses, and gives up after the day.
    @Test func givesUpAfterADay() throws {
        let backend = try loaded()
        var state = OwedSignOuts([], backend: backend, now: noon)
        state.add(owed(of: backend), at: noon)
        var (now, tries, pauses): (Date, Int, [TimeInterval]) = (noon, 0, [])
        while true {
            let step = state.on(.woke(), at: now)
            if case .call = step {
                tries += 1
                guard case .wait(let until?, _) = state.on(Self.failed, at: now) else { throw lost }
                pauses.append(until.timeIntervalSince(now))
                now = until
            } else if case .wait(let until?, _) = step {
                now = until
            } else {
                let signOut = try #require(state.all.first)
                #expect(step == .end(signOut, .dayHasPassed))
                break
            }
        }
        #expect(now == after(86_400) && (140...160).contains(tries))
        #expect(pauses.prefix(8) == [10, 20, 40, 80, 160, 320, 600, 600] && pauses.max() == 600)
    }

    @Test func goesOnAfterARestartWithoutAPause() throws {
        let backend = try loaded()
        let stored = owed(of: backend)
        let read = try JSONDecoder().decode(OwedSignOut.self, from: stored.stored.record)
        #expect(read == stored && stored.stored.account == "7" && stored.stored.until == after(86_400))
        var state = OwedSignOuts([read], backend: backend, now: after(7200))
        #expect(words(state.on(.woke(), at: after(7200)), at: after(7200)) == "call 7")
        var late = OwedSignOuts([read], backend: backend, now: after(86_400))
        #expect(late.on(.woke(), at: after(86_400)) == .end(read, .dayHasPassed))
    }

    @Test func clockThatIsSetBackDoesNotProlongTheDay() throws {
        let backend = try loaded()
        var state = OwedSignOuts([owed(of: backend)], backend: backend, now: after(80_000))
        _ = state.on(.woke(), at: after(80_000))
        _ = state.on(Self.failed, at: after(10_000))
        #expect(state.all.first?.until == after(16_400))
        // At a start, the end is too far away to be right; a minute is allowed.
        for (seconds, step) in [(-59.0, "call 7"), (-61, "dayHasPassed")] {
            var restarted = OwedSignOuts([owed(of: backend)], backend: backend, now: after(seconds))
            #expect(words(restarted.on(.woke(), at: after(seconds)), at: after(seconds)) == step)
        }
    }

    @Test func hurryingEndsOnlyOurOwnPause() throws {
        let backend = try loaded()
        for (asked, isCalled) in [(nil, true), (after(3000), false)] as [(Date?, Bool)] {
            var state = OwedSignOuts([owed(of: backend)], backend: backend, now: noon)
            _ = state.on(.woke(), at: noon)
            _ = state.on(.answered(.failed("Broken."), askedToWait: asked), at: noon)
            state.hurry()
            #expect(words(state.on(.woke(), at: after(1)), at: after(1)).hasPrefix("call") == isCalled)
        }
    }

    private static let edits: [(String, String, String)] = [
        ("    owed: retry\n", "", "profile"), ("    json_all: {all: true}\n", "", "call 7"),
        ("base_url: https://api.example.org", "base_url: https://api.example.net", "wait 3600"),
        ("request: POST /logout", "request: POST https://other.example.org/logout", "wait 3600"),
        ("request: POST /logout", "request: POST /leave", "call 7"),
    ]
    @Test(arguments: edits) func sendsNothingThatAnotherProfileWouldSendElsewhere(old: String, new: String, step: String) throws {
        let signOut = owed(of: try loaded())
        var state = OwedSignOuts([signOut], backend: try loaded(old, new), now: after(60))
        #expect(words(state.on(.woke(), at: after(60)), at: after(60)) == step)
        if step.hasPrefix("wait") { #expect(state.on(.woke(), at: after(86_400)) == .end(signOut, .dayHasPassed)) }
    }

    @Test func takesTurnsAndReplacesTheOneOfTheSameAccount() throws {
        let backend = try loaded()
        let bob = Account(id: "8", label: "bob@lab.test")
        var state = OwedSignOuts([], backend: backend, now: noon)
        for account in [ann, bob, ann] { state.add(owed(account, of: backend), at: noon) }
        #expect(state.all.map(\.account.id) == ["8", "7"])
        let lines: [Line] = [
            (5, .woke(), "call 8"), (5, Self.failed, "wait 10"), (15, .woke(), "call 7"), (15, .answered(.ended), "heard ended"),
            (15, .woke(), "call 8"),
        ]
        #expect(perform(lines, on: &state) == lines.map(\.step))
        #expect(state.owed(of: "7") == nil && state.owed(of: "8")?.account == bob)
    }

    @Test func eventsTellWhich() throws {
        let signOut = owed(of: try loaded())
        let ends: [(OwedSignOut.End, SyncEvent.Kind, [String: String])] = [
            (.heard(.ended), .signOutHeard, ["server": "ended"]), (.dayHasPassed, .signOutGivenUp, ["cause": "day"]),
            (.signedIn, .signOutGivenUp, ["cause": "signedIn"]), (.profile, .signOutGivenUp, ["cause": "profile"]),
            (.refreshLost, .signOutGivenUp, ["cause": "refreshLost"]),
        ]
        for (end, kind, detail) in ends {
            let event = signOut.event(of: end, at: "tok", now: noon)
            #expect(event == SyncEvent(at: noon, kind, backend: "tok", account: "7", detail: detail.merging(["email": ann.label]) { $1 }))
        }
    }
}
