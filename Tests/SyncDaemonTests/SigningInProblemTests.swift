import Backends
import ControlAPI
import Foundation
import Sessions
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct SigningInProblemTests {
    private func backend(_ auth: String) throws -> Backend {
        let folder = try TemporaryDirectory()
        try folder.write("schema: 1\nname: b\nbase_url: https://b.example\nauth: \(auth)\nroutes: {n: {request: POST /n}}\n", to: "b.yaml")
        return try #require(try ProfileLibrary.load(directory: folder.path, deviceID: "d", version: "1").first)
    }

    private static let keyed = "{scheme: bearer, on_401: []}"
    private static let refreshed =
        "{scheme: bearer, on_401: [refresh], refresh: {request: POST /r, json: {t: '{refresh}'}, access: /a, account: /u}}"
    private static let password = SignInMethod.password(email: "ann@lab.test", Secret("x"))

    private func problem(_ error: SignInError, _ method: SignInMethod = password, auth: String = refreshed) throws -> Problem {
        let backend = try backend(auth)
        return Problem(error, signingInAt: backend, by: method, NextCommands(backend: "b", means: backend.signInMeans))
    }

    @Test func theNextStepFitsTheSignInMethod() throws {
        let refused = SignInError.refused("No.")
        #expect(try problem(refused).next?.hasPrefix("Check the email address and the password") == true)
        let refresh = try #require(try problem(refused, .refreshToken(Secret("t"), label: nil)).next)
        #expect(refresh.contains("run: homing login --backend b --refresh-token-stdin") && !refresh.contains("password"))
        let key = try #require(try problem(refused, .accessToken(Secret("t"), label: nil), auth: Self.keyed).next)
        #expect(key.contains("run: homing login --backend b --token-stdin") && !key.contains("password"))
        #expect(
            try problem(.unsupported("b does not accept an email address and password."), auth: Self.keyed).next
                == "To sign in, run: homing login --backend b --token-stdin")
    }

    @Test func blamesTheProfileIfItsOwnSignInMethodIsUnsupported() throws {
        let words = "Its profile must set auth.refresh.account or health."
        let problem = try problem(.unsupported(words), .refreshToken(Secret("t"), label: nil))
        #expect(problem.detail == words)
        #expect(
            problem.next == "Tell the administrator of this station: b.yaml must be corrected. Until then, signing in again does not help.")
    }

    @Test func reportsASecondFactor() throws {
        let problem = try problem(.secondFactor)
        #expect(problem.detail == "This account needs a second factor, which Homing cannot provide.")
        #expect(
            problem.next
                == "Use an account without a second factor.\nTo sign in with a refresh token, run: homing login --backend b --refresh-token-stdin"
        )
    }

    @Test(arguments: [
        (Failure.Reason.throttled, "backend-unreachable", "Try again after the time given"),
        (.profile, "backend-misbehaved", "b.yaml must be corrected"),
        (.intercepted, "backend-unreachable", "sign in to the network; then sign in here again."),
        (.serverError, "backend-unreachable", "in a few minutes"),
        (.offline, "backend-unreachable", "Signing in needs the network"), (.stopping, "stopping", "When it runs again"),
    ])
    func eachReasonHasItsNextStep(reason: Failure.Reason, code: String, next: String) throws {
        let problem = try problem(.unavailable(Failure(reason, "Its words.")))
        #expect(problem.code.rawValue == code)
        #expect(problem.next?.contains(next) == true, "\(problem)")
        #expect(problem.next?.contains("needs the network") == (reason == .offline))
        #expect(problem.facts?.reason == reason.rawValue)
    }

    @Test func statesTheWaitThatTheServerAskedFor() throws {
        var failure = Failure(.throttled, status: 429, "Slow down.")
        failure.wait = 300
        #expect(try problem(.unavailable(failure)).facts?.wait == 300)
    }

    @Test func statesWhatARefusalConcerns() throws {
        #expect(try problem(.refused("No.")).facts?.reason == nil)
        #expect(try problem(.locked("Locked.")).facts?.reason == "locked")
        #expect(try problem(.refused("Not activated yet.")).facts?.reason == "account")
        #expect(try problem(.refused("No."), .accessToken(Secret("t"), label: nil), auth: Self.keyed).facts?.reason == "token")
    }

    @Test func unnamedTokenIsRefusedWithTheWholeCommand() throws {
        let backend = try backend(Self.keyed)
        let commands = NextCommands(backend: "b", means: backend.signInMeans, needsNames: backend.needsNames)
        let problem = Problem(.unnamed, signingInAt: backend, by: .accessToken(Secret("t"), label: nil), commands)
        #expect(problem.code == .invalidRequest)
        #expect(problem.detail == "Not signed in: b does not report the account of a token, so you must name it.")
        #expect(problem.next?.hasSuffix(" Run: homing login --backend b --token-stdin --email NAME") == true)
        #expect(commands.login(of: "clinic") == "homing login --backend b --token-stdin --email clinic")
        #expect(commands.login(of: "Ann's lab") == #"homing login --backend b --token-stdin --email 'Ann'\''s lab'"#)
        #expect(try !self.backend(Self.refreshed).needsNames)
    }

    @Test func conflictSaysFirstThatNothingWasChanged() throws {
        let problem = try problem(.conflict(Account(id: "1", label: "ann@lab.test")))
        #expect(problem.detail == "Nothing was changed: ann@lab.test is signed in at b already.")
        #expect(problem.next?.contains("run: homing logout --backend b") == true)
    }

    @Test(arguments: [
        ("You have to confirm your email address before continuing.", false), ("The account has been switched off.", false),
        ("Your account is not activated yet.", false), ("Invalid Email or password.", true), ("No.", true),
        ("Could not verify the password.", true),
    ])
    func asksToCheckThePasswordOnlyIfItMayBeWrong(words: String, isInQuestion: Bool) throws {
        #expect(try problem(.refused(words)).next?.contains("password") == isInQuestion)
    }

    @Test func lockedAccountIsToldToWait() throws {
        let problem = try problem(.locked("Your account is locked."))
        #expect(problem.code == .signInRefused && problem.detail == "b refused the sign-in: Your account is locked.")
        #expect(problem.next?.contains("another try may extend it") == true)
    }

    @Test func refusalOfATakenNameSaysWhatToDo() throws {
        let problem = try problem(.labelTaken("bob@lab.test"), .refreshToken(Secret("t"), label: "bob@lab.test"))
        #expect(problem.code == .signInRefused)
        #expect(problem.detail == "Not signed in at b: bob@lab.test is the name of another account.")
        #expect(
            problem.next?.hasSuffix(" To try again, run: homing login --backend b --refresh-token-stdin") == true)
    }
}
