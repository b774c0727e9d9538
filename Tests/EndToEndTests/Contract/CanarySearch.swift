import ControlAPI
import Foundation
import Sandbox
import StationSupport
import Synchronization
import TestSupport
import Testing

/// What must not be told: what people type, and what the backend has given out until now.
final class CanarySecrets: Sendable {
    private let known = Mutex<Set<String>>([Canary.password, Canary.refreshToken, Canary.jwt])
    var all: Set<String> { known.withLock { $0 } }
    func note(_ secrets: [String]) { known.withLock { $0.formUnion(secrets) } }

    /// To be given to a sandbox.
    var watch: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
        { _, response in
            self.note(response.secrets)
            return response
        }
    }
}

/// Secrets that are known when they are seen, and the search for them.
enum Canary {
    static let email = "manager@lab.test"
    static let password = "Canary-password-7f3a"
    static let refreshToken = "canary-refresh-token-91c4"
    /// How every JWT of the sandbox begins: `{"alg":"` in base64url.
    static let jwt = "eyJhbGciOi"

    /// Fails for each place in which a secret is, and where a kind of place was not searched at all.
    static func check(
        _ station: TestStation, _ log: String, _ secrets: CanarySecrets, _ when: String, isRunning: Bool = true
    ) async throws {
        let places = try await places(station, log, isRunning: isRunning)
        for kind in Kind.allCases where isRunning || !kind.needsADaemon {
            #expect(places.contains { $0.kind == kind && !$0.content.isEmpty }, "\(when): nothing was searched as \(kind)")
        }
        #expect(leaks(in: places, of: secrets.all) == [], "\(when)")
    }

    enum Kind: CaseIterable {
        case stateFile, log, commandLine, environment, events, reports
        var needsADaemon: Bool { self == .events || self == .reports }
    }

    struct Place {
        let kind: Kind
        let name: String
        let content: Data
    }

    struct Leak: Equatable {
        let kind: Kind
        let name: String
        let secret: String
    }

    /// Everything that anybody but the backend can come to see.
    static func places(_ station: TestStation, _ log: String, isRunning: Bool) async throws -> [Place] {
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

    /// Which places hold which secret, byte for byte. Other programs of the machine may have tokens of their own, so a token's beginning alone
    /// says nothing there.
    static func leaks(in places: [Place], of secrets: Set<String>) -> [Leak] {
        places.flatMap { place in
            secrets.sorted().compactMap { secret in
                if secret == jwt, place.kind == .commandLine || place.kind == .environment { return nil }
                guard place.content.range(of: Data(secret.utf8)) != nil else { return nil }
                return Leak(kind: place.kind, name: place.name, secret: secret)
            }
        }
    }
}
