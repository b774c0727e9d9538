import ControlAPI
import Foundation
import Outbox
import Sandbox
import SyncDaemon
import TestSupport
import Vault

struct DaemonStation {
    let directory: TemporaryDirectory
    let sandbox: Sandbox
    let client: ControlClient
    let configuration: Configuration

    static let manager = SignIn(email: "manager@lab.test", password: BreatheSafeConfiguration.labPassword)
    static let other = SignIn(email: "other@lab.test", password: BreatheSafeConfiguration.labPassword)

    private init() async throws {
        directory = try TemporaryDirectory()
        sandbox = try Sandbox(SandboxConfiguration())
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
        let shipped = URL(fileURLWithPath: ConfigurationTests.shipped).deletingLastPathComponent().path + "/backends/breathesafe.yaml"
        let profile = try String(contentsOfFile: shipped, encoding: .utf8)
            .replacingOccurrences(of: "https://www.breathesafe.xyz", with: sandbox.baseURL)
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write(profile, to: "backends/breathesafe.yaml")
        try directory.write(
            """
            state_directory: state
            socket: homing.sock
            delivery: {first_delay: 0.05, longest_delay: 0.1, lookup_after: 0.05, first_pause: 0.05, longest_pause: 0.1}
            """, to: "homing.yaml")
        configuration = try Configuration.load(file: directory("homing.yaml"), environment: [:])
        try await sandbox.start()
    }

    /// During `work` the sandbox runs, but no daemon.
    static func with(_ work: (DaemonStation) async throws -> Void) async throws {
        let station = try await DaemonStation()
        do { try await work(station) } catch {
            await station.sandbox.stop()
            throw error
        }
        await station.sandbox.stop()
    }

    func daemon() async throws -> Daemon {
        try await Daemon(configuration: configuration, environment: [:], log: .silent)
    }

    func running(_ work: () async throws -> Void) async throws { try await Self.running(try await daemon(), work) }

    static func running(_ daemon: Daemon, _ work: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await daemon.run() } catch is CancellationError {}  // the test cancels the daemon
            }
            try await work()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Prunes all events but the newest, as if they had expired. The daemon must be stopped.
    func pruneEvents() async throws {
        let state = configuration.stateDirectory
        let vault = try StationKeys.load(environment: [:], stateDirectory: state).vault()
        let outbox = try Outbox(file: state + "/outbox.sqlite", vault: vault, crashed: false, now: Date())
        try await outbox.prune(before: Date().addingTimeInterval(60), at: Date())
        try outbox.close()
    }

    // MARK: User actions

    func capture(_ name: String = "capture-01.json") throws -> Data {
        let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Data/arkit/\(name)")
        return try Data(contentsOf: data)
    }

    @discardableResult
    func submit(id: String? = nil) async throws -> SubmissionReceipt {
        try await client.call(
            Endpoints.submit, Submission(route: "measurement", id: id, fields: ["user_id": "5"], payload: try capture()))
    }

    func status() async throws -> Status { try await client.call(Endpoints.status, NoInput()) }

    /// Returns the first matching event; waits for it if necessary.
    @discardableResult
    func event(_ isMeant: (Event) -> Bool) async throws -> Event? {
        var found: Event?
        try await client.events(EventQuery(since: 0, follow: true)) { event in
            if isMeant(event) { found = event }
            return found == nil
        }
        return found
    }

    func delivered(_ id: String) async throws { try await event { $0.kind == "delivered" && $0.entry == id } }
}
