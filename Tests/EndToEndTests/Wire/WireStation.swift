import ControlAPI
import Foundation
import SyncDaemon
import SyncModel
import TestSupport

/// A daemon in this process with a test clock; everything else is real.
struct WireStation: Sendable {
    let directory: TemporaryDirectory
    let server: ScriptedServer
    let clock: TestClock
    let client: ControlClient

    init(_ server: ScriptedServer) throws {
        directory = try TemporaryDirectory()
        self.server = server
        clock = TestClock(Date())
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
    }

    /// BASE stands for the server's address.
    func running(_ profile: String, _ work: @Sendable () async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write(profile.replacing("BASE", with: server.url), to: "backends/wire.yaml")
        try directory.write(
            """
            state_directory: state
            socket: homing.sock
            spool: {enabled: false}
            delivery: {first_delay: 1, lookup_after: 1, first_pause: 1, longest_pause: 5}
            """, to: "homing.yaml")
        let configuration = try Configuration.load(file: directory("homing.yaml"), environment: [:])
        let daemon = try await Daemon(configuration: configuration, environment: [:], clock: clock, log: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await daemon.run() } catch is CancellationError {}  // the test cancels the daemon
            }
            defer { group.cancelAll() }
            try await work()
            daemon.stop()
        }
    }

    func signIn(_ email: String = "ann@lab.test", remember: Bool = false) async throws -> SessionReport {
        try await client.call(Endpoints.signIn, SignIn(email: email, password: "right", remember: remember))
    }

    func signOut() async throws { _ = try await client.call(Endpoints.signOut, SignOut()) }

    /// Each note has its own lane.
    func submit(_ id: Int) async throws {
        _ = try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "note", id: Samples.id(id).description, fields: ["lane": "\(id)"], payload: Data(#"{"note":\#(id)}"#.utf8)))
    }

    var session: SessionReport {
        get async throws { try await backend.session }
    }

    var backend: BackendReport {
        get async throws { try await status.backends[0] }
    }

    var status: Status {
        get async throws { try await client.call(Endpoints.status, NoInput()) }
    }

    /// Second by second. Asks after each timer of the daemon and at least every ten seconds, because most conditions ask the daemon for its status.
    func passTime(until condition: () async throws -> Bool) async throws {
        while try await !condition() {
            let (begin, slept) = (clock.now, clock.slept)
            repeat {
                clock.advance(by: 1)
                await pauseBriefly()
            } while clock.slept == slept && clock.now < begin.addingTimeInterval(10)
        }
    }

    func passTime(_ seconds: Int) async {
        for _ in 0..<seconds / 10 {
            clock.advance(by: 10)
            await pauseBriefly()
        }
    }

    func delivered() async throws -> Int { try await backend.queue.delivered }
}

enum WireProfile {
    static let cookies = """
        schema: 1
        name: wire
        base_url: BASE
        auth:
          scheme: cookie
          on_401: [login]
          login: {request: POST /login, json: {email: "{email}", password: "{password}"}, account: /id, email: /email}
          logout: {request: DELETE /logout}
        health: {request: GET /me, account: /id}
        errors: {code: [/error], message: [/error, /message], auth: [signed out], relogin: [wrong password]}
        \(routes)
        """

    /// The same with a CSRF token, which is fetched before the first entry.
    static let csrf = cookies.replacing("  on_401:", with: "  csrf: {request: GET /csrf, token: /token, header: X-CSRF}\n  on_401:")

    static let tokens = """
        schema: 1
        name: wire
        base_url: BASE
        auth:
          scheme: bearer
          on_401: [refresh]
          login:
            request: POST /login
            json: {email: "{email}", password: "{password}"}
            access: /access
            refresh: /refresh
            expires_in: /expires_in
            account: /id
          refresh: {request: POST /refresh, json: {token: "{refresh}"}, access: /access, refresh: /refresh, expires_in: /expires_in}
        errors: {code: [/error], message: [/error, /message], auth: [signed out], relogin: [wrong token]}
        \(routes)
        """

    static let key = """
        schema: 1
        name: wire
        base_url: BASE
        auth: {scheme: bearer, on_401: []}
        errors: {code: [/error], message: [/error, /message], auth: [key revoked]}
        \(routes)
        """

    private static let routes = """
        routes:
          note: {request: POST /notes, json: "{item.payload}", remote_id: /id, lane: "notes/{item.lane}"}
        """
}
