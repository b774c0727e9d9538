import Backends
import ControlAPI
import Foundation
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
    private static let password = WayIn.password(email: "ann@lab.test", Secret("x"))

    private func problem(_ error: AuthenticationError, _ way: WayIn = password, auth: String = refreshed) throws -> Problem {
        let backend = try backend(auth)
        return Problem(error, signingInAt: backend, by: way, NextCommands(backend: "b", means: backend.signInMeans))
    }

    @Test func theNextStepFitsTheWayIn() throws {
        let refused = AuthenticationError.refused("No.")
        #expect(try problem(refused).next?.hasPrefix("Check the e-mail address and the password") == true)
        let refresh = try #require(try problem(refused, .refreshToken(Secret("t"), label: nil)).next)
        #expect(refresh.contains("‘homing login --backend b --refresh-token-stdin’") && !refresh.contains("password"))
        let key = try #require(try problem(refused, .accessToken(Secret("t"), label: nil), auth: Self.keyed).next)
        #expect(key.contains("‘homing login --backend b --token-stdin’") && !key.contains("password"))
        #expect(
            try problem(.unsupported("b takes no e-mail and password."), auth: Self.keyed).next
                == "Sign in with ‘homing login --backend b --token-stdin’.")
    }

    @Test func whereOnlyTheProfileIsInTheWayNobodyIsSentBackToTheSameCommand() throws {
        let words = "Its profile has to name ‘account’ in ‘refresh’."
        let problem = try problem(.unsupported(words), .refreshToken(Secret("t"), label: nil))
        #expect(problem.detail == words)
        #expect(problem.next == "Ask whoever maintains the profile b.yaml to put that right; trying again before does not help.")
    }

    @Test func aSecondFactorIsSaidToBeOne() throws {
        let problem = try problem(.secondFactor)
        #expect(problem.detail == "This account needs a second factor, which Homing cannot give.")
        #expect(
            problem.next
                == "Use an account without it, or hand in a refresh token with ‘homing login --backend b --refresh-token-stdin’.")
    }

    @Test(arguments: [
        (Failure.Reason.throttled, "backend-unreachable", "Wait that long"),
        (.profile, "backend-misbehaved", "maintains the profile b.yaml"),
        (.intercepted, "backend-unreachable", "sign in to the network first"), (.serverError, "backend-unreachable", "in a few minutes"),
        (.offline, "backend-unreachable", "Signing in needs the network"), (.stopping, "stopping", "once it runs again"),
    ])
    func eachReasonHasItsNextStep(reason: Failure.Reason, code: String, next: String) throws {
        let problem = try problem(.unavailable(Failure(reason, "Its words.")))
        #expect(problem.code.rawValue == code)
        #expect(problem.next?.contains(next) == true, "\(problem)")
        #expect(problem.next?.contains("needs the network") == (reason == .offline))
    }

    @Test func aTokenWithoutANameIsRefusedWithTheWholeCommand() throws {
        let backend = try backend(Self.keyed)
        let commands = NextCommands(backend: "b", means: backend.signInMeans, needsNames: backend.needsNames)
        let problem = Problem(.unnamed, signingInAt: backend, by: .accessToken(Secret("t"), label: nil), commands)
        #expect(problem.code == .invalidRequest)
        #expect(problem.detail == "Nobody was signed in: b does not say whose a token is, so the account needs a name.")
        #expect(problem.next?.contains("‘homing login --backend b --token-stdin --email NAME’") == true)
        #expect(commands.login(of: "clinic") == "homing login --backend b --token-stdin --email clinic")
        #expect(commands.login(of: "Ann's lab") == #"homing login --backend b --token-stdin --email 'Ann'\''s lab'"#)
        #expect(try !self.backend(Self.refreshed).needsNames)
    }

    @Test func whereSomebodyIsSignedInTheFirstWordsSayThatNothingWasChanged() throws {
        let problem = try problem(.conflict(Account(id: "1", label: "ann@lab.test")))
        #expect(problem.detail == "Nothing was changed: ann@lab.test is signed in at b already.")
        #expect(problem.next?.contains("‘homing logout --backend b’") == true)
    }

    @Test(arguments: [
        ("You have to confirm your email address before continuing.", false), ("The account has been switched off.", false),
        ("Your account is not activated yet.", false), ("Invalid Email or password.", true), ("No.", true),
        ("Could not verify the password.", true),
    ])
    func thePasswordIsOnlyToBeCheckedWhereItMayBeWrong(words: String, isInQuestion: Bool) throws {
        #expect(try problem(.refused(words)).next?.contains("password") == isInQuestion)
    }

    @Test func whoIsLockedOutIsToldToWait() throws {
        let problem = try problem(.locked("Your account is locked."))
        #expect(problem.code == .signInRefused && problem.detail == "b refused the sign-in: Your account is locked.")
        #expect(problem.next?.contains("a further try may prolong it") == true)
    }

    @Test func aNameThatIsAnotherAccountsIsRefusedWithWhatToDo() throws {
        let problem = try problem(.labelTaken("bob@lab.test"), .refreshToken(Secret("t"), label: "bob@lab.test"))
        #expect(problem.code == .signInRefused)
        #expect(
            problem.detail == "Nobody was signed in at b: bob@lab.test is known here as the name of another account than the token’s.")
        #expect(problem.next?.hasPrefix("Hand in the same token again without --email") == true)
    }
}
