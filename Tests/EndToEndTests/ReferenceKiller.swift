import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

@testable import homing_torture

/// A station whose daemon is killed while people are created and measured, and the model that judges its server.
final class ReferenceKiller {
    private let station: TestStation
    private let recorder: Recorder
    private var generator: SplitMix64
    private var model = PeopleModel()
    /// The number of the latest entry.
    private var number = 0
    /// Not acknowledged, in order.
    private var owed: [(number: Int, route: String, user: String?, payload: String?)] = []
    /// The entries of this batch follow this sequence.
    private var settledSequence: Int64 = 0
    /// The server's ids of all delivered creates.
    private var claimed: Set<String> = []
    private var retried: Set<String> = []
    private var seenRequests = 0
    /// How often a kill interrupted the send of each entry, up to this event.
    private var doubts: [Int: Int] = [:]
    private var cursor: Int64 = 0

    private(set) var problems: [String] = []
    /// The points at which the daemon died, each time.
    private(set) var met: [String] = []
    /// How many creates a person resolved.
    private(set) var resolved = 0

    init(seed: UInt64) async throws {
        generator = SplitMix64(seed: seed)
        station = try await TestStation.people()
        recorder = Recorder(root: station.directory("state"), log: nil)
        try await station.start()
        try await station.login(remember: true)
        try await station.event("rosterChanged")
        try await station.end(SIGTERM)
    }

    private static let wal = "outbox.sqlite-wal"
    private static let create = "send:before:POST /managed_users:1"
    /// About a create that the round before has interrupted.
    private static let word = "request:after:/resolve:1"
    /// Only the answer to a create contains this text.
    private static let created = "\(create);receive:after:managed_user\":1"

    static let points = [
        FailPoint(name: "before a submission is committed", place: "sync:before:\(wal):#", counts: 24),
        FailPoint(name: "after a submission is committed", place: "sync:after:\(wal):#", counts: 24),
        FailPoint(name: "before a submission is answered", place: "answer:before:HTTP/1.1 201:#", counts: 6),
        FailPoint(name: "before the create is sent", place: create),
        FailPoint(name: "after the create is sent", place: "send:after:POST /managed_users:1"),
        FailPoint(name: "before a person’s word is committed", place: "\(word);sync:before:\(wal):1"),
        FailPoint(name: "after the answer to the create", place: created),
        FailPoint(name: "after a person’s word is committed", place: "\(word);sync:after:\(wal):1"),
        FailPoint(name: "before the binding is written", place: "\(created);write:before:\(wal):1"),
        FailPoint(name: "before the binding is committed", place: "\(created);sync:before:\(wal):1"),
        FailPoint(name: "after the binding is committed", place: "\(created);sync:after:\(wal):1"),
        FailPoint(name: "before a dependent's claim is written", place: "\(created);sync:after:\(wal):1;write:before:\(wal):1"),
        FailPoint(name: "before a dependent's claim is committed", place: "\(created);sync:after:\(wal):1;sync:before:\(wal):1"),
        FailPoint(name: "before a dependent is sent", place: "\(created);send:before:POST /users/:#", counts: 2),
        FailPoint(name: "after a dependent is sent", place: "\(created);send:after:POST /users/:#", counts: 2),
        FailPoint(name: "after the answer to a dependent", place: "\(created);receive:after:facial_measurement\":#", counts: 2),
        FailPoint(name: "before a profile is sent", place: "\(created);send:before:PUT /users/:1"),
        FailPoint(name: "after a profile is sent", place: "\(created);send:after:PUT /users/:1"),
        FailPoint(name: "before a fit test is sent", place: "\(created);send:before:POST /fit_tests:1"),
        FailPoint(name: "after a fit test is sent", place: "\(created);send:after:POST /fit_tests:1"),
        FailPoint(name: "after a second create is sent", place: "send:after:POST /managed_users:2"),
        FailPoint(name: "at any write", place: "write:after:\(wal):#", counts: 60),
        FailPoint(name: "before any send", place: "send:before:*:#", counts: 20),
        FailPoint(name: "after any send", place: "send:after:*:#", counts: 20),
        FailPoint(name: "after any answer", place: "receive:after:*:#", counts: 20),
    ]

    /// Adds a person with entries of every kind, kills the daemon at `point` or once all is delivered, and judges the server.
    func round(_ point: FailPoint) async throws {
        retried = []
        addPerson()
        let file = station.directory("met")
        try? FileManager.default.removeItem(atPath: file)  // `try?`: there may be none
        let environment = try recorder.environment(killing: point.drawn(using: &generator), met: file)
        do {
            let process = try await station.start(environment)
            try await work(while: process)
            if process.isRunning { try await station.end(SIGKILL) }
            _ = await process.status
        } catch let error as StationError {
            // Killed before it was up.
            guard FileManager.default.fileExists(atPath: file) else { throw error }
        }
        if FileManager.default.fileExists(atPath: file) { met.append(point.name) }
        try await judge()
    }

    /// Delivers everything without a kill. Then each person is at the user that Homing names.
    func settle() async throws {
        retried = []
        let process = try await station.start()
        try await work(while: process)
        guard problems.isEmpty else { return }
        let rows = try await rows()
        let judgement = try await judge()
        for (create, user) in judgement.homes {
            guard let row = rows.first(where: { $0.id == Samples.id(create).description }) else { continue }
            if row.remoteID != "\(user)" {
                problems.append("Homing says that create \(create) made \(row.remoteID ?? "nothing"), not \(user)")
            }
            let profiles = rows.filter { $0.route == "profile" && $0.subject?.id == "\(user)" }.count
            if profiles != 1 { problems.append("create \(create) has \(profiles) profiles") }
        }
        if judgement.created.count != model.people.count || judgement.homes.count != model.people.count {
            problems.append("the server has \(judgement.created.count) people for \(model.people.count) entries")
        }
        try await judgeDoubts()
        claimed.formUnion(rows.filter { $0.route == "create_managed_user" }.compactMap(\.remoteID))
        settledSequence = rows.last?.sequence ?? settledSequence
        try await station.end(SIGTERM)
    }

    /// Compares doubled fit tests with the kills in their sends.
    private func judgeDoubts() async throws {
        try await station.client.keptEvents(after: cursor, follow: false) { event in
            cursor = event.cursor
            if event.kind == "recovered", let number = Arrival.number(event.entry) { doubts[number, default: 0] += 1 }
            return true
        }
        problems += PeopleModel.unexplainedFitTests(station.sandbox.ledger.arrivals, doubts: doubts)
    }

    // MARK: Working

    private func next() -> Int {
        number += 1
        return number
    }

    /// Every second person is named in the same call as the create.
    private func addPerson() {
        let create = next()
        let user = TestStation.reference(to: create)
        let isNamedAtOnce = create % 2 == 0
        var person = PeopleModel.Person(create: create)
        owed.append((create, "create_managed_user", nil, isNamedAtOnce ? Arrival.profile(create) : nil))
        func add(_ route: String, _ payload: (Int) -> String) -> Int {
            let entry = next()
            owed.append((entry, route, user, payload(entry)))
            return entry
        }
        let measurement = { (number: Int) in String(decoding: TestStation.measurement(number), as: UTF8.self) }
        person.measurements.append(add("measurement", measurement))
        person.profiles.append(isNamedAtOnce ? create : add("profile", Arrival.profile))
        person.measurements.append(add("measurement", measurement))
        person.fitTests.append(add("fit_test", Arrival.fitTest))
        model.add(person)
        let other = next()
        owed.append((other, "measurement", "\(PeopleModel.knownUser)", measurement(other)))
        model.addForKnownUser(other)
    }

    /// Submits what is owed and does what a person would do, until all is delivered, the daemon has ended, or something is wrong.
    private func work(while process: Process) async throws {
        while process.isRunning, problems.isEmpty {
            try Task.checkCancellation()
            do {
                if try await step() { return }
            } catch let problem as Problem {
                // A killed daemon does not answer; the next run gets the same call.
                guard [Problem.Code.daemonNotRunning, .timeout, .busy].contains(problem.code) else {
                    problems.append("refused: \(problem.detail)")
                    return
                }
            }
            await pauseBriefly()
        }
    }

    /// True once all is delivered.
    private func step() async throws -> Bool {
        while let entry = owed.first {
            try await station.submit(entry.route, entry.number, user: entry.user, entry.payload)
            owed.removeFirst()
        }
        let rows = try await rows()
        try await releaseHeld(rows)
        try await resolveCreates(rows)
        return rows.allSatisfy { $0.state == "delivered" }
    }

    private func rows() async throws -> [EntrySummary] {
        try await station.client.call(Endpoints.entries, EntryQuery(after: settledSequence, limit: 500)).entries
    }

    /// Sends again what was interrupted and cannot be looked up, or was on hold after several kills.
    private func releaseHeld(_ rows: [EntrySummary]) async throws {
        for row in rows where row.route != "create_managed_user" {
            let isDoubtful = row.state == "pending" && row.uncertain && !row.canBeLookedUp && retried.insert(row.id).inserted
            let isHeld = row.state == "held" && row.holdReason != "dependency" || row.state == "dead"
            guard isDoubtful || isHeld else { continue }
            if row.state == "dead" { problems.append("entry \(row.id) failed: \(row.lastError ?? "")") }
            if let number = Arrival.number(row.id), isHeld { model.noteDelay(of: number) }
            do throws(Problem) {
                _ = try await station.client.call(Endpoints.retry, RetryRequest(id: row.id, withoutLooking: !row.canBeLookedUp))
            } catch {
                // It was sent meanwhile.
                guard error.code == .wrongState else { throw error }
            }
        }
    }

    /// Tells Homing what became of interrupted creates. A person sees which users are new, as the ledger does here.
    private func resolveCreates(_ rows: [EntrySummary]) async throws {
        let creates = rows.filter { $0.route == "create_managed_user" }
        expectReleased(rows, creates)
        guard creates.allSatisfy({ $0.state == "held" || $0.state == "delivered" }) else { return }
        let known = claimed.union(creates.compactMap(\.remoteID))
        var unclaimed = station.sandbox.ledger.created.map(String.init).filter { !known.contains($0) }
        for create in creates where create.state == "held" {
            guard create.uncertain || create.holdReason == "unknownOutcome" else {
                problems.append("create \(create.id) is on hold: \(create.holdReason ?? "")")
                continue
            }
            let user = unclaimed.isEmpty ? nil : unclaimed.removeFirst()
            if user != nil { try await station.refreshedPeople() }
            _ = try await station.client.call(Endpoints.resolve, ResolveRequest(id: create.id, remoteID: user, delivered: user != nil))
            resolved += 1
        }
        if !unclaimed.isEmpty { problems.append("no entry made the users \(unclaimed)") }
    }

    /// One transaction delivers a create and releases the entries that need it.
    private func expectReleased(_ rows: [EntrySummary], _ creates: [EntrySummary]) {
        let delivered = Set(creates.filter { $0.state == "delivered" }.map(\.id))
        for row in rows where row.state == "held" && row.holdReason == "dependency" {
            guard let number = Arrival.number(row.id), let create = model.create(of: number) else { continue }
            if delivered.contains(Samples.id(create).description) { problems.append("entry \(number) is on hold for a delivered create") }
        }
    }

    // MARK: Judging

    /// Compares the server with the model. No request of a killed daemon can take effect later.
    @discardableResult
    private func judge() async throws -> PeopleModel.Judgement {
        await station.sandbox.down()
        let ledger = station.sandbox.ledger
        let judgement = model.judge(ledger.arrivals)
        problems += judgement.problems
        let strangers = ledger.paths(outside: [PeopleModel.knownUser] + judgement.created, from: seenRequests)
        if !strangers.isEmpty { problems.append("requests went to \(strangers)") }
        seenRequests = ledger.requests.count
        try await station.sandbox.up()
        return judgement
    }
}
