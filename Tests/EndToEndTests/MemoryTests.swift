import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Finds the most expensive shape of document, then submits it at full size, in parallel.
@Suite struct MemoryTests {
    /// The daemon's memory limit in MiB.
    private static let limit = 384
    /// Bytes of memory per byte of a document: eight, plus a margin.
    private static let mostPerByte = 12.0

    @Test func staysWithinMemoryLimitWithWorstPayloads() async throws {
        let server = try await ScriptedServer { request in
            guard request.path.hasPrefix("/users/") else { return .init(200, #"{"id":1}"#) }
            // The extra space makes the daemon compare each value.
            return .init(200, #"{"id":1,"data":{ "# + request.body.dropFirst(#"{"data":{"#.utf8.count))
        }
        let station = try await TestStation()
        try Self.configure(station, server)
        let bound = MemoryBound(mebibytes: Self.limit)
        print("The daemon’s memory is bounded by \(bound.description).")
        let process = try await station.start(through: bound.launcher)
        _ = try await station.client.call(Endpoints.signIn, SignIn(email: "ann@lab.test", token: "key"))

        var worst = (cost: 0.0, shape: Shape.some[0])
        var number = 0
        for shape in Shape.some + Shape.random(4, seed: 1) {
            number += 1
            let document = shape.document(number, bytes: 1 << 20)
            let before = try bound.reset(process)
            try await Self.submit(document, number, station)
            try await Self.waitsFor("delivered", count: number, at: station)
            let cost = Double(try bound.peak(process) - before) / Double(document.count)
            if cost > worst.cost { worst = (cost, shape) }
        }
        #expect(worst.cost < Self.mostPerByte, "\(worst)")
        print("The worst shape is \(worst.shape), with \(worst.cost) bytes for each of its bytes.")

        let shape = worst.shape
        let first = number + 1
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in first...first + 3 {
                group.addTask { try await Self.submit(shape.document(number, bytes: 31 << 20), number, station) }
            }
            try await group.waitForAll()
        }
        try station.drop(shape.document(first + 4, bytes: 31 << 20), as: "large.json")
        // The daemon accepts all of them, and sends one and compares its echo.
        try await Self.waitsFor("captured", count: first + 4, at: station)
        try await Self.waitsFor("delivered", count: first, at: station)
        #expect(process.isRunning)
        #expect(try bound.holds(process), "it took more than \(Self.limit) MiB")
        #expect(try await station.end(SIGTERM) == 0)
        await server.stop()
        await station.sandbox.stop()
    }

    private static func configure(_ station: TestStation, _ server: ScriptedServer) throws {
        try FileManager.default.removeItem(atPath: station.directory("backends/breathesafe.yaml"))
        try station.directory.write(
            """
            schema: 1
            name: wire
            base_url: \(server.url)
            timeout: 600
            auth: {scheme: bearer, on_401: []}
            errors: {code: [/error], message: [/error], auth: [key revoked]}
            routes:
              note:
                request: POST /users/{item.user_id}/notes
                json: {data: "{item.payload}"}
                remote_id: /id
                echo: /data
                lane: users/{item.user_id}
            """, to: "backends/wire.yaml")
        try station.directory.write(
            "state_directory: state\nsocket: homing.sock\nspool: {route: note}\ntimeouts: {\(TestStation.patient)}\n", to: "homing.yaml")
    }

    private static func submit(_ document: Data, _ number: Int, _ station: TestStation) async throws {
        let submission = ControlAPI.Submission(
            route: "note", id: Samples.id(number).description, fields: ["user_id": "\(5 + number)"], payload: document)
        // In debug builds a document can take longer than another may wait for its turn.
        while try await !isTaken(submission, station) {}
    }

    /// Debug builds may time out while they read large documents.
    private static func waitsFor(_ kind: String, count: Int, at station: TestStation) async throws {
        while true {
            do {
                try await station.event(kind, count: count)
                return
            } catch let problem as Problem where problem.code == .timeout {}
        }
    }

    private static func isTaken(_ submission: ControlAPI.Submission, _ station: TestStation) async throws -> Bool {
        do {
            _ = try await station.client.call(Endpoints.submit, submission)
            return true
        } catch {
            guard [.busy, .timeout].contains(error.code) else { throw error }
            return false
        }
    }
}

/// A list or object that repeats a few texts.
private struct Shape: CustomStringConvertible {
    var units: [String]
    var isObject = false

    /// Shapes that have been expensive before.
    static let some = [
        Shape(units: ["1,"]), Shape(units: ["[],"]), Shape(units: [#""\n","#]), Shape(units: [#""a":1,"#], isObject: true),
    ]

    private static let values = ["0", "true", "null", "[]", "{}", #""""#, #""\u00e9""#, "[[[1]]]", #"{"a":{"b":1}}"#, "-1e5", "[1,[2]]"]
    private static let names = [#""":"#, #""a":"#, #""\u0061":"#, #""é":"#]

    static func random(_ count: Int, seed: UInt64) -> [Shape] {
        var dice = SplitMix64(seed: seed)
        func pick(_ texts: [String]) -> String { texts[Int.random(in: texts.indices, using: &dice)] }
        var shapes: [Shape] = []
        for number in 0..<count {
            var shape = Shape(units: [], isObject: number % 2 == 0)
            for _ in 0...Int.random(in: 0...2, using: &dice) {
                shape.units.append((shape.isObject ? pick(names) : "") + pick(values) + ",")
            }
            shapes.append(shape)
        }
        return shapes
    }

    func document(_ number: Int, bytes: Int) -> Data {
        let begin = #"{"timestamp":\#(number),"average_measurements":{},"x":\#(isObject ? "{" : "[")"#
        let unit = units.joined()
        let count = max(0, (bytes - begin.utf8.count + unit.utf8.count - 1) / unit.utf8.count)
        return Data((begin + String(repeating: unit, count: count) + (isObject ? #""z":1}}"# : "1]}")).utf8)
    }

    var description: String { units.joined() }
}

/// The most memory that a process may have: by a control group of this one's where the system gives us one, else measured.
private final class MemoryBound: CustomStringConvertible {
    private let bytes: Int
    private let group: String?

    init(mebibytes: Int) {
        bytes = mebibytes << 20
        group = Self.group(bytes)
    }

    deinit { if let group { rmdir(group) } }

    var description: String { group.map { "the control group \($0)" } ?? "its measured peak (VmHWM), for no control group can be had here" }

    /// A program that enters the group and becomes another one.
    var launcher: [String] { group.map { ["sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", $0] } ?? [] }

    /// Begins to measure the peak; what is held now, in bytes.
    func reset(_ process: Process) throws -> Int {
        try "5".write(toFile: "/proc/\(process.processIdentifier)/clear_refs", atomically: false, encoding: .utf8)
        return try Self.status("VmRSS", process)
    }

    func peak(_ process: Process) throws -> Int { try Self.status("VmHWM", process) }

    /// Whether the process has kept within the bound; in a group it would not run any more.
    func holds(_ process: Process) throws -> Bool { try group != nil || peak(process) <= bytes }

    private static func status(_ key: String, _ process: Process) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(key):") })
        return try #require(Int(line.split(separator: " ", omittingEmptySubsequences: true)[1])) << 10
    }

    /// A new group below this process's own (cgroups(7)); nil where none can be made.
    private static func group(_ bytes: Int) -> String? {
        guard let own = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) else { return nil }  // `try?`: then there is none
        for line in own.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, parts[1] == "memory" || parts[1].isEmpty else { continue }
            let isFirst = parts[1] == "memory"
            let group = "/sys/fs/cgroup\(isFirst ? "/memory" : "")\(parts[2])/homing-test-\(getpid())"
            guard mkdir(group, 0o755) == 0 else { continue }
            let limit = "\(group)/\(isFirst ? "memory.limit_in_bytes" : "memory.max")"
            if (try? "\(bytes)".write(toFile: limit, atomically: false, encoding: .utf8)) != nil { return group }  // `try?`: try the next
            rmdir(group)
        }
        return nil
    }
}
