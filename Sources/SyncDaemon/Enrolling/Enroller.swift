import Backends
import ControlAPI
import ControlServer
import Files
import Foundation
import Glibc

/// Sets up a station from an enrolment file. Skips each step that is already done, so that a repetition changes nothing.
package final class Enroller {
    private let file: String
    private let configuration: String?
    private let environment: [String: String]
    private let isDryRun: Bool
    private let report: (String) -> Void
    private let system: EnrolmentSystem
    private var done: [String] = []
    /// The sign-ins that wait for the network.
    private var isPending = false

    /// - Parameters:
    ///   - configuration: nil for the default path.
    ///   - report: receives a line for each change.
    package init(
        file: String, environment: [String: String], isDryRun: Bool = false, configuration: String? = nil,
        system: EnrolmentSystem = .real, report: @escaping (String) -> Void
    ) {
        (self.file, self.environment, self.isDryRun, self.configuration) = (file, environment, isDryRun, configuration)
        (self.system, self.report) = (system, report)
    }

    /// Throws at the first step that fails, with the steps before it.
    package func run() async throws(StartError) {
        do {
            let enrolment = try Enrolment(reading: file)
            let plan = try EnrolmentPlan(enrolment, configuration: configuration, environment: environment, system: system)
            let secrets = try await secrets(of: enrolment, plan)
            if !plan.files.isEmpty, !isDryRun { try mark.replace(with: Data()) }
            for file in plan.files { try await change("wrote \(file.path)") { try Self.write(file.content, to: file.path) } }
            try await startUnit(isChanged: !plan.files.isEmpty || mark.exists)
            for (user, group) in plan.members where !system.isMember(user, group.id) {
                try await change("added \(user) to \(group.name); \(user) must log in to the system again") {
                    try await self.run("/usr/sbin/usermod", "--append", "--groups", group.name, user)
                }
            }
            for target in enrolment.targets { try await signIn(target, plan, secrets, enrolment.signInTime) }
            try await removeSecrets(of: enrolment)
        } catch {
            let before = done.isEmpty || isDryRun ? "Nothing was changed." : "Already done: \(done.joined(separator: "; "))."
            throw StartError("\(Self.sentence(for: error))\n\(before)")
        }
        if done.isEmpty, !isPending { report("nothing to change") }
    }

    private static func sentence(for error: any Error) -> String {
        switch error {
        case let mistakes as Mistakes: "The enrolment has mistakes:\n\(mistakes)"
        case let problem as Problem: [problem.detail, problem.next].compactMap(\.self).joined(separator: " ")
        default: StartError.sentence(for: error)
        }
    }

    /// Takes a step, or says that it would.
    private func change(_ words: String, _ step: () async throws -> Void) async throws {
        if !isDryRun { try await step() }
        done.append(words)
        report(isDryRun ? "would change: \(words)" : "changed: \(words)")
    }

    private func run(_ program: String, _ arguments: String...) async throws {
        let code = await system.run(program, arguments)
        guard code != 0 else { return }
        let command = ([program] + arguments).joined(separator: " ")
        throw StartError("Expected this command to succeed: \(command)\n\(code.map { "It ended with \($0)." } ?? "It did not run or end.")")
    }
}

extension Enroller {
    /// The daemon runs as another user, so it needs modes that let it read.
    private static func write(_ content: String, to path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !DurableFile(path: folder).exists { try DurableFile.makeFolder(folder, mode: 0o755) }
        try DurableFile(path: path).replace(with: Data(content.utf8), mode: 0o644)
    }

    private static let unit = "homingd.service"
    private static let systemctl = "/usr/bin/systemctl"

    private func startUnit(isChanged: Bool) async throws {
        let unit = Self.unit
        if await system.run(Self.systemctl, ["--quiet", "is-enabled", unit]) != 0 {
            try await change("enabled \(unit)") { try await self.run(Self.systemctl, "--quiet", "enable", unit) }
        }
        if await system.run(Self.systemctl, ["--quiet", "is-active", unit]) != 0 {
            // A daemon that is just starting may have read the old files.
            try await start(isChanged ? "restart" : "start", "started")
        } else if isChanged {
            try await restart()
        }
    }

    /// A reload would not be over when the sign-in comes.
    private func restart() async throws { try await start("restart", "restarted") }

    private func start(_ verb: String, _ words: String) async throws {
        try await change("\(words) \(Self.unit)") {
            try await self.run(Self.systemctl, verb, Self.unit)
            try self.mark.remove()
        }
    }

    /// Without it, a run that is interrupted before the restart would leave the daemon with the old files for good.
    private var mark: DurableFile { DurableFile(path: system.restartMark) }

    /// By backend, for the accounts that are not signed in. A missing password is an error before the first change.
    private func secrets(of enrolment: Enrolment, _ plan: EnrolmentPlan) async throws -> [String: Secret] {
        // A call to the socket of a stopped daemon could start it, with the old files.
        let isActive = await system.run(Self.systemctl, ["--quiet", "is-active", Self.unit]) == 0
        // An enrolled station whose daemon is stopped: only the daemon knows whether a sign-in is due.
        guard isActive || !plan.files.isEmpty else { return [:] }
        var secrets: [String: Secret] = [:]
        for target in enrolment.targets {
            guard let account = target.account else { continue }
            // `try?`: the daemon may not answer before it is restarted.
            let report = try? await (isActive ? system.backend(plan.configuration.socket, target.name) : nil)
            if let report, report.baseURL == plan.addresses[target.name], try account.isSignedIn(report.session) { continue }
            secrets[target.name] = try account.password.read()
        }
        return secrets
    }

    private func signIn(
        _ target: Enrolment.Target, _ plan: EnrolmentPlan, _ secrets: [String: Secret], _ time: Enrolment.SignInTime
    ) async throws {
        guard let account = target.account else { return }
        let socket = plan.configuration.socket
        if let current = try await session(at: target.name, plan), try account.isSignedIn(current) { return }
        let place = "\(account.email) at \(target.name)"
        do {
            try await change("signed in \(place)") {
                // A session may have ended since the check.
                let secret = try secrets[target.name] ?? account.password.read()
                let request = SignIn(
                    backend: target.name, email: account.email, password: secret.revealed, remember: account.isRemembered)
                try await system.signIn(socket, request)
            }
        } catch let problem as Problem where problem.code == .backendUnreachable {
            guard time == .later else {
                throw StartError("Expected to sign in \(place). \(problem.detail) Run the command again when the network is available.")
            }
            isPending = true
            report("later: sign in \(place). Run the command again when the network is available.")
        }
    }

    /// Nil if the daemon does not have the backend at the address of its profile, in a dry run only.
    private func session(at backend: String, _ plan: EnrolmentPlan) async throws -> SessionReport? {
        let (socket, address) = (plan.configuration.socket, plan.addresses[backend])
        if isDryRun {
            // `try?`: the daemon may not be running yet.
            let report = try? await system.backend(socket, backend)
            return report?.baseURL == address ? report?.session : nil
        }
        if let report = try await system.backend(socket, backend), report.baseURL == address { return report.session }
        // The profile has changed since the daemon started.
        try await restart()
        guard let wanted = address, let report = try await system.backend(socket, backend) else {
            throw StartError("Expected the daemon to have the backend \(backend). Run: homingd check")
        }
        guard report.baseURL == wanted else {
            throw StartError(
                "Expected the daemon to have \(backend) at \(wanted), but it has \(report.baseURL). No password was sent. "
                    + "To see which configuration the service reads, run: systemctl cat \(Self.unit)")
        }
        return report.session
    }

    /// So that no password stays on the station. Not while a sign-in waits for the network.
    private func removeSecrets(of enrolment: Enrolment) async throws {
        guard !isPending else { return }
        for path in enrolment.secretFiles where DurableFile(path: path).exists {
            try await change("deleted \(path), which has a password") { try DurableFile(path: path).remove() }
        }
    }
}
