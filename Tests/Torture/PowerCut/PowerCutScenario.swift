import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A recorded day at a station in which the daemon makes every kind of write.
final class PowerCutScenario: Sendable {
    let station: TestStation
    let lists: Sandbox
    let recorder: Recorder

    init() async throws {
        station = try await TestStation(
            .breatheSafe(.severalUsers), profile: "breathesafe", route: "measurement",
            edits: [("  dead: [", "  forbidden: [\"Not yours.\"]\n  dead: [")])
        lists = try Sandbox(SandboxConfiguration { $0.backend = .lists2026(Lists2026Configuration { ($0.grace, $0.limits) = (0, .none) }) })
        try await lists.start()
        try TestStation.place("lists-2026", in: station.directory, baseURL: lists.baseURL)
        let state = station.directory("state")
        recorder = Recorder(root: state, log: station.directory("day.log"))
        try configure(keep: 2_592_000)
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    }

    private func configure(keep: TimeInterval) throws {
        try """
        state_directory: state
        socket: homing.sock
        spool: {backend: breathesafe}
        delivery: {\(TestStation.shortPauses)}
        outbox: {keep_delivered: \(keep)}

        """.write(toFile: station.directory("homing.yaml"), atomically: true, encoding: .utf8)
    }

    /// Runs the day and returns the recording, after comparing it with the files.
    func tapes() async throws -> [PowerCutTape] {
        try await Deadline.within(.seconds(900), of: "the recording") { try await self.day() }
        return [try finished(recorder)]
    }

    private func finished(_ recorder: Recorder) throws -> PowerCutTape {
        for (id, _) in Dictionary(grouping: station.sandbox.ledger.entries, by: { $0.clientMutationID ?? "" }) where !id.isEmpty {
            try recorder.mark("taken \(id)")
        }
        let recording = try DiskLog(log: recorder.log ?? "")
        var disk = Disk()
        for record in recording.records { try disk.apply(record) }
        let image = disk.presentImage
        let there = try FileManager.default.subpathsOfDirectory(atPath: recorder.root).filter { !Disk.saysNothing($0) }
        guard Set(there) == image.folders.union(image.files.keys) else {
            throw StationError("the recording has other files: \(Set(there).symmetricDifference(image.folders.union(image.files.keys)))")
        }
        for (path, content) in image.files where FileManager.default.contents(atPath: "\(recorder.root)/\(path)") != Data(content) {
            throw StationError("the recording of \(path) differs from the file")
        }
        return PowerCutTape(recording)
    }

    // MARK: The day

    private func day() async throws {
        // Swift's backtrace handler would let SIGABRT from outside pass.
        let environment = try recorder.environment().merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try await station.start(environment)
        try await changing("session.breathesafe", to: "signedIn") { try await self.station.signIn("breathesafe") }
        try await changing("session.lists-2026", to: "signedIn") { try await self.station.signIn("lists-2026") }
        try await delivered(1...4)
        try await refusals()
        try await pausing()
        try await drops(1...2)
        try await refusedDrop(3)
        try await passingPause()
        try await crashes(environment)
        try await refreshing()
        // Enough for checkpoints.
        try await delivered(41...46, padding: 300 << 10)
        try await changing("session.lists-2026", to: "signedOut") {
            _ = try await self.station.client.call(Endpoints.signOut, SignOut(backend: "lists-2026"))
        }
        // A run that is killed with a request in flight.
        await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "facial_measurements_from_arkit", count: 1))
        try await submit(61)
        try await station.met(.neverAnswerAfterCommit)
        try await station.end(SIGKILL)
        // The next start removes delivered entries.
        try configure(keep: 0.001)
        try await station.start(environment)
        try await settled(61, "delivered")
        try await delivered(62...63)
        try await station.end(SIGTERM)
        try await station.start(environment)
        try await station.end(SIGTERM)
    }

    private func refusals() async throws {
        let path = "facial_measurements_from_arkit"
        // One failed entry is retried, the other discarded.
        await station.sandbox.apply(.error(422, code: "Arkit must be a hash", path: path, count: 2))
        for number in 11...12 {
            try await submit(number)
            try await settled(number, "dead")
        }
        try await changing("entry.\(id(11))", to: nil) {
            _ = try await self.station.client.call(Endpoints.retry, RetryRequest(id: self.id(11)))
        }
        try await settled(11, "delivered")
        try await changing("entry.\(id(12))", to: "discarded") {
            _ = try await self.station.client.call(Endpoints.discard, DiscardRequest(id: self.id(12)))
        }
        await station.sandbox.apply(.error(403, code: "Not yours.", path: path, count: 1))
        try await submit(13)
        try await settled(13, "held")
        try await changing("entry.\(id(13))", to: nil) {
            _ = try await self.station.client.call(Endpoints.retry, RetryRequest(id: self.id(13)))
        }
        try await settled(13, "delivered")
        for (number, fault) in zip(
            14...,
            [
                Fault(.commitThenCut, path: path, count: 1), .unavailable(retryAfter: nil, path: path, count: 1),
                .unavailable(retryAfter: 1, path: path, count: 1),
            ])
        {
            await station.sandbox.apply(fault)
            try await submit(number)
            try await settled(number, "delivered")
        }
    }

    private func pausing() async throws {
        try await changing("pause.breathesafe", to: "yes") {
            _ = try await self.station.client.call(Endpoints.pause, PauseRequest(backend: "breathesafe", reason: "maintenance"))
        }
        for number in 21...22 { try await submit(number) }
        try await changing("pause.breathesafe", to: "no") {
            _ = try await self.station.client.call(Endpoints.resume, ResumeRequest(backend: "breathesafe"))
        }
        for number in 21...22 { try await settled(number, "delivered") }
    }

    /// A pause that ends by itself: its state is unknown from its start.
    private func passingPause() async throws {
        try await changing("pause.breathesafe", to: nil) {
            _ = try await self.station.client.call(
                Endpoints.pause, PauseRequest(backend: "breathesafe", until: Date().addingTimeInterval(3)))
        }
        try await delivered(23...24)
    }

    /// An entry that was in flight in three crashes is held until a person retries it.
    private func crashes(_ environment: [String: String]) async throws {
        for number in 1...3 {
            await station.sandbox.apply(Fault(.neverAnswer, path: "facial_measurements_from_arkit", count: 1))
            if number == 1 { try await submit(25) }
            try await station.met(.neverAnswer, count: number)
            try await station.end(SIGABRT)
            try await station.start(environment)
        }
        try await settled(25, "held")
        try await changing("entry.\(id(25))", to: nil) {
            _ = try await self.station.client.call(Endpoints.retry, RetryRequest(id: self.id(25)))
        }
        try await settled(25, "delivered")
    }

    private func refusedDrop(_ number: Int) async throws {
        try place(Data("no document".utf8), number)
        while try await station.status().spool?.refused == 0 { try await Task.sleep(for: .milliseconds(3)) }
    }

    /// Files that are durable before they get their names.
    private func drops(_ numbers: ClosedRange<Int>) async throws {
        let folder = station.directory("state/spool/new/users/9")
        try recorder.add(Record(.placedFolder, "spool/new/users/9"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in numbers {
            try place(TestStation.measurement(1000 + number), number)
            try await station.event("delivered", count: number) { event in event.entry.map { !$0.hasPrefix("00000000") } ?? false }
        }
    }

    private func place(_ content: Data, _ number: Int) throws {
        let path = "spool/new/users/9/\(number).json"
        let draft = station.directory("draft")
        try content.write(to: URL(fileURLWithPath: draft))
        try recorder.add(Record(.placed, path, data: [UInt8](content)))
        try FileManager.default.moveItem(atPath: draft, toPath: station.directory("state/" + path))
    }

    private func refreshing() async throws {
        for number in 31...33 {
            lists.expireSessions()
            _ = try await station.client.call(
                Endpoints.submit,
                Submission(backend: "lists-2026", route: "create_list", id: id(number), fields: ["name": "list \(number)"]))
            try await settled(number, "delivered")
        }
    }

    // MARK: Steps

    private func id(_ number: Int) -> String { Samples.id(number).description }

    /// Marks the state of `thing` as unknown while `work` runs; afterwards it is `state`, or still unknown if nil.
    private func changing(_ thing: String, to state: String?, _ work: () async throws -> Void) async throws {
        try recorder.mark("begin \(thing)")
        try await work()
        if let state { try recorder.mark("end \(thing) \(state)") }
    }

    private func submit(_ number: Int, padding: Int = 0) async throws {
        let text = Samples.noise(padding)
        let payload =
            padding == 0
            ? TestStation.measurement(number) : Data(#"{"timestamp":\#(number),"average_measurements":{},"padding":"\#(text)"}"#.utf8)
        _ = try await station.client.call(
            Endpoints.submit,
            Submission(backend: "breathesafe", route: "measurement", id: id(number), fields: ["user_id": "5"], payload: payload))
    }

    private func settled(_ number: Int, _ state: String) async throws {
        let id = id(number)
        while try await station.client.call(Endpoints.entry, EntryReference(id: id)).entry.state != state {
            try await Task.sleep(for: .milliseconds(3))
        }
        try recorder.mark("end entry.\(id) \(state)")
    }

    private func delivered(_ numbers: ClosedRange<Int>, padding: Int = 0) async throws {
        for number in numbers { try await submit(number, padding: padding) }
        for number in numbers { try await settled(number, "delivered") }
    }
}
