import ControlAPI
import Foundation
import Sandbox
import Synchronization
import TestSupport

/// Secrets that must not leak: typed ones, and those that the backend has issued so far.
package final class CanarySecrets: Sendable {
    package init() {}

    private let known = Mutex<Set<String>>([Canary.password, Canary.refreshToken, Canary.jwt])
    package var all: Set<String> { known.withLock { $0 } }
    package func note(_ secrets: [String]) { known.withLock { $0.formUnion(secrets) } }

    package var watch: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
        { _, response in
            self.note(response.secrets)
            return response
        }
    }
}

package enum Canary {
    package static let email = "manager@lab.test"
    package static let password = "Canary-password-7f3a"
    package static let refreshToken = "canary-refresh-token-91c4"
    /// The start of every JWT of the sandbox: `{"alg":"` in base64url.
    package static let jwt = "eyJhbGciOi"

    package enum Kind: Sendable, CaseIterable {
        case stateFile, log, commandLine, environment, events, reports
        package var needsADaemon: Bool { self == .events || self == .reports }
    }

    package struct Place: Sendable {
        package let kind: Kind
        package let name: String
        package let content: Data
    }

    package struct Leak: Sendable, Equatable {
        package let kind: Kind
        package let name: String
        package let secret: String
    }

    package static func places(_ station: TestStation, _ log: String, isRunning: Bool) async throws -> [Place] {
        var places: [Place] = []
        func add(_ kind: Kind, _ name: String, _ path: String) {
            // `try?`: a folder, a socket, or a process that has ended.
            guard let content = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return }
            places.append(Place(kind: kind, name: name, content: content))
        }
        let state = station.directory("state")
        for name in try FileManager.default.subpathsOfDirectory(atPath: state) { add(.stateFile, name, "\(state)/\(name)") }
        add(.log, "log", log)
        let me = String(ProcessInfo.processInfo.processIdentifier)
        for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil && process != me {
            add(.commandLine, process, "/proc/\(process)/cmdline")
            add(.environment, process, "/proc/\(process)/environ")
        }
        guard isRunning else { return places }
        var commands: [(Kind, [String])] = [
            (.events, ["events", "--since", "0", "--json"]), (.events, ["events", "--since", "0"]), (.reports, ["status"]),
            (.reports, ["status", "--json"]), (.reports, ["list", "--json"]), (.reports, ["receipts", "--json"]),
            (.reports, ["roster", "managed_users", "--json"]), (.reports, ["roster", "managed_users"]),
        ]
        for entry in try await station.entries() {
            for command in ["why", "show"] { commands += [(.reports, [command, entry.id]), (.reports, [command, entry.id, "--json"])] }
        }
        for (kind, command) in commands {
            let text = try await station.homing(command).text
            places.append(Place(kind: kind, name: command.joined(separator: " "), content: Data(text.utf8)))
        }
        return places
    }

    /// The places that contain each secret. Other processes may hold tokens too, so the start of a JWT is ignored there.
    package static func leaks(in places: [Place], of secrets: Set<String>) -> [Leak] {
        places.flatMap { place in
            secrets.sorted().compactMap { secret in
                if secret == jwt, place.kind == .commandLine || place.kind == .environment { return nil }
                guard place.content.holds(Data(secret.utf8)) else { return nil }
                return Leak(kind: place.kind, name: place.name, secret: secret)
            }
        }
    }

    /// The negative control: the kinds of places in which the search misses a planted secret.
    package static func missed(by station: TestStation, _ log: String) async throws -> [Kind] {
        func planted(_ kind: Kind) -> String { "planted-secret-\(kind)" }
        let file = station.directory("state/outbox.sqlite-wal2")
        try Data("x\(planted(.stateFile))y".utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "read line; exit 0", planted(.commandLine)]
        process.environment = ["PLANTED": planted(.environment)]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        // By design, events and status contain the reason of a pause.
        try await station.homing("pause", "--reason", "\(planted(.events)) \(planted(.reports))")
        // Last, since the daemon overwrites it.
        guard let journal = FileHandle(forWritingAtPath: log) else { throw StationError("\(log) cannot be written") }
        try journal.seekToEnd()
        try journal.write(contentsOf: Data("x\(planted(.log))y\n".utf8))
        let found = leaks(in: try await places(station, log, isRunning: true), of: Set(Kind.allCases.map(planted)))
        try await station.homing("resume")
        try input.fileHandleForWriting.close()
        try FileManager.default.removeItem(atPath: file)
        return Kind.allCases.filter { kind in !found.contains { $0.kind == kind && $0.secret == planted(kind) } }
    }
}
