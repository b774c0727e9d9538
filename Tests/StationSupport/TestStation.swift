import ControlAPI
import Foundation
import Sandbox
import SyncModel
import Synchronization
import TestSupport

/// A station made of the real programs, in a directory of its own, with a sandbox as its backend.
package final class TestStation: Sendable {
    package let directory: TemporaryDirectory
    package let sandbox: Sandbox
    package let client: ControlClient
    private let daemon = Mutex<Process?>(nil)

    /// The folder of this test's own executable, where the build puts the programs too.
    package static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    /// The project's folder.
    package static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .path

    package convenience init(_ backend: BreatheSafeConfiguration = .severalUsers, delivery: String = shortPauses) async throws {
        try await self.init(.breatheSafe(backend), profile: "breathesafe", route: "measurement", delivery: delivery)
    }

    /// No machine is so slow that an answer is lost by these.
    package static let patient = "connect: 300, request: 600, exchange: 600"

    /// Longer than a station takes for anything that it does not wait for, and shorter than it waits for an answer.
    package static let hang = Duration.seconds(300)

    package static let shortPauses = "first_delay: 0.05, lookup_after: 0.05, first_pause: 0.1"

    /// - Parameters:
    ///   - route: what is dropped into the folder goes by it.
    ///   - edits: texts of the shipped profile, and what stands there instead.
    ///   - answering: what goes out in place of an answer of the sandbox.
    package init(
        _ backend: SandboxBackend, profile: String, route: String, edits: [(String, String)] = [], delivery: String = shortPauses,
        clock: SandboxClock = SandboxClock(),
        answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) async throws {
        directory = try TemporaryDirectory()
        sandbox = try Sandbox(SandboxConfiguration(backend: backend, clock: clock, answering: answering))
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
        try Self.place(profile, in: directory, baseURL: sandbox.baseURL, edits: edits)
        try Self.configure(directory, delivery: delivery, route: route)
        try await sandbox.start()
    }

    /// A station in a directory that is prepared already, at a sandbox that may serve others too.
    package init(in directory: TemporaryDirectory, at sandbox: Sandbox) {
        self.directory = directory
        self.sandbox = sandbox
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
    }

    /// The shipped profile, and what it extends, with other addresses.
    package static func place(_ profile: String, in directory: TemporaryDirectory, baseURL: String, edits: [(String, String)] = []) throws {
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        var text = try String(contentsOfFile: "\(project)/config/backends/\(profile).yaml", encoding: .utf8)
        for (old, new) in edits {
            guard let place = text.range(of: old) else { throw StationError("\(profile).yaml does not hold \(old)") }
            text.replaceSubrange(place, with: new)
        }
        // As in the configuration; what a test makes shorter than ten seconds stays so.
        text = text.replacing(/timeout: \d\d+/, with: "timeout: 600")
        let moved = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let url = URL(string: String(words[1])), url.scheme != nil else { return String(line) }
            return switch words[0] {
            case "base_url:": "base_url: \(baseURL)\(url.path)"
            case "idp:", "sts:": "\(line.prefix { $0 == " " })\(words[0]) \(baseURL)"
            default: String(line)
            }
        }
        try moved.joined(separator: "\n").write(toFile: directory("backends/\(profile).yaml"), atomically: true, encoding: .utf8)
        if text.contains("\nextends: firebase") { try place("firebase", in: directory, baseURL: baseURL) }
    }

    /// A configuration with short pauses.
    ///
    /// - Parameter caFile: with the only authorities to trust; nil for the system's.
    package static func configure(
        _ directory: TemporaryDirectory, delivery: String = shortPauses, route: String = "measurement",
        timeouts: String = patient, caFile: String? = nil
    ) throws {
        let spool = route == "measurement" ? "" : "spool: {enabled: false}\n"
        let trust = caFile.map { "ca_file: \($0)\n" } ?? ""
        try "state_directory: state\nsocket: homing.sock\n\(spool)\(trust)delivery: {\(delivery)}\ntimeouts: {\(timeouts)}\n"
            .write(toFile: directory("homing.yaml"), atomically: true, encoding: .utf8)
    }

    deinit { daemon.withLock { $0 }?.interrupt() }

    // MARK: The daemon

    /// Starts homingd and returns once it says that it is up; its error where it ends instead.
    ///
    /// - Parameters:
    ///   - launcher: a program with arguments that becomes homingd once it has done its part, found in /usr/bin.
    ///   - log: a file that gets everything that it says.
    @discardableResult
    package func start(_ environment: [String: String] = [:], through launcher: [String] = [], logTo log: String? = nil) async throws
        -> Process
    {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        let command = launcher + [Self.programs + "/homingd", "run", "--config", directory("homing.yaml")]
        process.executableURL = URL(fileURLWithPath: launcher.isEmpty ? command[0] : "/usr/bin/\(command[0])")
        process.arguments = Array(command.dropFirst())
        let output = Pipe()
        process.standardError = output
        try process.run()
        let said = await Self.read(output.fileHandleForReading, until: Self.isUp, into: log)
        guard Self.isUp.contains(where: said.contains) else { throw StationError(said) }
        daemon.withLock { $0 = process }
        return process
    }

    /// What a daemon says once it serves: at once, or where its store was so damaged that another one was made before.
    private static let isUp = ["Homing is up", "Homing goes on with what was saved of its store"]

    /// On a thread of its own, since reading blocks: until one of `texts` or the end, and from then on drops what comes, so that the writer
    /// never waits.
    private static func read(_ handle: FileHandle, until texts: [String], into log: String?) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var said = ""
                if let log { _ = FileManager.default.createFile(atPath: log, contents: nil) }
                let copy = log.flatMap { FileHandle(forWritingAtPath: $0) }
                func note(_ part: Data) { try? copy?.write(contentsOf: part) }  // `try?`: whoever reads it sees that it is empty
                while !texts.contains(where: said.contains) {
                    let part = handle.availableData
                    if part.isEmpty { break }
                    note(part)
                    said += String(decoding: part, as: UTF8.self)
                }
                continuation.resume(returning: said)
                while case let part = handle.availableData, !part.isEmpty { note(part) }
                // `try?`: all is read. Left open it stays so, and Foundation reads past what it has of a thousand descriptors (Process.run).
                try? handle.close()
            }
        }
    }

    /// Sends `signal` to the daemon and returns its exit status once it is gone.
    @discardableResult
    package func end(_ signal: Int32) async throws -> Int32 {
        let process = try running
        kill(process.processIdentifier, signal)
        return await process.status
    }

    private var running: Process {
        get throws {
            guard let process = daemon.withLock({ $0 }) else { throw StationError("the daemon has not been started") }
            return process
        }
    }

    /// A connection to the socket at `path`, over which nothing has been sent; nil where there is none to be had.
    package static func connect(_ path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if connected == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Has the daemon read its configuration again.
    package func reload() throws { kill(try running.processIdentifier, SIGHUP) }

    /// Stops the daemon as a service manager does; its exit status, and how long it took.
    package func stop() async throws -> (code: Int32, took: Duration) {
        let started = ContinuousClock.now
        return (try await end(SIGTERM), ContinuousClock.now - started)
    }

    // MARK: The command line

    /// Runs `homing` and returns its exit code and everything that it printed.
    @discardableResult
    package func homing(_ arguments: String..., input: String = "") async throws -> (code: Int32, text: String) {
        try await homing(arguments, input: input)
    }

    @discardableResult
    package func homing(_ arguments: [String], input: String = "") async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.programs + "/homing")
        process.arguments = arguments + ["--socket", directory("homing.sock")]
        return try await process.ended(input: input)
    }

    package func login(_ email: String = "manager@lab.test", remember: Bool = false) async throws {
        let result =
            remember
            ? try await homing("login", "--email", email, "--password-stdin", "--remember", input: BreatheSafeConfiguration.labPassword)
            : try await homing("login", "--email", email, "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        guard result.code == 0 else { throw StationError("login: \(result.text)") }
    }

    // MARK: What happens

    /// Waits until so many requests, since the sandbox's first, have met `fault`.
    package func met(_ fault: FaultName, count: Int = 1) async throws {
        while sandbox.ledger.requests.count(where: { $0.fault == fault.rawValue }) < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Hands in a small measurement of `user`.
    @discardableResult
    package func submit(user: Int = 5, id: Int) async throws -> SubmissionReceipt {
        try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                backend: "breathesafe", route: "measurement", id: Samples.id(id).description, fields: ["user_id": String(user)],
                payload: Self.measurement(id)))
    }

    /// Drops a capture of user 5 into the folder, whole.
    package func drop(_ document: Data, as name: String) throws {
        let folder = directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try document.write(to: URL(fileURLWithPath: directory(name)))
        try FileManager.default.moveItem(atPath: directory(name), toPath: "\(folder)/\(name)")
    }

    package static func measurement(_ number: Int) -> Data {
        Data(#"{"timestamp":\#(number),"average_measurements":{"14-818":{"value":17.25,"description":"nose"}}}"#.utf8)
    }

    /// Waits for the first event, since the daemon's first day, that is as asked for.
    @discardableResult
    package func event(
        _ kind: String, since cursor: Int64 = 0, count: Int = 1, where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    )
        async throws -> Event?
    {
        let seen = Mutex<(count: Int, last: Event?)>((0, nil))
        try await client.events(EventQuery(since: cursor, follow: true)) { event in
            guard event.kind == kind, isMeant(event) else { return true }
            return seen.withLock { seen in
                seen = (seen.count + 1, event)
                return seen.count < count
            }
        }
        return seen.withLock { $0.count >= count ? $0.last : nil }
    }

    package func status() async throws -> Status { try await client.call(Endpoints.status, NoInput()) }

    package func entries(_ state: String? = nil) async throws -> [EntrySummary] {
        try await client.call(Endpoints.entries, EntryQuery(state: state, limit: 500)).entries
    }

    package func entry(_ id: Int) async throws -> EntrySummary {
        try await client.call(Endpoints.entry, EntryReference(id: Samples.id(id).description)).entry
    }
}

/// What the daemon said when it did not start.
package struct StationError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
