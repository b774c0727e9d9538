import ControlAPI
import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import SyncDaemon

/// A computer with users and a service, for `Enroller`, and a folder with its configuration.
final class FakeStation: Sendable {
    struct State {
        var users: Set = ["ann", "prometheus"]
        var members: Set<String> = []
        var isEnabled = false
        var isActive = false
        /// The addresses of the running daemon's backends, by name.
        var known: [String: String] = [:]
        /// The service reads another configuration.
        var isElsewhere = false
        var sessions: [String: SessionReport] = [:]
        var requests: [SignIn] = []
        var commands: [String] = []
        /// Thrown at a sign-in.
        var problem: Problem?
        /// A command that fails.
        var failing: String?
    }

    let directory: TemporaryDirectory
    private let state = Mutex(State())

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("etc"), withIntermediateDirectories: true)
        let access = "access: {observe: adm, operate: staff, administer: sudo}"
        try directory.write("state_directory: ../state\nsocket: ../h.sock\n\(access)\n", to: "etc/homing.yaml")
    }

    /// With mode 600.
    func write(_ text: String, to name: String = "station.yaml") throws {
        try directory.write(text, to: name)
        chmod(directory(name), 0o600)
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    func read<T: Sendable>(_ body: (State) -> T) -> T { state.withLock { body($0) } }

    /// The lines that the command prints.
    func enroll(isDryRun: Bool = false) async throws(StartError) -> [String] {
        var lines: [String] = []
        try await Enroller(
            file: directory("station.yaml"), environment: ["HOME": directory.path], isDryRun: isDryRun,
            configuration: directory("etc/homing.yaml"), system: system
        ) { lines.append($0) }.run()
        return lines
    }

    /// The configuration's files, by path in its folder.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory("etc")) where name.hasSuffix(".yaml") {
            files[name] = try String(contentsOfFile: directory("etc/\(name)"), encoding: .utf8)
        }
        return files
    }

    private var system: EnrolmentSystem {
        EnrolmentSystem(
            profiles: ConfigurationTests.shipped.replacing("homing.yaml", with: "backends"), restartMark: directory("restart"),
            isUser: { user in self.state.withLock { $0.users.contains(user) } },
            isMember: { user, group in self.state.withLock { $0.members.contains("\(user) \(group)") } },
            run: { program, arguments in self.state.withLock { Self.run(program, arguments, self.addresses, &$0) } },
            backend: { _, name in
                self.state.withLock { state in
                    state.known[name].map { address in
                        BackendReport(
                            name: name, baseURL: address, gate: "open", gateReason: nil,
                            session: state.sessions[name] ?? SessionReport(backend: name, state: "signedOut"), queue: QueueReport(),
                            oldestWaiting: nil, lastDelivered: nil, nextTry: nil, otherAccounts: [])
                    }
                }
            },
            signIn: { _, request in try self.state.withLock { try Self.signIn(request, &$0) } })
    }

    /// Of the profiles in the configuration's folder, by name.
    private var addresses: [String: String] {
        // `try?`: without files, there are no backends.
        let files = (try? files()) ?? [:]
        let addresses = files.compactMap { path, text -> (String, String)? in
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let line = text.split(separator: "\n").first { $0.hasPrefix("base_url: ") }
            return line.map { (name, String($0.dropFirst("base_url: ".count))) }
        }
        return Dictionary(uniqueKeysWithValues: addresses)
    }

    private static func run(
        _ program: String, _ arguments: [String], _ addresses: [String: String], _ state: inout State
    ) -> Int32? {
        let words = arguments.filter { !$0.hasPrefix("-") }
        switch words.first {
        case "is-enabled": return state.isEnabled ? 0 : 1
        case "is-active": return state.isActive ? 0 : 3
        default: break
        }
        let command = ([URL(fileURLWithPath: program).lastPathComponent] + words).joined(separator: " ")
        state.commands.append(command)
        guard state.failing != command else { return 1 }
        switch words.first {
        case "enable": state.isEnabled = true
        case "start", "restart":
            state.isActive = true
            if !state.isElsewhere { state.known = addresses }
        default:
            // The numbers of Debian’s groups (base-passwd).
            let numbers = ["adm": 4, "staff": 50, "sudo": 27]
            state.members.insert("\(words[1]) \(numbers[words[0]] ?? 0)")
        }
        return 0
    }

    private static func signIn(_ request: SignIn, _ state: inout State) throws {
        state.requests.append(request)
        if let problem = state.problem { throw problem }
        let backend = request.backend ?? ""
        state.sessions[backend] = SessionReport(
            backend: backend, state: "signedIn", account: "5", email: request.email, remembered: request.remember ?? false)
    }
}
