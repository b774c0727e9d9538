import ControlAPI
import Foundation
import Sandbox
import SyncModel
import Synchronization
import TestSupport

/// The real programs in a temporary directory, with a sandbox.
package final class TestStation: Sendable {
    package let directory: TemporaryDirectory
    package let sandbox: Sandbox
    package let client: ControlClient
    private let ownsSandbox: Bool
    private let daemon = Mutex<Process?>(nil)

    /// The folder of the test executable and of the programs.
    package static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    package static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .path

    package convenience init(_ backend: BreatheSafeConfiguration = .severalUsers, delivery: String = shortPauses) async throws {
        try await self.init(.breatheSafe(backend), profile: "breathesafe", route: "measurement", delivery: delivery)
    }

    /// Timeouts in seconds, long enough for the slowest machine.
    package static let patient = "connect: 300, request: 600, exchange: 600"

    /// Longer than any operation, and shorter than these timeouts.
    package static let hang = Duration.seconds(300)

    package static let shortPauses = "first_delay: 0.05, lookup_after: 0.05, first_pause: 0.1"

    /// - Parameters:
    ///   - route: the route of dropped files.
    ///   - edits: texts of the shipped profile and their replacements.
    ///   - answering: replaces responses of the sandbox.
    package init(
        _ backend: SandboxBackend, profile: String, route: String, edits: [(String, String)] = [], delivery: String = shortPauses,
        clock: SandboxClock = SandboxClock(),
        answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) async throws {
        ownsSandbox = true
        directory = try TemporaryDirectory()
        sandbox = try Sandbox(SandboxConfiguration { ($0.backend, $0.clock, $0.answering) = (backend, clock, answering) })
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
        try Self.place(profile, in: directory, baseURL: sandbox.baseURL, edits: edits)
        try Self.configure(directory, delivery: delivery, route: route)
        try await sandbox.start()
    }

    /// Uses a prepared directory, and a sandbox that other stations may share.
    package init(in directory: TemporaryDirectory, at sandbox: Sandbox) {
        ownsSandbox = false
        self.directory = directory
        self.sandbox = sandbox
        client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
    }

    /// Copies the shipped profile, with the one that it extends, and sets the sandbox's addresses.
    ///
    /// - Parameter rosters: false removes the resources, so that no read of a list meets a test's faults or counts.
    package static func place(
        _ profile: String, in directory: TemporaryDirectory, baseURL: String, edits: [(String, String)] = [], rosters: Bool = false
    ) throws {
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        var text = try String(contentsOfFile: "\(project)/config/backends/\(profile).yaml", encoding: .utf8)
        for (old, new) in edits {
            guard let place = text.range(of: old) else { throw StationError("\(profile).yaml does not hold \(old)") }
            text.replaceSubrange(place, with: new)
        }
        if !rosters { text = withoutRosters(text) }
        // As in the configuration. A test may set a timeout below ten seconds, which stays.
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

    /// Removes the resources of a profile, what names them, and the routes that read them.
    private static func withoutRosters(_ profile: String) -> String {
        var isInResources = false
        let text = profile.replacing(/, (?:touches|reference): \w+/, with: "")
        let lines = withoutRowRoutes(text.split(separator: "\n", omittingEmptySubsequences: false)).filter { line in
            if let first = line.first, first != " ", first != "#" { isInResources = line.hasPrefix("resources:") }
            let key = line.trimmingPrefix { $0 == " " }
            let ofRows = ["touches: ", "creates: ", "changes: ", "then: ", "form: [", "values: {"]
            return !isInResources && !ofRows.contains { key.hasPrefix($0) }
        }
        return lines.joined(separator: "\n")
    }

    private static func withoutRowRoutes(_ lines: [Substring]) -> [Substring] {
        var blocks: [[Substring]] = [[]]
        for line in lines {
            if line.prefix(while: { $0 == " " }).count < 4, !line.isEmpty { blocks.append([]) }
            blocks[blocks.count - 1].append(line)
        }
        return blocks.filter { !$0.contains { $0.hasPrefix("    row: ") } }.flatMap(\.self)
    }

    /// - Parameter caFile: the only authorities to trust; nil for the system's.
    package static func configure(
        _ directory: TemporaryDirectory, delivery: String = shortPauses, route: String = "measurement",
        timeouts: String = patient, caFile: String? = nil
    ) throws {
        let spool = route == "measurement" ? "" : "spool: {enabled: false}\n"
        let trust = caFile.map { "ca_file: \($0)\n" } ?? ""
        try "state_directory: state\nsocket: homing.sock\n\(spool)\(trust)delivery: {\(delivery)}\ntimeouts: {\(timeouts)}\n"
            .write(toFile: directory("homing.yaml"), atomically: true, encoding: .utf8)
    }

    deinit {
        daemon.withLock { $0 }?.signal(SIGINT)
        // Otherwise its descriptors pile up, and Foundation's Process.run reads out of bounds beyond a thousand.
        if ownsSandbox { Task { [sandbox] in await sandbox.stop() } }
    }

    // MARK: The daemon

    /// Starts homingd and waits until it is up. Throws its output if it ends instead.
    ///
    /// - Parameters:
    ///   - launcher: a program in /usr/bin that executes homingd.
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

    /// The daemon's message once it serves: the usual one, or the one after it replaced a damaged store.
    private static let isUp = ["Homing is up", "Resumed from the recovered store"]

    /// Reads on a thread because reading blocks, until one of `texts` or the end; then drains the pipe so that the writer never blocks.
    private static func read(_ handle: FileHandle, until texts: [String], into log: String?) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var said = ""
                if let log { _ = FileManager.default.createFile(atPath: log, contents: nil) }
                let copy = log.flatMap { FileHandle(forWritingAtPath: $0) }
                func note(_ part: Data) { try? copy?.write(contentsOf: part) }  // `try?`: a test finds the log empty
                while !texts.contains(where: said.contains) {
                    let part = handle.availableData
                    if part.isEmpty { break }
                    note(part)
                    said += String(decoding: part, as: UTF8.self)
                }
                continuation.resume(returning: said)
                while case let part = handle.availableData, !part.isEmpty { note(part) }
                // `try?`: everything is read. Closed because Foundation's Process.run reads out of bounds beyond a thousand descriptors.
                try? handle.close()
            }
        }
    }

    /// Sends `signal` and returns the exit status.
    @discardableResult
    package func end(_ signal: Int32) async throws -> Int32 {
        let process = try running
        process.signal(signal)
        return await process.status
    }

    private var running: Process {
        get throws {
            guard let process = daemon.withLock({ $0 }) else { throw StationError("the daemon has not been started") }
            return process
        }
    }

    /// Connects without sending anything; nil if that fails.
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

    package func reload() throws { try running.signal(SIGHUP) }

    /// Stops the daemon as systemd does.
    package func stop() async throws -> (code: Int32, took: Duration) {
        let started = ContinuousClock.now
        return (try await end(SIGTERM), ContinuousClock.now - started)
    }

    // MARK: The command line

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

    /// What a shell would suggest. A completion answers nothing when the daemon takes longer than a second, so an empty answer is no answer.
    package func suggestions(_ words: String...) async throws -> [Substring] {
        try await firstValue {
            let text = try await homing(["---completion"] + words).text
            return text.isEmpty ? nil : text.split(separator: "\n")
        }
    }

    // MARK: Calls without a process

    package func login(_ email: String = "manager@lab.test", remember: Bool = false) async throws {
        _ = try await client.call(
            Endpoints.signIn, SignIn(email: email, password: BreatheSafeConfiguration.labPassword, remember: remember))
    }

    package func sync() async throws { _ = try await client.call(Endpoints.sync, SyncRequest()) }

    // MARK: What happens

    /// Waits until `count` requests have met `fault`.
    package func met(_ fault: FaultName, count: Int = 1) async throws {
        await sandbox.ledger.waits { ledger in ledger.requests.count { $0.fault == fault.rawValue } >= count }
        try Task.checkCancellation()
    }

    @discardableResult
    package func submit(user: Int = 5, id: Int) async throws -> SubmissionReceipt {
        try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                backend: "breathesafe", route: "measurement", id: Samples.id(id).description, fields: ["user_id": String(user)],
                payload: Self.measurement(id)))
    }

    /// Moves a capture of user 5 into the drop folder.
    package func drop(_ document: Data, as name: String) throws {
        let folder = directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try document.write(to: URL(fileURLWithPath: directory(name)))
        try FileManager.default.moveItem(atPath: directory(name), toPath: "\(folder)/\(name)")
    }

    package static func measurement(_ number: Int) -> Data {
        Data(#"{"timestamp":\#(number),"average_measurements":{"14-818":{"value":17.25,"description":"nose"}}}"#.utf8)
    }

    /// Waits for the `count`-th matching event.
    @discardableResult
    package func event(
        _ kind: String, since cursor: Int64 = 0, count: Int = 1, where isMeant: (Event) -> Bool = { _ in true }
    ) async throws -> Event? {
        try await client.event(kind, since: cursor, count: count, where: isMeant)
    }

    package func status() async throws -> Status { try await client.call(Endpoints.status, NoInput()) }

    /// All of them, oldest first.
    package func entries(_ state: String? = nil) async throws -> [EntrySummary] {
        var entries: [EntrySummary] = []
        while true {
            let query = EntryQuery(state: state, after: entries.last?.sequence ?? 0, limit: 500)
            let page = try await client.call(Endpoints.entries, query).entries
            entries += page
            if page.count < query.limit { return entries }
        }
    }

    package func entry(_ id: Int) async throws -> EntrySummary {
        try await client.call(Endpoints.entry, EntryReference(id: Samples.id(id).description)).entry
    }
}

package struct StationError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
