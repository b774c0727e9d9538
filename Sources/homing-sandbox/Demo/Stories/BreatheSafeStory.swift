import Sandbox

/// Faces are measured without a network, also of a new person, and a person is deleted. The session ends midway, and one capture is for a
/// wrong user.
struct BreatheSafeStory: Story {
    let captures: DemoCaptures
    let backend = SandboxBackend.breatheSafe(BreatheSafeConfiguration { $0.managedUsers = Self.people })
    let profile = "breathesafe"
    let route = "measurement"

    private static let path = "facial_measurements_from_arkit"
    /// The users in the list, among them these two people.
    private static let listed = 5...8
    private static let anna = "Anna Example"
    private static let ben = "Ben Sample"
    /// A person who is not in the list.
    private static let eve = BreatheSafeConfiguration.ManagedUser.name(of: 9)
    private static var eveInFull: String { "\(eve.first) \(eve.last)" }
    /// The person who is deleted.
    private static let leaving = listed.upperBound
    private static var zoe: String { name(of: leaving) }

    private static func name(of user: Int) -> String {
        let name = BreatheSafeConfiguration.ManagedUser.name(of: user)
        return "\(name.first) \(name.last)"
    }

    private static var people: [BreatheSafeConfiguration.ManagedUser] {
        listed.map { BreatheSafeConfiguration.ManagedUser(user: $0).named } + [.init(user: DemoCaptures.notManaged, manager: 2)]
    }

    func tell(_ day: Day) async throws -> Bool {
        try await setOut(day)
        try await measure(day)
        try addPerson(day)
        day.say("\(Self.zoe) no longer takes part. The manager deletes her, and confirms it.")
        try day.show("people", "delete", Self.zoe, "--yes")
        try await checkOffline(day)
        try await comeHome(day)
        try await correct(day)
        // The names are gone after the sign-out.
        let comparison = try comparison(day)
        try signOut(day)
        return day.compare(comparison)
    }

    private func setOut(_ day: Day) async throws {
        day.say("A van with a capture station sets out. The daemon starts, and the clinic’s manager signs in while still online.")
        try await day.station.open()
        try day.signIn("--remember")
        try await day.until("the list of people is read") { try day.station.homing("people").contains(Self.anna) }
        day.say("The daemon reads the list of the manager’s people.")
        try day.show("people")
    }

    private func measure(_ day: Day) async throws {
        await day.sandbox.down()
        day.say(
            "There is no network in the country. \(captures.plain.count) faces are measured, and the capture app adds \(captures.offline.count) files of its own. The daemon takes them from the drop folder."
        )
        try captures.drop(into: day.station.spool)
        try await day.until("the dropped files are accepted") { try day.books.rows.count == captures.dropped }
        day.say("The list of people is on the station, so the manager submits a capture by name.")
        try day.submit(["face.json": captures.named], "--user", Self.anna)
    }

    private func addPerson(_ day: Day) throws {
        day.say("A woman comes who is not in the list. The manager adds her, and measures her twice, all without a network.")
        let told = try day.show("people", "add", "--first-name", Self.eve.first, "--last-name", Self.eve.last)
        guard let reference = told.firstMatch(of: /--user (@[0-9a-f-]+)/)?.1 else {
            throw DemoError("‘homing people add’ does not say how to measure the new person")
        }
        try day.submit(
            ["first.json": captures.newcomer.first, "second.json": captures.newcomer.second], "--user", String(reference))
        day.say(
            "\(Self.ben) comes next, but the manager types a wrong number. User \(DemoCaptures.notManaged) is not in the list: Homing accepts the capture, and warns."
        )
        try day.submit(["ben.json": captures.misaddressed], "--user", "\(DemoCaptures.notManaged)")
    }

    private func checkOffline(_ day: Day) async throws {
        try await day.noticedOutage()
        day.say("Everything is safe in the outbox, and the drop folder is empty again. What has been delivered?")
        try day.show("status")
        day.say("Names are there without a network, also the new one.")
        let people = try day.show("people")
        try day.expect("the new person is listed", people.contains("\(Self.eveInFull) (new)"))
        day.say("The name and the captures of the new person wait for the entry that creates her.")
        try day.show("list", "--user", Self.eveInFull)
    }

    private func comeHome(_ day: Day) async throws {
        day.say(
            "Back in town, the network returns. The server ends the session in the middle of the deliveries. Later it accepts a measurement, but its answer is lost."
        )
        try await day.homecoming(slowing: Self.path, endingSessionAmong: captures.count, rememberTokens: true)
        // The manager's own user, so the request takes effect before its response is lost.
        await day.loseAnAnswer(of: "/users/5/\(Self.path)", thenSlowing: Self.path)
        try day.show("sync", "--wait", "--timeout", "60")
        day.showLedger(try arrivals(day, names(day.ledger)))
        day.say(
            "When the session ended, the daemon signed in again automatically (\(day.ledger.logInCount) sign-ins in all). After the lost answer it looked the measurement up and did not send it twice."
        )

        guard let user = day.ledger.entries.first(where: { $0.resource == "managed_user" && !$0.isDeletion })?.user else {
            throw DemoError("the server has no new person")
        }
        day.say(
            "The server gave the new person the id \(user). Her name and her captures went there. \(Self.zoe) went after her captures. The list shows both."
        )
        let received = day.ledger.entries.filter { $0.user == Self.leaving }.map(\.isDeletion)
        let measured = captures.plain.count { $0.user == Self.leaving }
        try day.expect(
            "the server deleted \(Self.zoe) after her captures", received == Array(repeating: false, count: measured) + [true])
        let people = try day.show("people", "--refresh")
        try day.expect("the new person is in the list", people.contains(Self.eveInFull) && !people.contains("(new)"))
        let others = Self.listed.dropLast().map { Self.name(of: $0) }
        try day.expect("only \(Self.zoe) is gone", !people.contains(Self.zoe) && others.allSatisfy { people.contains($0) })
        let list = try day.show("list", "--limit", "6")
        try day.expect("the list of entries names people", list.contains("\(Self.eveInFull) (\(user))"))
    }

    private func correct(_ day: Day) async throws {
        day.say("The server refused one capture. The manager asks why.")
        let refused = try day.books.only("dead")
        try day.show("why", refused.id)
        day.say(
            "User \(DemoCaptures.notManaged) belongs to another clinic. The manager corrects the person; the capture itself stays as it is."
        )
        try day.show("fix", refused.id, "--user", Self.ben)
        try await day.until("the corrected capture is delivered") { try day.books.rows.last?.state == "delivered" }
        day.say("Homing delivers the corrected capture, and the old entry is discarded.")
        try day.show("list", "--limit", "1")
        let user = day.ledger.entries.last?.user
        try day.expect("the server has it for \(Self.ben)", user.flatMap { names(day.ledger)[$0] } == Self.ben)
    }

    private func signOut(_ day: Day) throws {
        try day.close()
        day.say("After the sign-out, the list of people is gone from the station.")
        try day.show("people")
        let names = [Self.anna, Self.ben, Self.eveInFull]
        for command in ["people", "list"] {
            let text = try day.station.homing(command)
            try day.expect("no names are shown after the sign-out", !names.contains { text.contains($0) })
        }
    }
}

extension BreatheSafeStory {
    /// Compares the captures, the new person, her name, the deletion, and the correction.
    private func comparison(_ day: Day) throws -> DemoComparison {
        let deleted = Set(day.ledger.entries.filter(\.isDeletion).compactMap(\.user))
        // The daemon read the list again, so it has no names of deleted people.
        let arrivals = try arrivals(day, names(day.ledger).filter { !deleted.contains($0.key) })
        let people = arrivals.compactMap { arrival in arrival.id.flatMap { id in arrival.person.map { (id, $0) } } }
        return DemoComparison(
            handedIn: (captures.count + 4, "entries"), books: try day.books, arrivals: arrivals.map(\.id),
            people: Dictionary(people) { first, _ in first },
            deleted: (["\(Self.leaving)"], Set(deleted.map(String.init))))
    }

    /// - Parameter names: by user.
    private func arrivals(_ day: Day, _ names: [Int: String]) throws -> [DemoArrival] {
        let rows = try day.books.rows
        return day.ledger.entries.map { entry in
            let user = "\(entry.user ?? 0)"
            let person = entry.user.flatMap { names[$0] }.map { "\($0) (\(user))" } ?? user
            switch entry.resource {
            case "managed_user" where entry.isDeletion:
                let row = rows.first { $0.route == "delete_managed_user" && $0.subject?.id == user }
                return DemoArrival(entry: entry, words: "deletion of \(person)", id: row?.id, person: person)
            case "managed_user":
                let row = rows.first { $0.route == "create_managed_user" && $0.remoteID == user }
                return DemoArrival(entry: entry, words: "new person with the server id \(user)", id: row?.id, person: person)
            case "profile":
                let row = rows.first { $0.route == "profile" && $0.subject?.id == user }
                return DemoArrival(entry: entry, words: "name of \(person)", id: row?.id, person: person)
            default:
                return DemoArrival(
                    entry: entry, words: "measurement \(entry.remoteID ?? 0) of \(person)", id: entry.clientMutationID, person: person)
            }
        }
    }

    /// The names at the server, by user. The ledger shows who got the new name.
    private func names(_ ledger: Ledger) -> [Int: String] {
        var names: [Int: String] = [:]
        for user in Self.listed { names[user] = Self.name(of: user) }
        let name: JSONObject = ["first_name": .string(Self.eve.first), "last_name": .string(Self.eve.last)]
        let digest = LedgerEntry.digest(of: JSON.object(name).bytes)
        for entry in ledger.entries where entry.resource == "profile" && entry.digest == digest {
            if let user = entry.user { names[user] = Self.eveInFull }
        }
        return names
    }
}

extension LedgerEntry {
    fileprivate var isDeletion: Bool { method == "DELETE" }
}
