import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite struct CanaryTests {
    @Test("24: Story16: no secret remains, including in freed pages and the log") func story16LeavesNoSecret() async throws {
        let secrets = CanarySecrets()
        let accounts = [SandboxAccount(id: "homingLabManager000000000001", number: 1, email: Canary.email, password: Canary.password)]
        let firebase = FirebaseConfiguration {
            ($0.accounts, $0.renewal, $0.refreshTokens) = (accounts, .new, [Canary.refreshToken: Canary.email])
        }
        let station = try await TestStation(.story16(firebase), profile: "story16", route: "message", answering: secrets.watch)
        try await rounds(
            station, secrets, failing: Fault(.internalError, path: "messages", count: 1),
            again: (["--refresh-token-stdin", "--email", Canary.email], Canary.refreshToken)
        ) { try await station.putMessage($0) }
    }

    @Test("24: LabLoop: no rotated token remains") func labLoopLeavesNoToken() async throws {
        let secrets = CanarySecrets()
        let accounts = [SandboxAccount(id: "66f0a1b2c3d4e5f600000001", number: 1, email: Canary.email, password: Canary.password)]
        let station = try await TestStation(
            .labLoop(LabLoopConfiguration { $0.accounts = accounts }), profile: "labloop", route: "appointment", answering: secrets.watch)
        // This route never resends after an unknown outcome, so the fault must prove that nothing took effect.
        try await rounds(station, secrets, failing: .tooManyRequests(retryAfter: 1, path: "appointments", count: 1)) {
            try await station.appointment($0)
        }
    }

    @Test("24: Lists: no token of a token family remains") func lists2026LeavesNoToken() async throws {
        let secrets = CanarySecrets()
        let accounts = [SandboxAccount(id: "1", number: 1, email: Canary.email, password: Canary.password)]
        let station = try await TestStation.lists2026(accounts: accounts, answering: secrets.watch)
        try await rounds(station, secrets, failing: Fault(.internalError, path: "api/v1/lists", count: 1)) {
            try await station.createList($0)
        }
    }

    @Test("24: Lists of the guide: no month-long token remains") func listsOfTheGuideLeavesNoToken() async throws {
        let secrets = CanarySecrets()
        let accounts = [SandboxAccount(id: "1", number: 1, email: Canary.email, password: Canary.password)]
        let station = try await TestStation(
            .lists(ListsConfiguration { ($0.accounts, $0.mostLogIns) = (accounts, nil) }), profile: "lists", route: "create_list",
            answering: secrets.watch)
        var failing = Fault(.error, path: "api/v1/lists", count: 1)
        failing.status = 404
        try await rounds(station, secrets, failing: failing, renews: false) {
            try await station.createList($0)
        }
    }

    @Test("24: AIPhoto: no imported or derived token remains") func aiPhotoLeavesNoToken() async throws {
        let secrets = CanarySecrets()
        let accounts = [SandboxAccount(id: "homingLabManager000000000001", number: 1, email: Canary.email, password: Canary.password)]
        let firebase = FirebaseConfiguration {
            ($0.accounts, $0.renewal, $0.refreshTokens) = (accounts, .new, [Canary.refreshToken: Canary.email])
        }
        let station = try await TestStation(
            .aiPhoto(AIPhotoConfiguration { $0.firebase = firebase }), profile: "aiphoto", route: "register", answering: secrets.watch)
        let imported = ["--refresh-token-stdin", "--email", Canary.email]
        try await rounds(
            station, secrets, failing: Fault(.internalError, path: "users/register", count: 1), again: (imported, Canary.refreshToken)
        ) { try await station.register($0) }
    }

    @Test("24: BreatheSafe: no cookie, CSRF token or remembered password remains") func breatheSafeLeavesNoSecret() async throws {
        let secrets = CanarySecrets()
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration { $0.password = Canary.password }), profile: "breathesafe", route: "measurement",
            answering: secrets.watch)
        // The list of people repeats API tokens.
        try station.keepResources()
        let remembered = ["--email", Canary.email, "--password-stdin", "--remember"]
        let failing = Fault(.internalError, path: "facial_measurements", count: 1)
        try await rounds(station, secrets, failing: failing, first: remembered, again: (remembered, Canary.password)) {
            try await station.submit(id: $0)
        }
    }

    @Test("24: BreatheSafe: names are only in reports while signed in, and other personal data nowhere")
    func peopleLeakNowhere() async throws {
        let secrets = CanarySecrets()
        let person: JSONObject = [
            "first_name": "Canaryanna", "last_name": "Canaryexample", "race_ethnicity": "canary-ethnicity", "year_of_birth": "canary-year",
        ]
        secrets.note(["canary-ethnicity", "canary-year"])
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration { $0.managedUsers = [.init(user: 5, profile: person)] }), profile: "breathesafe",
            route: "measurement", answering: secrets.watch)
        try station.keepResources()
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()
        try await station.event("rosterChanged")
        try await station.submit(id: 1)
        try await station.event("delivered")
        func leaks(isRunning: Bool = true) async throws -> [Canary.Leak] {
            let places = try await Canary.places(station, log, isRunning: isRunning)
            #expect(Canary.leaks(in: places, of: secrets.all) == [])
            return Canary.leaks(in: places, of: ["Canaryanna", "Canaryexample", "canaryanna"])
        }
        // Answers name the person of an event; the stored event does not.
        #expect(try await Set(leaks().map(\.kind)) == [.events, .reports])
        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await leaks() == [])
        // The control: a name in an event is found. Pauses are recorded with their reasons.
        try await station.homing("pause", "--reason", "Canaryanna")
        #expect(try await leaks().contains { $0.kind == .events })
        try await station.end(SIGKILL)
        #expect(try await Canary.leaks(in: Canary.places(station, log, isRunning: false), of: secrets.all) == [])
    }

    // MARK: Rounds

    /// A refused sign-in comes first, then two rounds of sign-in, renewal, failure, delivery and sign-out, and a kill last.
    private func rounds(
        _ station: TestStation, _ secrets: CanarySecrets, failing fault: Fault,
        first: [String] = ["--email", Canary.email, "--password-stdin"],
        again: (arguments: [String], input: String) = (["--email", Canary.email, "--password-stdin"], Canary.password), renews: Bool = true,
        capture: (Int) async throws -> Void
    ) async throws {
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        #expect(try await station.homing(["login"] + first, input: Canary.password + "x").code != 0)
        for (round, way) in [(1, (arguments: first, input: Canary.password)), (2, again)] {
            let before = secrets.all.count
            let signedIn = try await station.homing(["login"] + way.arguments, input: way.input)
            #expect(signedIn.code == 0, "\(signedIn.text)")
            if renews { station.sandbox.expireSessions(rememberTokens: first.contains("--remember")) }
            await station.sandbox.apply(fault)
            try await capture(round)
            try await station.event("delivered", count: round)
            #expect(secrets.all.count >= before + (renews ? 2 : 1), "a sign-in and a renewal give out something")
            try await Canary.check(station, log, secrets, "signed in, round \(round)")
            #expect(try await station.homing("logout", "--yes").code == 0)
            try await Canary.check(station, log, secrets, "signed out, round \(round)")
        }
        #expect(try await Canary.missed(by: station, log) == [], "a secret planted there is not found")
        try await station.end(SIGKILL)
        try await Canary.check(station, log, secrets, "killed", isRunning: false)
    }
}
