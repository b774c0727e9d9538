import ControlAPI
import Foundation
import HTTPTypes
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// A backend that repeats requests in its errors. Its messages are shown without the secrets.
@Suite struct EchoTests {
    private final class Echo: Sendable {
        private let state = Mutex<(path: String, status: Int)>(("", 0))
        let secrets = CanarySecrets()

        /// An empty `path` ends the refusals.
        func refuse(_ path: String, _ status: Int) { state.withLock { $0 = (path, status) } }

        var answer: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
            { request, response in
                self.secrets.note(response.secrets)
                let (path, status) = self.state.withLock(\.self)
                return !path.isEmpty && request.path.contains(path) ? .json(status, Self.words(request)) : response
            }
        }

        private static func words(_ request: SandboxRequest) -> JSON {
            let headers = request.headers.map { "\($0.name.rawName): \($0.value)" }.joined(separator: " ")
            let query = request.query.map { "\($0)=\($1)" }.joined(separator: " ")
            let sent = JSON.string(
                "Refused: \(request.method) \(request.path) \(query) \(headers) \(String(decoding: request.body, as: UTF8.self))")
            return .object(["message": sent, "error": .object(["message": sent, "code": "echoed"]), "messages": .array([sent])])
        }
    }

    private struct Paths {
        let login, route: String
        var renewal: String?
        let logout: String?
    }

    private let account = SandboxAccount(id: "homingLabManager000000000001", number: 1, email: Canary.email, password: Canary.password)

    @Test("24: LabLoop: a token repeated in an error is hidden") func labLoopErrorsHideTheToken() async throws {
        let echo = Echo()
        let station = try await TestStation(
            .labLoop(LabLoopConfiguration { $0.accounts = [account] }), profile: "labloop", route: "appointment", answering: echo.answer)
        let paths = Paths(login: "auth/login", route: "appointments", renewal: "auth/refresh", logout: "auth/logout")
        try await everyStep(station, echo, paths) { try await station.appointment($0) }
    }

    @Test("24: Story16: a token in an address repeated in an error is hidden") func story16ErrorsHideTheToken() async throws {
        let echo = Echo()
        let station = try await TestStation(
            .story16(FirebaseConfiguration { $0.accounts = [account] }), profile: "story16", route: "message", answering: echo.answer)
        try await everyStep(station, echo, Paths(login: "signInWithPassword", route: "messages", renewal: "v1/token", logout: nil)) {
            try await station.putMessage($0)
        }
    }

    @Test("24: AIPhoto: a token in a form repeated in an error is hidden") func aiPhotoErrorsHideTheToken() async throws {
        let echo = Echo()
        let configuration = AIPhotoConfiguration { $0.firebase.accounts = [account] }
        let station = try await TestStation(.aiPhoto(configuration), profile: "aiphoto", route: "register", answering: echo.answer)
        try await everyStep(station, echo, Paths(login: "signInWithPassword", route: "register", renewal: "v1/token", logout: nil)) {
            try await station.register($0)
        }
    }

    @Test("24: Lists: a token of a token family repeated in an error is hidden") func lists2026ErrorsHideTheToken() async throws {
        let echo = Echo()
        let station = try await TestStation.lists2026(accounts: [account], answering: echo.answer)
        let paths = Paths(login: "auth/sign_in", route: "v1/lists", renewal: "auth/refresh", logout: "auth/sign_out")
        try await everyStep(station, echo, paths) { try await station.createList($0) }
    }

    @Test("24: Lists of the guide: a token repeated in an error is hidden") func listsOfTheGuideErrorsHideTheToken() async throws {
        let echo = Echo()
        let station = try await TestStation(
            .lists(ListsConfiguration { ($0.accounts, $0.mostLogIns) = ([account], nil) }), profile: "lists", route: "create_list",
            answering: echo.answer)
        try await everyStep(station, echo, Paths(login: "auth/sign_in", route: "v1/lists", logout: "auth/sign_out")) {
            try await station.createList($0)
        }
    }

    @Test("24: BreatheSafe: a cookie, CSRF token or password repeated in an error is hidden")
    func breatheSafeErrorsHideCredentials() async throws {
        let echo = Echo()
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration { $0.password = Canary.password }), profile: "breathesafe", route: "measurement",
            answering: echo.answer)
        let paths = Paths(login: "users/log_in", route: "managed_users", renewal: "users/log_in", logout: "users/log_out")
        try await everyStep(station, echo, paths, remember: true) { number in
            _ = try await station.client.call(
                Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: Samples.id(number).description))
        }
    }

    private func waitForReport(of path: String, _ station: TestStation) async throws {
        try await until(every: .milliseconds(20)) {
            let entry = try await station.client.call(Endpoints.entry, EntryReference(id: Samples.id(1).description))
            var reports = "\(entry)\(try await station.status())"
            try await station.client.events(EventQuery(since: 0)) { event in
                reports += "\(event.detail)"
                return true
            }
            return reports.contains(path)
        }
    }

    private func everyStep(
        _ station: TestStation, _ echo: Echo, _ paths: Paths, remember: Bool = false, capture: (Int) async throws -> Void
    ) async throws {
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        let login = ["login", "--email", Canary.email, "--password-stdin"] + (remember ? ["--remember"] : [])
        for status in [404, 401] {
            echo.refuse(paths.login, status)
            let refused = try await station.homing(login, input: Canary.password)
            #expect(refused.code != 0 && refused.text.contains("(hidden)"), "\(refused.text)")
            #expect(!refused.text.contains(Canary.password))
        }
        try await Canary.check(station, log, echo.secrets, "a sign-in was refused")
        echo.refuse("", 0)
        #expect(try await station.homing(login, input: Canary.password).code == 0)

        echo.refuse(paths.route, 422)
        try await capture(1)
        try await station.event("released")
        // During an attempt, `homing why` shows no error.
        try await until { try await station.homing("why", Samples.id(1).description).text.contains("(hidden)") }
        try await Canary.check(station, log, echo.secrets, "an entry was refused")

        if let renewal = paths.renewal {
            echo.refuse(renewal, 400)
            station.sandbox.expireSessions(rememberTokens: remember)
            try await station.sync()
            try await waitForReport(of: renewal, station)
            try await Canary.check(station, log, echo.secrets, "a renewal was refused")
            echo.refuse("", 0)
            // The refresh token may be used up, so a new sign-in replaces it.
            #expect(try await station.homing(login, input: Canary.password).code == 0)
        }
        if let logout = paths.logout {
            echo.refuse(logout, 500)
            let out = try await station.homing("logout", "--yes")
            #expect(out.text.contains("(hidden)"), "\(out.text)")
            try await Canary.check(station, log, echo.secrets, "a sign-out was refused")
        }
        try await station.end(SIGKILL)
        try await Canary.check(station, log, echo.secrets, "killed", isRunning: false)
    }
}
