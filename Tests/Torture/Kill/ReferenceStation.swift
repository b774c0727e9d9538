import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A station where people are added and measured, and whose daemon is killed meanwhile.
actor ReferenceStation {
    /// Where the daemon is killed.
    struct Place: Sendable {
        let name: String
        /// For RECORDER_KILL (CRecorder.h), with `#` for a small count. Nil for a random moment.
        let steps: String?
        /// Another kill in the next run, while a person settles what this one left.
        var settling: String?
    }

    private static let wal = "outbox.sqlite-wal"
    private static let create = "POST /managed_users"
    private static let capture = "POST /users/"
    private static let created = "HTTP/1.1 201"
    private static let word = "request:after:/resolve:1"
    static let afterSending = Place(name: "after a create is sent", steps: "send:after:\(create):1")

    static let places = [
        Place(name: "at any moment", steps: nil),
        Place(name: "before a submission is committed", steps: "sync:before:\(wal):#"),
        Place(name: "before a create is sent", steps: "send:before:\(create):1"),
        afterSending,
        Place(name: "after the answer to a create", steps: "send:after:\(create):1;receive:after:\(created):1"),
        Place(
            name: "before the receipt of a create is committed",
            steps: "send:after:\(create):1;receive:after:\(created):1;sync:before:\(wal):1"),
        Place(
            name: "after the receipt of a create is committed",
            steps: "send:after:\(create):1;receive:after:\(created):1;sync:after:\(wal):1"),
        Place(name: "before an entry that refers to a create is sent", steps: "send:before:\(capture):1"),
        Place(name: "after an entry that refers to a create is sent", steps: "send:after:\(capture):1"),
        Place(
            name: "before the receipt of an entry that refers to a create is committed",
            steps: "send:after:\(capture):1;receive:after:\(created):1;sync:before:\(wal):1"),
        Place(
            name: "after the receipt of an entry that refers to a create is committed",
            steps: "send:after:\(capture):1;receive:after:\(created):1;sync:after:\(wal):1"),
        Place(
            name: "before a person’s word about a create is committed", steps: afterSending.steps,
            settling: "\(word);sync:before:\(wal):1"),
        Place(
            name: "after a person’s word about a create is committed", steps: afterSending.steps,
            settling: "\(word);sync:after:\(wal):1"),
    ]

    private let station: TestStation
    private let recorder: Recorder
    private var generator: SplitMix64
    private var people = 0
    private var resolved = 0
    private var problems: [String] = []
    /// A negative control: the person says that no create with unknown outcome took effect.
    private let isCareless: Bool

    init(seed: UInt64, isCareless: Bool = false) async throws {
        self.isCareless = isCareless
        generator = SplitMix64(seed: seed)
        station = try await TestStation()
        try TestStation.place("breathesafe", in: station.directory, baseURL: station.sandbox.baseURL, rosters: true)
        recorder = Recorder(root: station.directory("state"), log: nil)
    }

    func stop() async { await station.sandbox.stop() }

    /// Signs in.
    func begin() async throws {
        try await station.start()
        try await station.signIn("breathesafe")
        try await station.end(SIGKILL)
    }

    // MARK: Being killed

    /// Adds a person with captures, kills the daemon meanwhile, and waits until all is delivered. True if the place was met.
    func addPerson(killedAt place: Place) async throws -> Bool {
        people += 1
        let submissions = Self.submissions(of: people)
        // Half of the people wait with their captures before anything is sent.
        if Bool.random(using: &generator) { try await gather(submissions) }
        let moment = Duration.milliseconds(Int.random(in: 0...200, using: &generator))
        let steps = place.steps?.replacing("#", with: "\(Int.random(in: 1...8, using: &generator))")
        var met = try await dies(at: steps, after: moment) { try await self.handIn(submissions) }
        if let settling = place.settling {
            let meets = try await dies(at: settling, after: moment) {
                try await self.handIn(submissions)
                try await self.settle()
            }
            met = met && meets
        }
        try await station.start()
        try await handIn(submissions)
        try await settle()
        try await station.end(SIGKILL)
        return met
    }

    /// Accepts all submissions before the first is sent.
    private func gather(_ submissions: [Submission]) async throws {
        try await station.start()
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        try await submit(submissions)
        try await station.end(SIGKILL)
    }

    private static let capturesPerPerson = 2

    /// The digest in the ledger.
    private static func profile(of person: Int) -> String {
        LedgerEntry.digest(of: JSON.object(["first_name": "Anna", "last_name": .string("Example \(person)")]).bytes)
    }

    private static func id(_ person: Int, _ number: Int = 0) -> String { Samples.id(100 * person + number).description }

    /// The person, then the captures.
    private static func submissions(of person: Int) -> [Submission] {
        let profile = Data(#"{"first_name":"Anna","last_name":"Example \#(person)"}"#.utf8)
        let create = Submission(backend: "breathesafe", route: "create_managed_user", id: id(person), payload: profile)
        return [create]
            + (1...capturesPerPerson).map { number in
                Submission(
                    backend: "breathesafe", route: "measurement", id: id(person, number), fields: ["user_id": "@\(id(person))"],
                    payload: TestStation.measurement(100 * person + number))
            }
    }

    /// Starts the daemon so that it dies at `steps` (CRecorder.h) during the work, or without steps after a moment. True if the place was met.
    private func dies(
        at steps: String?, after moment: Duration, during work: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        let met = station.directory("met")
        try? FileManager.default.removeItem(atPath: met)  // `try?`: there may be none
        let process: Process
        do {
            process = try await station.start(try recorder.environment(killing: steps, met: met))
        } catch {
            guard FileManager.default.fileExists(atPath: met) else { throw error }
            return true
        }
        let limit = ContinuousClock.now + (steps == nil ? moment : .seconds(5))
        // Its failure is expected. It is done again after the next start.
        let task = Task { try await work() }
        while process.isRunning, ContinuousClock.now < limit { await pauseBriefly() }
        try await station.end(SIGKILL)
        _ = await task.result
        return steps == nil || FileManager.default.fileExists(atPath: met)
    }

    /// The same ids each time.
    private func submit(_ submissions: [Submission]) async throws {
        for submission in submissions { _ = try await station.client.call(Endpoints.submit, submission) }
    }

    /// Also ends the pause of `gather`.
    private func handIn(_ submissions: [Submission]) async throws {
        try await submit(submissions)
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
    }

    // MARK: Settling

    private func settle() async throws {
        let limit = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < limit {
            let left = try await station.entries().filter { $0.state != "delivered" }
            if left.isEmpty { return }
            for entry in left where entry.state == "held" || entry.state == "dead" { try await decide(entry) }
            await pauseBriefly()
        }
        problems.append("person \(people) was not settled in time")
    }

    /// A create cannot be looked up, so a person looks whether the backend has somebody new.
    private func decide(_ entry: EntrySummary) async throws {
        guard entry.holdReason == "unknownOutcome", entry.route == "create_managed_user" else {
            if entry.holdReason == "dependency" { return }
            // The backend refuses nothing here.
            if entry.holdReason != "unknownOutcome", entry.holdReason != "crashes" {
                problems.append("entry \(entry.id) is \(entry.state): \(entry.holdReason ?? entry.lastError ?? "")")
            }
            _ = try await station.client.call(Endpoints.retry, RetryRequest(id: entry.id, withoutLooking: entry.retryMayDuplicate == true))
            return
        }
        let known = try await creates().compactMap(\.remoteID)
        // No request is under way afterwards.
        await station.sandbox.down()
        let unknown = rows.map { String($0) }.filter { !known.contains($0) }
        try await station.sandbox.up()
        if unknown.count > 1, !isCareless { problems.append("the backend has \(unknown), which no receipt names") }
        let row = isCareless ? nil : unknown.first
        if row != nil { try await refreshPeople() }
        _ = try await station.client.call(Endpoints.resolve, ResolveRequest(id: entry.id, remoteID: row, delivered: row != nil))
        resolved += 1
    }

    /// A person’s word about a row is checked in the list.
    private func refreshPeople() async throws {
        while try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users")).failure != nil {
            await pauseBriefly()
        }
    }

    // MARK: Judging

    struct Finding: Sendable {
        var problems: [String] = []
        var acknowledged = 0, lost = 0, duplicated = 0, resolved = 0
    }

    private func creates() async throws -> [EntrySummary] { try await station.entries().filter { $0.route == "create_managed_user" } }

    /// The people at the backend, by the id that other requests name.
    private var rows: [Int] {
        station.sandbox.ledger.entries.filter { $0.method == "POST" && $0.resource == "managed_user" }.compactMap(\.user)
    }

    /// Compares the receipts with the ledger.
    func judge() async throws -> Finding {
        try await station.start()
        let entries = Dictionary(uniqueKeysWithValues: try await station.entries().map { ($0.id, $0) })
        try await station.end(SIGTERM)
        var finding = Finding(problems: problems, acknowledged: people * (1 + Self.capturesPerPerson), resolved: resolved)
        let ledger = station.sandbox.ledger.entries
        for person in 1...max(people, 1) where people > 0 {
            guard let create = entries[Self.id(person)], let row = create.remoteID else {
                finding.lost += 1
                finding.problems.append("person \(person) was acknowledged, and has no receipt with an id")
                continue
            }
            let captures = (1...Self.capturesPerPerson).map { Self.id(person, $0) }
            finding.lost += captures.count { entries[$0] == nil }
            let arrived = ledger.filter { $0.user.map { String($0) } == row }.compactMap(\.clientMutationID)
            if arrived != captures { finding.problems.append("user \(row) should have the captures \(captures), and has \(arrived)") }
            // Of this person only, perhaps more than once.
            let profiles = Set(ledger.filter { $0.method == "PUT" && $0.path == "/users/\(row)/profile" }.map(\.digest))
            if profiles != [Self.profile(of: person)] { finding.problems.append("user \(row) has no profile, or one of another person") }
        }
        let named = Set(entries.values.compactMap { $0.route == "create_managed_user" ? $0.remoteID : nil })
        let orphans = rows.filter { !named.contains(String($0)) }
        finding.duplicated = orphans.count
        if !orphans.isEmpty { finding.problems.append("no receipt names the users \(orphans)") }
        let sent = ledger.compactMap(\.clientMutationID)
        if sent.count != people * Self.capturesPerPerson { finding.problems.append("the backend has \(sent.count) captures: \(sent)") }
        return finding
    }
}
