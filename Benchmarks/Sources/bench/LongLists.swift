import Foundation

/// The cost of many entries and many people for the commands that a person types.
struct LongLists {
    let tools: Tools
    let entries: Int

    static let people = 10_000
    private static let rounds = 20
    /// In milliseconds.
    private static let goal = 50.0

    func measure() async throws -> [Row] {
        let station = try await Station(tools, maxBytes: 8 << 30)
        let users = station.addPeople(upTo: Self.people)
        try await fill(station, users)
        // A new process, so that its memory is not that of the submissions.
        try await station.stop()
        try await station.start()
        let (commands, calls) = (Self.commands(try await newest(station), user: users[100]), Self.calls(user: users[100]))
        var rows = [try await once(station, commands, calls)]
        let checked = try await station.rest()
        rows.append(Row(part: "people", what: "the check of the store after a start", value: checked, unit: "s"))
        let before = try ProcessFigures(station.pid)
        for command in commands { rows.append(Self.row(command.what, try times(station, command))) }
        for (path, body) in calls {
            rows.append(Self.row(body == nil ? "GET \(path)" : "a submission for one of the people", try await times(station, path, body)))
        }
        let after = try ProcessFigures(station.pid)
        rows += [
            Row(
                part: "people", what: "resident memory after all of these", value: after.resident, unit: "MiB",
                ratio: after.resident - before.resident, of: "MiB above that after one of each", target: "within 3",
                isMet: after.resident - before.resident <= 3),
            Row(
                part: "people", what: "of which outside the program’s file", value: after.own, unit: "MiB",
                ratio: after.own - before.own, of: "MiB above that after one of each"),
        ]
        try await station.close()
        return rows
    }

    /// Entries first: with a stored list, each submission looks its person up there.
    private func fill(_ station: Station, _ users: [Int]) async throws {
        try await station.start()
        station.hidePeople()
        try await station.signIn()
        try await station.goDown()
        let begin = ContinuousClock.now
        try await station.submit(entries, users: users, document: Samples.least)
        let rate = Double(entries) / (ContinuousClock.now - begin).seconds
        FileHandle.standardError.write(Data("filled to \(entries) at \(Int(rate))/s\n".utf8))
        // Meanwhile, some entries are delivered.
        station.clearFaults()
        station.delay(20)
        try await station.goUp()
        try await station.control.post("/v1/sync")
        try await readList(station)
        try await station.goDown()
    }

    private struct Page: Decodable {
        struct Roster: Decodable {
            let state: String
            let count: Int?
        }
        let roster: Roster
    }

    private func readList(_ station: Station) async throws {
        for _ in 0..<10 {
            try await station.control.post("/v1/roster/managed_users/refresh")
            let page = try JSONDecoder().decode(Page.self, from: try await station.control.get("/v1/roster/managed_users?limit=1"))
            if page.roster.state == "complete", page.roster.count == Self.people { return }
            try await Task.sleep(for: .seconds(1))
        }
        throw BenchError("the list of \(Self.people) people could not be read")
    }

    private struct Entries: Decodable {
        struct Entry: Decodable { let id: String }
        let entries: [Entry]
    }

    private func newest(_ station: Station) async throws -> String {
        let page = try JSONDecoder().decode(Entries.self, from: try await station.control.get("/v1/entries?limit=1"))
        guard let entry = page.entries.first else { throw BenchError("there is no entry") }
        return entry.id
    }

    // MARK: Measuring

    private struct Command {
        let what: String
        let arguments: [String]
        /// In its output.
        let shows: String

        init(_ what: String, _ arguments: [String], shows: String) {
            (self.what, self.arguments, self.shows) = (what, arguments, shows)
        }
    }

    private static func commands(_ entry: String, user: Int) -> [Command] {
        let completion = ["---completion", "list", "--", "--user", "3", "3", "homing", "list", "--user", "nor"]
        return [
            Command("homing people", ["people"], shows: "Anna"),
            Command("homing people --find nora", ["people", "--find", "nora"], shows: "Nora Bench"),
            Command("homing list --user \"Nora Bench\"", ["list", "--user", "Nora Bench"], shows: "measurement"),
            Command("homing list --user ID", ["list", "--user", "\(user)"], shows: "measurement"),
            Command("homing why with a short id", ["why", String(entry.suffix(12))], shows: "."),
            Command("the completion of --user nor", completion, shows: "Nora Bench"),
        ]
    }

    /// With a body, a submission.
    private static func calls(user: Int) -> [(path: String, body: String?)] {
        [
            ("/v1/roster/managed_users", nil), ("/v1/roster/managed_users?find=nora", nil),
            ("/v1/entries?backend=breathesafe&route=measurement&item.user_id=\(user)", String(decoding: Samples.least, as: UTF8.self)),
        ]
    }

    /// All of them once, so that the same code has run before and after. The time of the first one, in milliseconds.
    private func once(
        _ station: Station, _ commands: [Command], _ calls: [(path: String, body: String?)]
    ) async throws -> Row {
        let took = try commands.map { try time(station, $0) }
        for (path, body) in calls { _ = try await times(station, path, body) }
        return Row(part: "people", what: "homing people, after a start, beside the check of the store", value: took[0], unit: "ms")
    }

    private func times(_ station: Station, _ command: Command) throws -> [Double] {
        try (0..<Self.rounds).map { _ in try time(station, command) }
    }

    private func times(_ station: Station, _ path: String, _ body: String?) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let begin = ContinuousClock.now
            if let body { try await station.control.post(path, body) } else { _ = try await station.control.get(path) }
            times.append((ContinuousClock.now - begin).seconds * 1000)
        }
        return times
    }

    /// Milliseconds from exec to the end of its output.
    private func time(_ station: Station, _ command: Command) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tools.programs + "/homing")
        process.arguments = command.arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HOMING_SOCKET": station.directory + "/homing.sock"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let begin = ContinuousClock.now
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let took = (ContinuousClock.now - begin).seconds * 1000
        process.waitUntilExit()
        guard process.terminationStatus == 0, text.contains(command.shows) else {
            throw BenchError("\(command.what) ended with \(process.terminationStatus): \(text.prefix(300))")
        }
        return took
    }

    private static func row(_ what: String, _ times: [Double]) -> Row {
        let times = times.sorted()
        let median = times[times.count / 2]
        return Row(
            part: "people", what: what, value: median, unit: "ms", ratio: times.last, of: "ms at worst of \(times.count)",
            target: "at most \(Int(goal))", isMet: median <= goal)
    }
}
