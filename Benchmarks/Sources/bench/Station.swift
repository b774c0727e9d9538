import Foundation
import NIOCore
import Synchronization

/// The way from the daemon to its backend.
struct Link: Sendable {
    /// In milliseconds; nil for a backend on the same machine.
    var roundTrip: Int?
    var isEncrypted = false

    /// As in `2 KB, 50 ms away, TLS`; empty for the shortest.
    var name: String { (roundTrip.map { ", \($0) ms away" } ?? "") + (isEncrypted ? ", TLS" : "") }
}

/// A daemon and its backend.
final class Station: Sendable {
    let directory: String
    let control: Client
    let socket: String
    let server: FastServer
    /// What the daemon connects to.
    private let front: Listener
    let tools: Tools
    private let daemon = Mutex<Process?>(nil)
    private let log = Mutex("")

    static let users = Array(5..<69)
    static let project = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()

    /// - Parameter firstPause: of an unreachable backend, in seconds; nil for the shipped one.
    init(
        _ tools: Tools, inFlight: Int = 4, maxBytes: Int = 2 << 30, link: Link = Link(), firstPause: Double? = 0.1
    ) async throws {
        self.tools = tools
        directory = FileManager.default.currentDirectoryPath + "/.bench-\(UUID().uuidString.prefix(8))"
        socket = directory + "/homing.sock"
        try FileManager.default.createDirectory(atPath: directory + "/backends", withIntermediateDirectories: true)
        server = try await FastServer(tls: link.isEncrypted ? Authority(in: directory).context : nil)
        if let roundTrip = link.roundTrip {
            front = Relay.listener(to: server.listener.port, roundTrip: roundTrip, on: server.loop)
            try await front.goUp()
        } else {
            front = server.listener
        }
        let pause = firstPause.map { ", first_pause: \($0)" } ?? ""
        let configuration = """
            state_directory: state
            socket: homing.sock
            delivery: {in_flight: \(inFlight)\(pause)}
            outbox: {max_bytes: \(maxBytes)}
            \(link.isEncrypted ? "ca_file: ca.pem" : "")

            """
        try configuration.write(toFile: directory + "/homing.yaml", atomically: true, encoding: .utf8)
        control = Client(socket: socket)
        try addProfile("breathesafe", at: "\(link.isEncrypted ? "https" : "http")://127.0.0.1:\(front.port)")
    }

    /// Adds the profile in the folder of the programs, or else that of this project, with another `base_url`.
    func addProfile(_ name: String, at url: String) throws {
        let own = "\(tools.programs)/\(name).yaml"
        let path = FileManager.default.fileExists(atPath: own) ? own : "\(Self.project)/config/backends/\(name).yaml"
        let profile = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("base_url:") ? "base_url: \(url)" : String($0) }.joined(separator: "\n")
        try profile.write(toFile: "\(directory)/backends/\(name).yaml", atomically: true, encoding: .utf8)
    }

    /// Starts the daemon; returns the seconds from exec to READY.
    @discardableResult
    func start(trace: Bool = false) async throws -> Double {
        let notifications = try Notifications(path: directory + "/notify")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tools.programs + "/homingd")
        process.arguments = ["run", "--config", directory + "/homing.yaml"] + (trace ? ["--log-level", "trace"] : [])
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LD_PRELOAD": tools.counter + "/libSyncCount.so", "SYNC_COUNT_FILE": directory + "/syncs",
            "NOTIFY_SOCKET": notifications.path,
        ]) { $1 }
        let errors = Pipe()
        process.standardError = errors
        log.withLock { $0 = "" }
        let handle = errors.fileHandleForReading
        Thread.detachNewThread { [self] in
            while case let part = handle.availableData, !part.isEmpty {
                log.withLock { $0 += String(decoding: part, as: UTF8.self) }
            }
        }
        let begin = ContinuousClock.now
        try process.run()
        let isReady = await notifications.wait(for: "READY=1", seconds: 30)
        let took = (ContinuousClock.now - begin).seconds
        guard isReady else { throw BenchError("homingd did not become ready: \(log.withLock { $0 })") }
        daemon.withLock { $0 = process }
        return took
    }

    func stop() async throws {
        guard let process = daemon.withLock({ $0 }) else { return }
        process.terminate()
        try await eventually(seconds: 10) { !process.isRunning }
        daemon.withLock { $0 = nil }
    }

    /// Waits until the daemon has little to do, at most ten minutes: after a start it checks its store. Returns the seconds.
    func rest() async throws -> Double {
        let begin = ContinuousClock.now
        var ticks: Int
        repeat {
            let before = try ProcessFigures(pid).ticks
            try await Task.sleep(for: .seconds(1))
            ticks = try ProcessFigures(pid).ticks - before
        } while ticks > 5 && ContinuousClock.now - begin < .seconds(600)
        return (ContinuousClock.now - begin).seconds
    }

    func close() async throws {
        try await stop()
        try await control.close()
        try await front.goDown()
        try await server.close()
        try FileManager.default.removeItem(atPath: directory)
    }

    var pid: Int32 { daemon.withLock { $0?.processIdentifier ?? 0 } }
    /// The daemon's output since its start.
    var said: String { log.withLock { $0 } }

    /// The fsync and fdatasync calls since the start.
    var syncs: Int {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: directory + "/syncs"))
            return Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
    }

    func signIn() async throws {
        let login = #"{"backend":"breathesafe","email":"manager@lab.test","password":"Correct-horse-9","remember":true}"#
        try await control.post("/v1/sessions", login)
    }

    func goDown() async throws { try await front.goDown() }
    func goUp() async throws { try await front.goUp() }
    /// Delays the backend's responses to measurements.
    func delay(_ milliseconds: Int64) { server.answers.change { $0.delay = .milliseconds(milliseconds) } }

    /// Makes the account have `count` people, one of them Nora Bench. Returns their ids.
    func addPeople(upTo count: Int) -> [Int] {
        server.answers.change { $0.people = count }
        return Array(Self.users[0]..<Self.users[0] + count)
    }

    /// The list of people cannot be read.
    func hidePeople() { server.answers.change { $0.hidesPeople = true } }
    func clearFaults() { server.answers.change { ($0.delay, $0.hidesPeople) = (nil, false) } }

    func submit(_ count: Int, users: [Int] = users, clients: Int = 64, document: Data = Samples.small) async throws {
        let handedIn = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<clients {
                group.addTask { [control] in
                    while case let number = handedIn.next(), number <= count {
                        try await control.submit(document, user: users[number % users.count])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func status() async throws -> StatusView { try JSONDecoder().decode(StatusView.self, from: try await control.get("/v1/status")) }

    func reading() throws -> Reading {
        let figures = try ProcessFigures(pid)
        return Reading(ticks: figures.ticks, syncs: try syncs, written: figures.written)
    }

    private var traffic: Traffic {
        let state = server.answers.now
        return Traffic(connections: front.connections, requests: state.requests, received: state.received)
    }

    /// Delivers the `count` entries that wait while the backend is down. The backend counts them, since each status takes time of the daemon.
    ///
    /// Returns the figures between 5 % and 95 % of them, and the traffic of all of them.
    func drain(_ count: Int) async throws -> (spent: Spent, traffic: Traffic) {
        let (before, earlier) = (traffic, server.answers.now.measurements)
        func reached(_ part: Int) async throws -> (count: Int, reading: Reading) {
            try await eventually(seconds: 900) { server.answers.now.measurements - earlier >= part }
            return (server.answers.now.measurements, try reading())
        }
        try await goUp()
        try await control.post("/v1/sync?backend=breathesafe")
        let begin = try await reached(max(1, count / 20))
        let end = try await reached(count - count / 20)
        try await settled(count)
        return (Spent(end.count - begin.count, from: begin.reading, to: end.reading), traffic - before)
    }

    /// Waits until so many entries are delivered.
    func settled(_ count: Int) async throws {
        let limit = ContinuousClock.now + .seconds(300)
        while case let queue = try await status().backends[0].queue, queue.delivered < count {
            guard ContinuousClock.now < limit else { throw BenchError("not all of \(count) entries were delivered: \(queue)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

struct StatusView: Decodable {
    struct Backend: Decodable { let queue: Queue }
    struct Queue: Decodable { let pending, inflight, delivered: Int }
    let backends: [Backend]
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func eventually(seconds: Double = 30, _ condition: () throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < limit else { throw BenchError("gave up after \(seconds) s of waiting") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
