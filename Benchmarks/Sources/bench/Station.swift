import AsyncHTTPClient
import Foundation
import NIOCore
import Synchronization

final class Station: Sendable {
    let directory: String
    let control: Client
    let backend: Client
    private let sandboxControl: Client
    let tools: Tools
    private let sandbox: Process
    private let daemon = Mutex<Process?>(nil)
    private let log = Mutex("")

    static let users = Array(5..<69)
    static let project = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()

    init(_ tools: Tools, inFlight: Int = 4, maxBytes: Int = 2 << 30) async throws {
        self.tools = tools
        directory = FileManager.default.currentDirectoryPath + "/.bench-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory + "/backends", withIntermediateDirectories: true)
        sandbox = Process()
        sandbox.executableURL = URL(fileURLWithPath: tools.programs + "/homing-sandbox")
        let ports = directory + "/ports"
        sandbox.arguments = ["run", "--port-file", ports] + Self.users.dropFirst().flatMap { ["--managed-user", String($0)] }
        sandbox.standardOutput = FileHandle.nullDevice
        try sandbox.run()
        try await eventually { FileManager.default.fileExists(atPath: ports) }
        let urls = try String(contentsOfFile: ports, encoding: .utf8).split(whereSeparator: { " \n=\"".contains($0) }).map(String.init)
            .filter { $0.hasPrefix("http") }
        backend = Client(base: urls[0])
        sandboxControl = Client(base: urls[1])
        let profile = try String(contentsOfFile: "\(Self.project)/config/backends/breathesafe.yaml", encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("base_url:") ? "base_url: \(urls[0])" : String($0) }.joined(separator: "\n")
        try profile.write(toFile: directory + "/backends/breathesafe.yaml", atomically: true, encoding: .utf8)
        try
            "state_directory: state\nsocket: homing.sock\ndelivery: {in_flight: \(inFlight), first_pause: 0.1}\noutbox: {max_bytes: \(maxBytes)}\n"
            .write(toFile: directory + "/homing.yaml", atomically: true, encoding: .utf8)
        control = Client(socket: directory + "/homing.sock")
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

    func close() async throws {
        try await stop()
        sandbox.terminate()
        for client in [control, backend, sandboxControl] { try await client.close() }
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

    func goDown() async throws { try await sandboxControl.post("/down") }
    func goUp() async throws { try await sandboxControl.post("/up") }
    /// Delays the backend's responses to measurements.
    func delay(_ milliseconds: Int) async throws {
        try await sandboxControl.post("/faults", #"{"fault":"slow","path":"facial_measurements","milliseconds":\#(milliseconds)}"#)
    }

    /// Makes the account have `count` people, one of them Nora Bench. Returns their ids.
    func addPeople(upTo count: Int) async throws -> [Int] {
        struct Person: Decodable {
            let managedID: Int
            enum CodingKeys: String, CodingKey { case managedID = "managed_id" }
        }
        try await sandboxControl.post("/settings", #"{"people":\#(count - 1)}"#)
        let added = try await sandboxControl.post("/add-person", #"{"first_name":"Nora","last_name":"Bench"}"#)
        let last = try JSONDecoder().decode(Person.self, from: added).managedID
        // The backend numbers them in a row.
        return Self.users + Array(last - (count - Self.users.count) + 1...last)
    }

    /// No list can be read.
    func hideLists() async throws { try await sandboxControl.post("/faults", #"{"fault":"500","path":"managed_users"}"#) }
    func clearFaults() async throws { try await sandboxControl.delete("/faults") }

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

    /// Deliveries per second between 5 % and 95 % of the first `count`, with the fsyncs meanwhile.
    func delivered(_ count: Int) async throws -> (rate: Double, syncs: Int, count: Int) {
        func reached(_ part: Int) async throws -> (ContinuousClock.Instant, Int, Int) {
            while true {
                let delivered = try await status().backends[0].queue.delivered
                if delivered >= part { return (.now, delivered, try syncs) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let begin = try await reached(max(1, count / 20))
        let end = try await reached(count - count / 20)
        _ = try await reached(count)
        return (Double(end.1 - begin.1) / (end.0 - begin.0).seconds, end.2 - begin.2, end.1 - begin.1)
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

enum Samples {
    /// About 17 KB: a capture of the app.
    static let large: Data = {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        return (try? Data(contentsOf: URL(fileURLWithPath: "\(root)/Tests/Data/arkit/capture-01.json"))) ?? Data()
    }()
    /// The minimum that the route accepts.
    static let least = Data(#"{"average_measurements":{}}"#.utf8)
    static let small: Data = {
        let rows = (1...45).map { #""\#($0)-\#($0 + 800)":{"value":1\#($0).25,"description":"n"}"# }.joined(separator: ",")
        return Data(#"{"timestamp":1765000000,"average_measurements":{\#(rows)}}"#.utf8)
    }()
}
